/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On which instruction of a function of x86-64 can an entry probe be put, so that the kernel need
 * not single-step it?
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the programs of the probe read. */
struct entry_reads {
	bool stacks;	/* ustack */
	bool args;	/* arguments, in registers */
	bool registers; /* reg(), uaddr(): any register, the instruction pointer too */
};

enum entry_verdict {
	ENTRY_CHEAP,	 /* on its first instruction */
	ENTRY_BEHIND,	 /* on a later one */
	ENTRY_STEPPED,	 /* no other one, as for all that follow: none is cheap */
	ENTRY_REGISTERS, /* the script reads registers */
	ENTRY_STEPPED_GO,
	ENTRY_STACK,	/* the cheap one does not push the frame pointer */
	ENTRY_NO_SIZE,	/* the size of the function is unknown */
	ENTRY_TOO_LONG, /* it is too long to be searched for jumps */
	ENTRY_TABLE,	/* it jumps to computed addresses */
	ENTRY_TARGET,	/* something jumps behind its entry */
	ENTRY_UNKNOWN,	/* only libZydis could tell */
	ENTRY_COUNT,
};

/* Judge one function by its first `n` bytes of `size`. ENTRY_BEHIND: *shift is the distance of the
 * instruction from the entry. Jumps from elsewhere are not considered. */
enum entry_verdict entry_judge(const struct entry_reads *reads, const uint8_t *code, size_t n,
			       uint64_t size, uint8_t *shift);
