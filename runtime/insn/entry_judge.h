/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On which instruction of an x86-64 function can an entry probe be put, so that the kernel need not
 * single-step the instruction?
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uprobe_nops;

/* What the programs of the probe read: it must not differ at the place of the probe. */
struct entry_reads {
	bool stacks;	/* ustack, by the kernel's walk */
	bool args;	/* arguments, in registers */
	bool registers; /* reg(), uaddr(): any register, the instruction pointer too */
};

enum entry_verdict {
	ENTRY_CHEAP,  /* the first instruction is cheap: the probe stays there */
	ENTRY_BEHIND, /* the probe moves to a later instruction */
	/* no instruction is cheap: it stays, as for all verdicts that follow */
	ENTRY_STEPPED,
	ENTRY_REGISTERS, /* the script reads registers */
	ENTRY_STEPPED_GO,
	/* the script reads stacks, and the cheap instruction does not push the frame pointer */
	ENTRY_STACK,
	ENTRY_NO_SIZE,	/* the size of the function is unknown */
	ENTRY_TOO_LONG, /* the function is too long to be searched for jumps */
	ENTRY_TABLE,	/* the function jumps to computed addresses */
	ENTRY_TARGET,	/* something jumps to a place after the entry */
	ENTRY_UNKNOWN,	/* only libZydis could tell */
	ENTRY_COUNT,
};

/* Judge one function by its first `n` bytes of `size`. If the result is ENTRY_BEHIND, *shift is the
 * distance of the instruction from the entry. Jumps from other functions are not considered. A nop
 * of 5 bytes is chosen only at the entry or behind its endbr64: see uprobe_insn.h. */
enum entry_verdict entry_judge(const struct entry_reads *reads, const struct uprobe_nops *nops,
			       const uint8_t *code, size_t n, uint64_t size, uint8_t *shift);
/* Is there a nop of several bytes at the entry, or behind its endbr64? Else the kernel need not be
 * asked about nops. */
bool entry_has_nop(const uint8_t *code, size_t n);
