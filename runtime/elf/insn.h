/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decoding of x86 instructions: length, jump target, return. The library (libZydis) is loaded at
 * the first call.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct insn {
	uint8_t length;
	bool is_return;
	bool is_jump;	   /* direct, conditional or not; to `target` */
	bool is_indirect;  /* jump (not call) through a register or memory */
	bool is_notrack;   /* ... whose target need not begin with endbr64 */
	bool is_table;	   /* ... apparently through a jump table */
	bool makes_target; /* adds, or reads from a table: may compute the target of a later jump */
	int64_t target;	   /* bytes from the start of the instruction */
};

/* Decode the instruction at the start of n bytes of code; `machine` is e_machine of the ELF header.
 * 0, -EINVAL (invalid instruction), -ENOSYS (no libZydis, or another machine). */
int insn_decode(uint16_t machine, const uint8_t *code, size_t n, struct insn *out);
