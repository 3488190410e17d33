/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an indirect jump leads: to a place in the function, through the table of a switch or by a
 * computed goto, or out of it, as a tail call.
 *
 * Both can be the same instruction, so this follows what the registers hold. Instructions are taken
 * in the order of their addresses, without regard to jumps between them: what computes the target
 * of a jump directly precedes it, and an address that is loaded far ahead is loaded once.
 */
#pragma once
#include "runtime/elf/insn.h"

enum jump_value {
	JUMP_VALUE_POINTER, /* from elsewhere: an argument, or read from an object */
	JUMP_VALUE_ADDRESS, /* a known address */
	JUMP_VALUE_ELEMENT, /* an element of an array of addresses, at `address` unless that is 0 */
	JUMP_VALUE_SUM,	    /* in code, the base of a table and a distance in it */
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

/* Follow the instruction at `address` of code for `machine`. */
void jump_regs_step(struct jump_regs *r, uint16_t machine, const struct insn_effect *e,
		    uint64_t address, bool is_call);
/* The target of the indirect jump there. */
struct jump_target jump_regs_target(const struct jump_regs *r, uint16_t machine,
				    const struct insn_effect *e, uint64_t address);
