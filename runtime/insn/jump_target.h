/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an indirect jump leads: to a place in the function, through the table of a switch or by a
 * computed goto, or out of it, as a tail call.
 *
 * The same instruction can be used for both, so this module follows the values of registers. It
 * processes instructions in the order of their addresses and ignores jumps between them. This works
 * because the instructions that compute the target directly precede a jump, and an address that is
 * loaded far ahead is loaded once.
 */
#pragma once
#include "runtime/insn/insn.h"

enum jump_value {
	JUMP_VALUE_POINTER, /* an unknown pointer: an argument, or read from an object */
	JUMP_VALUE_ADDRESS, /* a known address */
	JUMP_VALUE_ELEMENT, /* an element of an array of addresses, at `address` unless that is 0 */
	/* the base of a table in code plus a distance that is read from it */
	JUMP_VALUE_SUM,
	JUMP_VALUE_UNCLEAR,
};

struct jump_target {
	enum jump_value value;
	uint64_t address;
};

/* What the registers hold at an instruction. Zero at a function's entry. */
struct jump_regs {
	struct jump_target reg[INSN_REGS];
};

/* Update the registers for the instruction at `address` of code for `machine`. */
void jump_regs_step(struct jump_regs *r, uint16_t machine, const struct insn_effect *e,
		    uint64_t address, bool is_call);
/* The target of the indirect jump at that address. */
struct jump_target jump_regs_target(const struct jump_regs *r, uint16_t machine,
				    const struct insn_effect *e, uint64_t address);
