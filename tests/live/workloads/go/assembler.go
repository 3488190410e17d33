// SPDX-License-Identifier: Apache-2.0

//go:build !withc

package main

// Of the assembler: add_*.s
func add(a, b int64) int64
