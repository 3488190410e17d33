/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which instructions uprobes emulate or misread: see uprobe_insn.h.
 */
#include "runtime/insn/uprobe_insn.h"
#include <string.h>

enum { NOP5_BYTES = 5, NOP_BYTES = 8 };

/* Prefixes that are allowed: sizes, repetition, fs and gs. */
static bool is_prefix(uint8_t c)
{
	return c == 0x66 || c == 0x67 || c == 0xf2 || c == 0xf3 || c == 0x64 || c == 0x65;
}

/* Prefixes that are refused: segments except for fs and gs, and lock. */
static bool is_refused_prefix(uint8_t c)
{
	return c == 0x26 || c == 0x2e || c == 0x36 || c == 0x3e || c == 0xf0;
}

static size_t skip_prefixes(const uint8_t *c, size_t n)
{
	size_t i = 0;

	while (i < n && is_prefix(c[i]))
		i++;
	return i;
}

/* The length of the opcode 0x90 with its prefixes, which the kernel takes for a nop; 0: it is
 * another instruction. */
static size_t short_nop(const uint8_t *c, size_t n)
{
	size_t i = skip_prefixes(c, n);

	i += i < n && (c[i] & 0xf0) == 0x40; /* REX */
	return i < n && c[i] == 0x90 ? i + 1 : 0;
}

/* The length of a nop with an operand, 0f 1f; 0: it is another instruction. */
static size_t long_nop(const uint8_t *c, size_t n)
{
	uint8_t mode, base;
	size_t i = 0;

	while (i < n && (is_prefix(c[i]) || is_refused_prefix(c[i]))) /* refused before 7.0 */
		i++;
	i += i < n && (c[i] & 0xf0) == 0x40;
	if (i + 3 > n || c[i] != 0x0f || c[i + 1] != 0x1f)
		return 0;
	mode = c[i + 2] >> 6;
	base = c[i + 2] & 7;
	i += 3;
	if (mode != 3 && base == 4) /* a SIB byte */
		base = i < n ? c[i++] & 7 : 0;
	return i + (mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0);
}

bool uprobe_insn_is_nop5(const uint8_t *c, size_t n)
{
	return short_nop(c, n) == NOP5_BYTES || long_nop(c, n) == NOP5_BYTES;
}

bool uprobe_insn_is_long_nop(const uint8_t *c, size_t n)
{
	return long_nop(c, n);
}

/* Is it a nop in the form that the kernel uses? Since 6.18 it emulates these. */
static bool is_usual_nop(const uint8_t *c, size_t n)
{
	static const struct {
		uint8_t n, code[NOP_BYTES];
	} nops[] = {
		{3, {0x0f, 0x1f, 0x00}},       {4, {0x0f, 0x1f, 0x40}}, {5, {0x0f, 0x1f, 0x44}},
		{6, {0x66, 0x0f, 0x1f, 0x44}}, {7, {0x0f, 0x1f, 0x80}}, {8, {0x0f, 0x1f, 0x84}},
	};

	for (size_t i = 0; i < sizeof(nops) / sizeof(*nops); i++)
		if (n >= nops[i].n && memcmp(c, nops[i].code, nops[i].n) == 0)
			return true;
	return false;
}

/* xchg %r8, %rax, which the kernel takes for a nop: the opcode 0x90 with REX.B */
static bool is_exchange(const uint8_t *c, size_t n)
{
	size_t length = short_nop(c, n);

	return length > 1 && (c[length - 2] & 0xf1) == 0x41;
}

/* Cheap instructions are push, nop, jumps and calls. */
bool uprobe_insn_is_cheap(const uint8_t *c, size_t n, const struct uprobe_nops *nops)
{
	if (n < 2)
		return false;
	if (long_nop(c, n))
		return nops->is_any_emulated || (nops->is_emulated && is_usual_nop(c, n)) ||
		       (nops->is_called && uprobe_insn_is_nop5(c, n));
	if ((c[0] & 0xf8) == 0x50 || (c[0] == 0x41 && (c[1] & 0xf8) == 0x50))
		return true;
	return (short_nop(c, n) && !is_exchange(c, n)) || c[0] == 0xe8 || c[0] == 0xe9 ||
	       c[0] == 0xeb || (c[0] & 0xf0) == 0x70 || (c[0] == 0x0f && (c[1] & 0xf0) == 0x80);
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

	if (is_exchange(c, n))
		return true;
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
	size_t i = skip_prefixes(c, n);

	if (i < n && is_refused_prefix(c[i]))
		return c[i];
	if (i < n && (c[i] & 0xf0) == 0x40) /* REX */
		i++;
	return i < n && is_refused_opcode(c[i]) ? c[i] : 0;
}
