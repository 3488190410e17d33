/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The instruction on which a probe on the entry of a user function is put.
 */
#pragma once
#include "parser/plan/plan.h"
#include <stddef.h>

/* The kernel has to execute the instruction that a uprobe replaces. It single-steps most of them,
 * which takes 16 us; it emulates pushes, branches and nops in 0.5 us. A function compiled for CET
 * begins with endbr64, which has no effect. Its probe is moved to the next instruction if that one
 * is cheap and provably runs once per call. Changes the targets of the plan; -v reports those that
 * are single-stepped. */
void uprobe_entry_move(const struct plan *plan);

/* Can the probe be put behind endbr64, and if not, why? */
enum entry_verdict {
	ENTRY_CHEAP,	      /* not necessary */
	ENTRY_BEHIND,	      /* yes */
	ENTRY_STEPPED,	      /* the first instruction is neither cheap nor endbr64 */
	ENTRY_STEPPED_GO,     /* Go: nor is the instruction behind the check of the stack */
	ENTRY_STEPPED_BEHIND, /* the instruction behind endbr64 is not cheap either */
	ENTRY_STACK,   /* ... does not push the frame pointer, so stacks would lack the caller */
	ENTRY_NO_SIZE, /* the size of the function is unknown */
	ENTRY_TOO_LONG,
	ENTRY_TABLE,   /* it uses a jump table */
	ENTRY_TARGET,  /* something jumps there */
	ENTRY_UNKNOWN, /* something may jump there; only libZydis could tell */
	ENTRY_COUNT,
};
/* Judge one function by its first `n` bytes of `size`. Jumps from elsewhere are not considered. */
enum entry_verdict entry_judge(uint16_t machine, const uint8_t *code, size_t n, uint64_t size,
			       bool with_stacks);
