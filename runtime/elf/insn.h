/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machine instructions of x86: where one ends, where it jumps to, whether it returns. The library
 * that knows (libZydis) is loaded at the first question.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct insn {
	uint8_t length;
	bool is_return;
	bool is_jump;	  /* to `target`, bytes from the instruction's start; conditional or not */
	bool is_indirect; /* jump (not call) to a place computed or read */
	bool is_notrack;  /* ... which need not begin with endbr64 */
	bool is_table;	  /* ... and by a jump table, as far as the instruction tells */
	bool makes_place; /* adds, or reads from a table: a jump may follow that uses it */
	int64_t target;
};

/* Decode the instruction at code, of which n bytes are there; `machine` is e_machine of the ELF
 * header. 0, -EINVAL (none), -ENOSYS (no libZydis, or not a machine it knows). */
int insn_decode(uint16_t machine, const uint8_t *code, size_t n, struct insn *out);
