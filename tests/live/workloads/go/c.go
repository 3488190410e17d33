// SPDX-License-Identifier: Apache-2.0

//go:build withc

package main

/*
__attribute__((noinline)) long c_numbers(long a, long b, long c)
{
	__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c));
	return a + 2 * b + 3 * c;
}
*/
import "C"

// A package with C has no assembler of Go.
func add(a, b int64) int64 { return a + b }

func init() {
	callC = func(n int) { sink += int(C.c_numbers(C.long(n), 20, 30)) }
}
