/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes instructions of x86 and arm64: length, jump target, return, and their effect on registers
 * and (x86) on the stack. The library for x86 (libZydis) is loaded at the first call.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* General registers, by their numbers in instructions: of x86, those below, then r10 to r15; of
 * arm64, x0 to x30, then sp. */
enum { INSN_REGS = 32, INSN_X86_REGS = 16, INSN_NO_REG = -1 };

enum insn_reg {
	INSN_RAX,
	INSN_RCX,
	INSN_RDX,
	INSN_RBX,
	INSN_RSP,
	INSN_RBP,
	INSN_RSI,
	INSN_RDI,
	INSN_R8,
	INSN_R9,
	INSN_R11 = 11,
	INSN_R12,
	INSN_R15 = 15,
};

/* Sets of registers, a bit for each: from one to another; and those of x86 that a call preserves
 * (System V ABI). */
#define INSN_SET(first, last) ((2u << (last)) - (1u << (first)))
#define INSN_PRESERVED (INSN_SET(INSN_RBX, INSN_RBP) | INSN_SET(INSN_R12, INSN_R15))
/* Those that a call does not preserve. */
uint32_t insn_clobbered(uint16_t machine);

enum { INSN_ENDBR_BYTES = 4 };

/* Does the code begin with endbr64? */
bool insn_is_endbr64(const uint8_t *code, size_t n);

struct insn {
	uint8_t length;
	bool is_stop;	 /* hlt, ud2, int3: nothing is executed after it */
	bool is_padding; /* nop, int3: may fill the space between functions */
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
/* May the next instruction be executed after this one? */
bool insn_goes_on(const struct insn *i);

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
	int32_t value;
	/* as in struct insn_effect, and what a called function may change; the stack pointer only
	 * if the kind is STACK_OTHER, and not for calls and returns */
	uint16_t writes;
	uint8_t kind; /* enum insn_stack_kind */
	int8_t reg, from;
};

/* What a valid instruction does to the stack, and where it leads. A call to the next instruction is
 * a push. Errors as insn_decode(). */
int insn_stack(uint16_t machine, const uint8_t *code, size_t n, struct insn *flow,
	       struct insn_stack *out);
