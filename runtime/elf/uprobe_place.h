/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where exactly a probe on the entry of a user function is put.
 */
#pragma once
#include "parser/plan/plan.h"
#include <stddef.h>

/* The kernel executes the instruction that a uprobe replaced. Most it must single-step, which takes
 * 16 us here; pushes, branches and nops it imitates: 0.5 us. A function made for CET begins with
 * endbr64, which does nothing; so its probe goes on the instruction behind it where that is cheap
 * and provably runs once a call. Moves targets of the plan; -v says which are single-stepped. */
void uprobe_place(const struct plan *plan);

/* What stands against the probe behind endbr64. */
enum place_verdict {
	PLACE_CHEAP,	      /* nothing is to be done */
	PLACE_BEHIND,	      /* nothing: probe it there */
	PLACE_STEPPED,	      /* the first instruction is neither cheap nor endbr64 */
	PLACE_STEPPED_BEHIND, /* the one behind endbr64 is not cheap either */
	PLACE_STACK,   /* ... is no push of the frame pointer, so stacks would lack the caller */
	PLACE_NO_SIZE, /* how long the function is is not known */
	PLACE_TOO_LONG,
	PLACE_TABLE,   /* it jumps by a table */
	PLACE_TARGET,  /* something jumps there */
	PLACE_UNKNOWN, /* it seems so, and libZydis, which could tell, is not here */
	PLACE_COUNT,
};
/* Of one function: its first `n` bytes, `size` in all. Jumps from elsewhere are not seen. */
enum place_verdict place_judge(uint16_t machine, const uint8_t *code, size_t n, uint64_t size,
			       bool with_stacks);
/* Of a Go function, `n` bytes: where to probe it so that it fires once a call; 0: at its start. */
uint64_t place_in_go(uint16_t machine, const uint8_t *code, size_t n);
