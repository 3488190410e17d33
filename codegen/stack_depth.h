/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Computes the stack that the programs of an object take together with the functions that they
 * call. The verifier refuses a chain of calls that takes more than STACK_BYTES. Older kernels round
 * each function's part up to 32 bytes.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* MAX_BPF_STACK, MAX_CALL_FRAMES and BPF_MAX_SUBPROGS of the kernel; the range of a jump. */
enum { STACK_BYTES = 512, STACK_FRAMES = 8, STACK_FUNCTIONS = 256, STACK_JUMP = 32767 };
/* BPF_COMPLEXITY_LIMIT_JMP_SEQ: the most branches that the verifier follows one after the other. */
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
	/* the same in bytes on newer kernels, which round each part up to 16 */
	uint32_t least;
	/* symbols of the programs where these two chains begin */
	const char *program, *nested;
	uint32_t functions; /* the most functions of a program, itself included */
	const char *widest; /* that program */
	/* the longest jump, including code that the verifier adds in place of calls */
	uint32_t jump;
	const char *longest; /* the function that has it */
	/* the most branches of a function and what it calls, callbacks left out */
	uint32_t branches;
};

/* Compute it for `object`; strings are in `a`. Functions that `object` only declares are looked up
 * in `linked`; if they are not there, they count as nothing. */
struct stack_depth stack_depth_of(struct arena *a, const struct stack_object *object,
				  const struct stack_object *linked);
