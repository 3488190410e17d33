/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which instructions uprobes emulate or misread: see uprobe_insn.h.
 */
#include "runtime/insn/uprobe_insn.h"

/* Cheap instructions are push, nop, jumps and calls. */
bool uprobe_insn_is_cheap(const uint8_t *c, size_t n)
{
	if (n < 2)
		return false;
	if ((c[0] & 0xf8) == 0x50 || (c[0] == 0x41 && (c[1] & 0xf8) == 0x50))
		return true;
	return c[0] == 0x90 || c[0] == 0xe8 || c[0] == 0xe9 || c[0] == 0xeb ||
	       (c[0] & 0xf0) == 0x70 || (c[0] == 0x0f && (c[1] & 0xf0) == 0x80);
}

/* The opcode after a VEX or EVEX prefix; or -1. */
static int vector_opcode(const uint8_t *c, size_t n)
{
	size_t at = !n ? 0 : c[0] == 0xc5 ? 2 : c[0] == 0xc4 ? 3 : c[0] == 0x62 ? 4 : 0;

	return at && at < n ? c[at] : -1;
}

/* Opcodes after a VEX or EVEX prefix that have another meaning without it: there they are emulated,
 * or refused, or change the instruction pointer or the flags. */
bool uprobe_insn_is_misread(const uint8_t *c, size_t n)
{
	int opcode = vector_opcode(c, n);

	switch (opcode) {
	case 0x0f:
	case 0x60 ... 0x62:
	case 0x6c ... 0x6f: /* ins, outs */
	case 0x90:
	case 0x9a: /* a far call */
	case 0x9d: /* popf */
	case 0xc2: /* returns */
	case 0xc3:
	case 0xca ... 0xcf:
	case 0xd4 ... 0xd6:
	case 0xe0 ... 0xef: /* loops, in, out, calls and jumps */
	case 0xf0 ... 0xf5:
	case 0xfa ... 0xff: return true;
	default: return opcode >= 0 && ((opcode & 0xf8) == 0x50 || (opcode & 0xf0) == 0x70);
	}
}

/* Prefixes that are refused: segments except for fs and gs, and lock. */
static bool is_refused_prefix(uint8_t c)
{
	return c == 0x26 || c == 0x2e || c == 0x36 || c == 0x3e || c == 0xf0;
}

/* Prefixes that are allowed: sizes, repetition, fs and gs. */
static bool is_prefix(uint8_t c)
{
	return c == 0x66 || c == 0x67 || c == 0xf2 || c == 0xf3 || c == 0x64 || c == 0x65;
}

/* Opcodes that are refused: of privileged instructions, ins and outs, far calls and jumps,
 * interrupts, and those that do not exist in 64-bit mode. Measured on Linux 6.18, which accepts all
 * opcodes of two bytes. */
static bool is_refused_opcode(uint8_t c)
{
	switch (c) {
	case 0x06 ... 0x07:
	case 0x0e:
	case 0x16 ... 0x17:
	case 0x1e ... 0x1f:
	case 0x27:
	case 0x2f:
	case 0x37:
	case 0x3f:
	case 0x60 ... 0x61:
	case 0x6c ... 0x6f:
	case 0x82:
	case 0x9a:
	case 0xcc ... 0xcf:
	case 0xd4:
	case 0xd6:
	case 0xe4 ... 0xe7:
	case 0xea:
	case 0xec ... 0xef:
	case 0xf1:
	case 0xf4:
	case 0xfa ... 0xfb: return true;
	default: return false;
	}
}

uint8_t uprobe_insn_suspect(const uint8_t *c, size_t n)
{
	size_t i = 0;

	while (i < n && is_prefix(c[i]))
		i++;
	if (i < n && is_refused_prefix(c[i]))
		return c[i];
	if (i < n && (c[i] & 0xf0) == 0x40) /* REX */
		i++;
	return i < n && is_refused_opcode(c[i]) ? c[i] : 0;
}
