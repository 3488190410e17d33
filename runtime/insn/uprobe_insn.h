/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel does with the instruction of x86-64 that a uprobe replaces
 * (arch/x86/kernel/uprobes.c).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct uprobe_nops;

/* Does the kernel emulate the instruction at `code`, or replace it by a call? It single-steps most
 * others, on a copy at another address. `nops`: what it does at nops of several bytes. */
bool uprobe_insn_is_cheap(const uint8_t *code, size_t n, const struct uprobe_nops *nops);
/* Does that depend on the kernel? A nop with an operand. */
bool uprobe_insn_is_long_nop(const uint8_t *code, size_t n);
/* Is it a nop of 5 bytes, in any form? Linux 6.18 replaces all by a call, which writes below the
 * stack pointer. */
bool uprobe_insn_is_nop5(const uint8_t *code, size_t n);
/* Does the kernel refuse to probe it, or take it for another one? That is so for many with a VEX or
 * EVEX prefix (AVX), since it looks at their opcodes without the prefix: `vxorps` would be emulated
 * as a push, `vpbroadcastb` as a jump, and after `vcmpps` the program would continue at a wrong
 * address. `xchg %r8, %rax` is taken for a nop. Linux 6.18 still does so. */
bool uprobe_insn_is_misread(const uint8_t *code, size_t n);
/* The byte, a prefix or an opcode, for which the kernel may refuse to probe the instruction; 0 if
 * there is none. The kernel refuses either all instructions with such a byte, or none. */
uint8_t uprobe_insn_suspect(const uint8_t *code, size_t n);
