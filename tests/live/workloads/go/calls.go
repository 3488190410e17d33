// SPDX-License-Identifier: Apache-2.0

// Calls of Go functions that tests/live/go.test traces: `calls MODE N`. Prints what the program has
// measured of itself. The clock is CLOCK_MONOTONIC, as the tracer's.
package main

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

var sink int

// ---- arguments -----------------------------------------------------------------------------------

//go:noinline
func numbers(a, b, c, d, e, f, g, h, i, j int) int {
	return a + 2*b + 3*c + 4*d + 5*e + 6*f + 7*g + 8*h + 9*i + 10*j
}

//go:noinline
func text(id int32, s string, ok bool) int {
	sink += len(s)
	return int(id) + len(s)
}

type shelf struct{ books []string }

//go:noinline
func (s *shelf) put(at uint8, book string, price float64, rest ...int) (int, error) {
	s.books = append(s.books, book)
	return len(s.books) + int(at) + len(rest) + int(price), nil
}

// Parameters without a name are passed but not described.
//
//go:noinline
func named(first int, _ int, last int, _ ...int) int {
	return first + last
}

// A generic function is passed a dictionary first.
//
//go:noinline
func any[T int | string](value T, n int) int {
	return n + len(fmt.Sprint(value))
}

// A function of C, in the variant with cgo: c.go
var callC = func(n int) {}

func arguments(n int) {
	s := new(shelf)
	for i := 1; i <= n; i++ {
		sink += numbers(i, 2, 3, 4, 5, 6, 7, 8, 9, 10*i)
		sink += text(int32(-i), strings.Repeat("x", i)+"/"+strconv.Itoa(i), i%2 == 0)
		k, _ := s.put(uint8(i), "book "+strconv.Itoa(i), 2.5, i, i)
		sink += named(10+i, 0, 12+i, 1) + any(i, i) + any("", i)
		sink += k + int(add(int64(i), 1000))
		callC(i)
	}
}

// ---- calls whose time is known -------------------------------------------------------------------

// A call as its caller and as the function itself have measured it.
type call struct {
	inner, outer time.Duration
	moved        bool
}

//go:noinline
func work(id int, c *call, pause func()) int {
	thread, start := syscall.Gettid(), time.Now()
	for i := 0; i < 3; i++ {
		pause()
	}
	c.inner = time.Since(start)
	c.moved = thread != syscall.Gettid()
	return id
}

func measured(id int, calls []call, pause func()) {
	start := time.Now()
	work(id, &calls[id], pause)
	calls[id].outer = time.Since(start)
}

func report(calls []call) {
	moved := 0
	for id, c := range calls {
		fmt.Println("call", id, c.inner.Nanoseconds(), c.outer.Nanoseconds())
		if c.moved {
			moved++
		}
	}
	fmt.Println("moved", moved)
}

// n goroutines call work() 10 times each and sleep in it, so that they change threads.
func moves(n int) {
	calls := make([]call, 10*n)
	var all sync.WaitGroup
	for i := 0; i < n; i++ {
		all.Add(1)
		go func(first int) {
			defer all.Done()
			for id := first; id < first+10; id++ {
				measured(id, calls, func() {
					time.Sleep(100 * time.Microsecond)
					runtime.Gosched()
				})
			}
		}(10 * i)
	}
	all.Wait()
	report(calls)
}

// Two goroutines on one thread take turns in the middle of their calls: the first to enter is the
// first to return, in the order that a stack of calls does not have.
func turns(n int) {
	runtime.GOMAXPROCS(1)
	calls := make([]call, 2*n)
	a, b := make(chan int), make(chan int)
	var all sync.WaitGroup
	all.Add(2)
	go func() {
		defer all.Done()
		for i := 0; i < n; i++ {
			measured(2*i, calls, func() { b <- 1; <-a })
		}
	}()
	go func() {
		defer all.Done()
		for i := 0; i < n; i++ {
			measured(2*i+1, calls, func() { <-b; a <- 1 })
		}
	}()
	all.Wait()
	report(calls)
}

// ---- the stack grows -----------------------------------------------------------------------------

//go:noinline
func deep(n int) int {
	var b [256]byte
	b[n%256] = 1
	if n == 0 {
		return int(b[1])
	}
	return deep(n-1) + int(b[n%256])
}

// A frame of 20 KiB: another kind of check.
//
//go:noinline
func large(n int) int {
	var b [20 << 10]byte
	b[n] = 1
	sink += deep(10)
	return int(b[n]) + n
}

// Each goroutine begins with a small stack.
func grow(n int) {
	var all sync.WaitGroup
	total := make([]int, n)
	for i := 0; i < n; i++ {
		all.Add(1)
		go func(i int) {
			defer all.Done()
			total[i] = large(i) + deep(99)
		}(i)
	}
	all.Wait()
	sum := 0
	for _, t := range total {
		sum += t
	}
	fmt.Println("grown", n, sum)
}

//go:noinline
func short(n int) int {
	var b [64]byte
	b[n%64] = 1
	return len(fmt.Sprint(b[n%64]))
}

// The collector stops goroutines: the check of a function sends them to the scheduler, and the
// function begins again.
func preempted(n int) {
	done := make(chan bool)
	go func() {
		for i := 0; i < 20; i++ {
			runtime.GC()
		}
		close(done)
	}()
	calls := 0
	for isDone := false; !isDone || calls < n; calls++ {
		sink += short(calls)
		select {
		case <-done:
			isDone = true
		default:
		}
	}
	fmt.Println("calls", calls)
}

// ---- calls that do not return --------------------------------------------------------------------

//go:noinline
func fails(n, depth int) int {
	if depth > 0 {
		return fails(n, depth-1) + 1
	}
	if n%2 == 0 {
		panic(n)
	}
	return n
}

//go:noinline
func recovers(n int) (result int) {
	defer func() {
		if recover() != nil {
			result = -1
		}
	}()
	return fails(n, 3)
}

func panics(n int) {
	sum := 0
	for i := 0; i < n; i++ {
		sum += recovers(i)
	}
	fmt.Println("recovered", sum)
}

//go:noinline
func leaves() int {
	runtime.Goexit()
	return 1
}

func exits(n int) {
	for i := 0; i < n; i++ {
		done := make(chan bool)
		go func() {
			defer close(done)
			sink += leaves()
		}()
		<-done
	}
}

//go:noinline
func waits(in *sync.WaitGroup, end chan bool) int {
	in.Done()
	<-end
	return 1
}

// n goroutines are in a call at once.
func crowd(n int) {
	var in, out sync.WaitGroup
	end := make(chan bool)
	in.Add(n)
	out.Add(n)
	for i := 0; i < n; i++ {
		go func() {
			defer out.Done()
			waits(&in, end)
		}()
	}
	in.Wait()
	close(end)
	out.Wait()
	fmt.Println("crowd", n)
}

//go:noinline
func quits() int {
	os.Exit(0)
	return 1
}

func main() {
	n, _ := strconv.Atoi(os.Args[2])
	modes := map[string]func(int){"arguments": arguments, "moves": moves, "turns": turns,
		"grow": grow, "preempted": preempted, "panics": panics, "exits": exits, "crowd": crowd,
		"results": results, "quits": func(int) { quits() }}
	modes[os.Args[1]](n)
}
