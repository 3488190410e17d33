/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel does with the instruction of x86-64 that a uprobe replaces
 * (arch/x86/kernel/uprobes.c).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does the kernel emulate the instruction at `code`? It single-steps most others, outside of their
 * place. */
bool uprobe_insn_is_cheap(const uint8_t *code, size_t n);
/* Does the kernel refuse to probe it, or take it for another one? That is so for many with a VEX or
 * EVEX prefix (AVX), since it looks at their opcodes without the prefix: `vxorps` would be emulated
 * as a push, `vpbroadcastb` as a jump, and behind `vcmpps` the program would go astray. Linux 6.18
 * still does so. */
bool uprobe_insn_is_misread(const uint8_t *code, size_t n);
/* The byte for which the kernel may refuse to probe the instruction, a prefix or an opcode; 0 if
 * there is none. It refuses all instructions with one such byte, or none. */
uint8_t uprobe_insn_suspect(const uint8_t *code, size_t n);
