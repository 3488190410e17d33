/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of a USDT probe: their locations when it fires, as the note in the file describes
 * them in assembler syntax: "-4@%edi 8@-24(%rbp) 4@$-1 8@[sp, 16]".
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct arena;

enum { USDT_ARGS = 12 }; /* a note can have */

enum usdt_machine {
	USDT_X86,
	USDT_ARM64,
#if defined(__aarch64__)
	USDT_HERE = USDT_ARM64,
#else
	USDT_HERE = USDT_X86,
#endif
};

enum usdt_kind {
	USDT_UNREADABLE, /* not an operand that a probe can read */
	USDT_CONSTANT,	 /* disp */
	USDT_SUM,	 /* base + index * scale + disp: a register, or an address */
	USDT_MEMORY,	 /* the memory at that address */
};

enum { USDT_NO_REG = 0xffff };

struct usdt_operand {
	enum usdt_kind kind;
	uint8_t size; /* bytes of the value: 1 2 4 8 */
	bool is_signed;
	uint8_t skip;	      /* the value begins at this byte of the register: %ah */
	uint8_t scale;	      /* of the index: 1 2 4 8 */
	uint16_t base, index; /* bytes in struct pt_regs, or USDT_NO_REG */
	int64_t disp;
	const char *symbol; /* the symbol whose address is added to disp; or NULL */
	const char *text;   /* as the note has it */
};

struct usdt_format {
	struct usdt_operand args[USDT_ARGS];
	uint32_t n;	  /* number of operands */
	uint32_t n_noted; /* number of arguments in the note; those beyond USDT_ARGS are not read */
};

/* Parse the operands of a note. Never fails: an operand that cannot be parsed is
 * USDT_UNREADABLE. */
void usdt_format_parse(struct arena *a, const char *text, enum usdt_machine m,
		       struct usdt_format *out);
/* Do both describe the same locations? */
bool usdt_operand_same(const struct usdt_operand *x, const struct usdt_operand *y);
bool usdt_format_same(const struct usdt_format *x, const struct usdt_format *y);
/* The program counter: symbols are addressed relative to it. */
uint16_t usdt_place_register(enum usdt_machine m);

/* The arguments of an attach point: those of a location are formats[target.format]. */
struct usdt_point {
	struct usdt_format *formats;
	uint32_t n_formats;
};
