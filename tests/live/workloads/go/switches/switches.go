// SPDX-License-Identifier: Apache-2.0

// Goroutines that call C, C that calls back, and the runtime on its own stack, for the stacks that
// tests/live/go.test traces: `switches MODE N`.
package main

/*
#include <time.h>

extern void called_back(int ms);

__attribute__((noinline)) static void k_hold(int ms)
{
	struct timespec pause = {0, ms * 1000000L};

	nanosleep(&pause, 0);
	__asm__ volatile("" : : : "memory");
}

__attribute__((noinline)) static void k_call(int ms)
{
	called_back(ms);
	__asm__ volatile("" : : : "memory");
}
*/
import "C"

import (
	"os"
	"runtime"
	"strconv"
	"time"
)

//export called_back
func called_back(ms C.int) {
	C.k_hold(ms)
	runtime.KeepAlive(ms)
}

//go:noinline
func inC(n int) {
	for i := 0; i < n; i++ {
		C.k_hold(10)
	}
}

//go:noinline
func inCallback(n int) {
	for i := 0; i < n; i++ {
		C.k_call(10)
	}
}

var kept [][]byte

// The runtime takes large objects from the heap on its own stack.
//
//go:noinline
func allocate(n int) {
	for end := time.Now().Add(time.Duration(n) * 10 * time.Millisecond); time.Now().Before(end); {
		kept = nil
		for i := 0; i < 300; i++ {
			kept = append(kept, make([]byte, 40000))
		}
	}
}

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	switch os.Args[1] {
	case "c":
		inC(n)
	case "callback":
		inCallback(n)
	case "allocate":
		allocate(n)
	}
}
