/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes instructions of x86 and arm64: length, jump target, return, and their effect on registers
 * and (x86) on the stack. The library for x86 (libZydis) is loaded at the first call.
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
	int64_t target; /* of a direct jump or call: bytes from the start of the instruction */
};

/* 1 to 16: the condition code plus 1, as in the low four bits of a jcc's opcode. */
enum insn_condition { CONDITION_NONE, CONDITION_LAST = 16, CONDITION_COUNTER = -1 };

/* Decode the instruction at the start of n bytes of code; `machine` is e_machine of the ELF header.
 * 0, -EINVAL (invalid instruction), -ENOSYS (no libZydis), -EOPNOTSUPP (another
 * machine). */
int insn_decode(uint16_t machine, const uint8_t *code, size_t n, struct insn *out);

/* x86: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, …; arm64: x0, …, x30, sp */
enum { INSN_REGS = 32, INSN_X86_REGS = 16, INSN_NO_REG = -1 };

struct insn_memory {
	int8_t base, index; /* INSN_NO_REG: none */
	uint8_t scale;
	bool is_relative; /* disp counts from the start of the instruction */
	bool is_page;	  /* ... from that of its page of 4096 bytes */
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
	/* It only computes with integers in registers, so it cannot fault. */
	bool is_safe;
	uint32_t writes; /* the registers that it writes; bit 0 is register 0 */
	int8_t reg;	 /* the register that gets `value`, or INSN_NO_REG */
	int8_t from;
	enum insn_value value;
	struct insn_memory memory;
};

/* The stack pointer as a bit of `writes`. */
uint32_t insn_stack_pointer(uint16_t machine);
/* What a valid instruction does to the general registers. Errors as insn_decode(). */
int insn_effect(uint16_t machine, const uint8_t *code, size_t n, struct insn_effect *out);

/* What an instruction does to the stack pointer, to its copies, and to words of the stack. */
enum insn_stack_kind {
	STACK_OTHER, /* none of the following: it may change the registers `writes` */
	STACK_PUSH,  /* a word: register `from`, or something else (INSN_NO_REG) */
	STACK_POP,   /* a word: to `reg`, or to memory (INSN_NO_REG) */
	STACK_SUM,   /* reg = from + value */
	STACK_LOAD,  /* reg = the word at register `from` + value */
	STACK_STORE, /* the word at register `reg` + value = from */
	STACK_LEAVE,
};

struct insn_stack {
	struct insn flow;
	bool is_end;	 /* hlt, ud2, int3: nothing is executed after it */
	bool is_padding; /* nop, int3: may fill the space between functions */
	enum insn_stack_kind kind;
	int8_t reg, from;
	int64_t value;
	/* as in struct insn_effect; the stack pointer only if the kind is STACK_OTHER, and not for
	 * calls and returns */
	uint16_t writes;
};

/* What a valid instruction does to the stack. Errors as insn_decode(). */
int insn_stack(uint16_t machine, const uint8_t *code, size_t n, struct insn_stack *out);
