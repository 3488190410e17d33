/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which instructions uprobes emulate or misread: see uprobe_insn.h.
 */
#include "runtime/elf/uprobe_insn.h"

/* push, nop, jumps and calls */
bool uprobe_insn_is_cheap(const uint8_t *c, size_t n)
{
	if (n < 2)
		return false;
	if ((c[0] & 0xf8) == 0x50 || (c[0] == 0x41 && (c[1] & 0xf8) == 0x50))
		return true;
	return c[0] == 0x90 || c[0] == 0xe8 || c[0] == 0xe9 || c[0] == 0xeb ||
	       (c[0] & 0xf0) == 0x70 || (c[0] == 0x0f && (c[1] & 0xf0) == 0x80);
}

/* The opcode behind a VEX or EVEX prefix; or -1. */
static int vector_opcode(const uint8_t *c, size_t n)
{
	size_t at = !n ? 0 : c[0] == 0xc5 ? 2 : c[0] == 0xc4 ? 3 : c[0] == 0x62 ? 4 : 0;

	return at && at < n ? c[at] : -1;
}

/* As opcodes without a prefix these are emulated, or are refused, or change the instruction pointer
 * or the flags. */
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
