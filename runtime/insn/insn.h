/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes x86 instructions: length, jump target, return, and their effect on registers. The library
 * (libZydis) is loaded at the first call.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct insn {
	uint8_t length;
	bool is_return;
	bool is_call;
	bool is_jump;	  /* a direct jump, conditional or not, to `target` */
	int8_t condition; /* its condition: enum insn_condition */
	bool is_indirect; /* jump (not call) through a register or memory */
	/* ... with the prefix notrack: its target need not begin with endbr64 */
	bool is_notrack;
	int64_t target; /* bytes from the start of the instruction */
};

/* 1 to 16: the condition code plus 1, as in the low four bits of a jcc's opcode. */
enum insn_condition { CONDITION_NONE, CONDITION_LAST = 16, CONDITION_COUNTER = -1 };

/* Decode the instruction at the start of n bytes of code; `machine` is e_machine of the ELF header.
 * 0, -EINVAL (invalid instruction), -ENOSYS (no libZydis), -EOPNOTSUPP (another
 * machine). */
int insn_decode(uint16_t machine, const uint8_t *code, size_t n, struct insn *out);

enum { INSN_REGS = 16, INSN_NO_REG = -1 }; /* rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, … */

struct insn_memory {
	int8_t base, index; /* INSN_NO_REG: none */
	uint8_t scale;
	bool is_relative; /* disp counts from the start of the instruction */
	int64_t disp;
};

/* The origin of a value that an instruction writes to `reg`, or that an indirect jump goes to. */
enum insn_value {
	VALUE_OTHER,
	VALUE_REG,     /* register `from` */
	VALUE_LOAD,    /* read from `memory` */
	VALUE_ADDRESS, /* the address of `memory` */
	VALUE_SUM,     /* a sum of two values that are not constant */
	VALUE_RESULT,  /* other arithmetic */
};

struct insn_effect {
	uint8_t length;
	/* It changes only data registers and flags, and the next instruction follows. It may read
	 * memory. */
	bool is_plain;
	uint16_t writes; /* the registers that it writes; bit 0 is register 0 */
	int8_t reg;	 /* the register that gets `value`, or INSN_NO_REG */
	int8_t from;
	enum insn_value value;
	struct insn_memory memory;
};

/* What a valid instruction does to the general registers. Errors as insn_decode(). */
int insn_effect(uint16_t machine, const uint8_t *code, size_t n, struct insn_effect *out);
