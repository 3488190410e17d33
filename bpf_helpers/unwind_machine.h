/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What the walk of user stacks (unwind.bpf.c) knows of the machine for which it is compiled: where
 * the kernel saves the registers, what a signal frame looks like, where a return address is. What
 * it knows of instructions is in unwind_x86.bpf.c and unwind_arm64.bpf.c.
 */
#pragma once

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#ifdef SONDE_TARGET_x86

struct pt_regs___unwind {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di, orig_ax, ip,
		flags, sp, ss;
	unsigned short cs; /* a whole word until 6.8 */
};

#define REGS_IP ip
#define REGS_SP sp
#define REGS_FP bp
#define REGS_MODE cs

enum {
	/* calls push the return address, below the CFA; frame pointers lead there, too */
	HAS_LINK = 0,
	MODE_MASK = 0xffff,
	MODE_64_BIT = 0x33,	/* __USER_CS */
	MODE_32_BIT = 0x23,	/* __USER32_CS */
	FP_UNIT = 1,		/* of unwind_rule.fp_offset */
	TRAMPOLINE_PUSHES = 24, /* bytes that the trampoline of return probes pushes, since 6.11 */
};

#define ADDRESS_BITS 64

/* The bytes of a word of the stack: 4 in 32-bit code (i386). CUT_WORD: a word, of the 8 bytes at
 * its address. */
#define WORD(w) ((w)->word)
#define CUT_WORD(w, bytes) ((bytes) & (w)->word_mask)

#else

struct pt_regs___unwind {
	unsigned long regs[31], sp, pc, pstate;
	unsigned long orig_x0;
};

#define REGS_IP pc
#define REGS_SP sp
#define REGS_FP regs[29]
#define REGS_MODE pstate

enum {
	/* Calls leave the return address in x30. A frame pointer leads to the saved x29 and x30,
	 * which can be anywhere in the frame, so it does not tell the caller's sp. */
	HAS_LINK = 1,
	MODE_MASK = 0x10, /* PSR_MODE32_BIT */
	MODE_64_BIT = 0,
	MODE_32_BIT = 0, /* 32-bit code is not walked */
	FP_UNIT = 8,
	TRAMPOLINE_PUSHES = 0,
};

/* The upper bits of a return address may be a signature (pointer authentication). Processes get
 * addresses of more than 48 bits only if they ask mmap() for them. */
#define ADDRESS_BITS 48
#define WORD(w) 8
#define CUT_WORD(w, bytes) (bytes)

#endif

#pragma clang attribute pop

/* The register of struct sonde_walk's extra_at, by its DWARF number. */
enum { EXTRA_REGISTER = HAS_LINK ? 30 : 3 };

/* Where vfork() has its return address: rdi, ecx. */
#define RETURN_REGISTER(w) (WORD(w) == 8 ? 5 : 2)

/* From the address that the kernel notes for a return probe to the sp after the return. */
#define RETURN_POPS(w) (HAS_LINK ? 0 : WORD(w))

/* A return address without its signature. */
#define CODE_ADDRESS(x) (ADDRESS_BITS < 64 ? (x) & ((1ull << (ADDRESS_BITS & 63)) - 1) : (x))
