/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the kernel does with the instruction that a uprobe replaces: of x86-64
 * (arch/x86/kernel/uprobes.c), and uprobe_place_…() of arm64, too.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfsym;

/* What this kernel does at a probe on a nop of several bytes. Linux 6.18 replaces the breakpoint on
 * a nop of 5 bytes by a call after the first hit: the cheapest probe there is. But a call writes
 * its return address below the stack pointer, where a function that calls nothing may keep values
 * (the red zone). Other kernels emulate or single-step such a nop. */
struct uprobe_nops {
	bool is_emulated;     /* a nop with an operand, in the form that the kernel itself uses */
	bool is_any_emulated; /* ... in any form */
	bool is_called;	      /* a nop of 5 bytes becomes a call */
	bool is_harmless;     /* a nop of 5 bytes can be probed anywhere, not only at an entry */
};

/* Ask the kernel: a child calls a function with such a nop, which it probes in itself alone, and
 * that keeps a value in the red zone. The first call takes about 10 ms, later ones nothing. Without
 * an answer all members are false. */
const struct uprobe_nops *uprobe_nops(void);
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

/* uprobe_place.c: whether a place may be probed at all, whoever chose it: an entry, an offset, a
 * line, an inlined function, a return, a USDT probe. */

/* Would a probe on the instruction at `offset` of an x86-64 file overwrite values of the program?
 * It would where this kernel replaces a nop of 5 bytes by a call, except at the entry of a function
 * or behind its endbr64, where nothing is in the red zone yet. *file is NULL at first; the file is
 * opened if that is needed, and the caller ends with uprobe_place_close(). */
bool uprobe_place_is_harmful(struct elfsym **file, const char *path, uint64_t offset,
			     const uint8_t *code, size_t n);
void uprobe_place_close(struct elfsym *file);
/* uprobe_insn_is_cheap() by this kernel, which is asked only if the instruction is a nop. */
bool uprobe_place_is_cheap(uint16_t machine, const uint8_t *code, size_t n);
/* uprobe_insn_is_misread() and uprobe_insn_suspect() for x86-64; on arm64, loads of vectors from a
 * distance to the instruction, and enum insn_arm64_refused. */
bool uprobe_place_is_misread(uint16_t machine, const uint8_t *code, size_t n);
uint8_t uprobe_place_suspect(uint16_t machine, const uint8_t *code, size_t n);
