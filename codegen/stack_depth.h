/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack that the programs of an object take, together with the functions that they call. The
 * verifier refuses a chain of calls that takes more than STACK_BYTES, and older kernels round each
 * function's part up to 32 bytes.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* MAX_BPF_STACK, MAX_CALL_FRAMES, BPF_MAX_SUBPROGS of the kernel; the range of a jump */
enum { STACK_BYTES = 512, STACK_FRAMES = 8, STACK_FUNCTIONS = 256, STACK_JUMP = 32767 };
/* BPF_COMPLEXITY_LIMIT_JMP_SEQ: branches that the verifier follows one after the other */
enum { STACK_BRANCHES = 8192 };

struct arena;

struct stack_object {
	const void *bytes; /* a relocatable ELF file, aligned to 8 */
	size_t len;
};

/* The chains of calls that take the most stack and the most frames. Callbacks count as calls, as
 * they do in the verifier. */
struct stack_depth {
	uint32_t bytes, frames;
	uint32_t least;		      /* bytes, on newer kernels, which round each part up to 16 */
	const char *program, *nested; /* where the two begin: names of symbols */
	uint32_t functions;	      /* the most of a program, with itself */
	const char *widest;	      /* that program */
	uint32_t jump;	     /* the longest jump, with what the verifier puts in place of calls */
	const char *longest; /* the function that has it */
	uint32_t branches;   /* the most of a function and what it calls, callbacks left out */
};

/* Compute it for `object`. Functions that it only declares are in `linked`, or take nothing. */
struct stack_depth stack_depth_of(struct arena *a, const struct stack_object *object,
				  const struct stack_object *linked);
