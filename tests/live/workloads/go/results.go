// SPDX-License-Identifier: Apache-2.0

// Functions of Go with results of many types, each called with known values: `calls results 1`.
package main

import "errors"

type spot struct {
	x, y int32
	name string
}

var errNegative = errors.New("negative")

//go:noinline
func counted(n int) (int, error) {
	if n < 0 {
		return n, errNegative
	}
	return n + 1, nil
}

//go:noinline
func label(n int) string {
	return "a label of a certain length, more than fits"[:n]
}

//go:noinline
func labelled(n int) (string, error) {
	return label(n), nil
}

//go:noinline
func slice(n int) []int {
	return make([]int, n, 8)
}

//go:noinline
func small(n int32) (int32, uint8, bool) {
	return -n, uint8(n) + 200, n > 0
}

//go:noinline
func place(n int32) spot {
	return spot{n, -n, "here"}
}

//go:noinline
func one(n int) [1]int {
	return [1]int{n}
}

//go:noinline
func two(n int) [2]int {
	return [2]int{n, n}
}

//go:noinline
func mean(n int) (float64, int) {
	return float64(n) / 2, n
}

//go:noinline
func letter(n int) (r rune, ok bool) {
	return 'a' + rune(n), n < 26
}

func results(n int) {
	a, err := counted(n)
	b, _ := counted(-n)
	text, _ := labelled(7)
	x, y, isPositive := small(3)
	m, k := mean(n)
	r, _ := letter(2)
	sink += a + b + len(label(40)) + len(text) + len(slice(3)) + int(x) + int(y) + int(place(4).y) + one(5)[0] + two(6)[1] + int(m) + k + int(r)
	if err != nil || !isPositive {
		panic("results")
	}
}
