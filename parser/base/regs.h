/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where struct pt_regs, the context of kprobe and uprobe programs, holds arguments and results, by
 * the calling conventions of the target. All offsets are in bytes
 * (arch/x86/include/uapi/asm/ptrace.h, arch/arm64/include/uapi/asm/ptrace.h of the kernel).
 */
#pragma once
#include "parser/base/prototype.h"

/* The place of an argument: an offset in struct pt_regs, or an offset from the stack pointer at the
 * function's entry. */
struct regs_place {
	bool is_on_stack;
	uint32_t offset;
};

/* The place of argument i of a function with that ABI, from 0. */
struct regs_place regs_argument(enum user_abi abi, unsigned i);
/* The offset of the register with word i of the results of such a function. */
uint32_t regs_result(enum user_abi abi, unsigned i);
/* The offset of the register with that number in DWARF; -1: it is not in struct pt_regs. */
int regs_of_dwarf(unsigned number);
/* The offsets of registers. */
extern const struct regs {
	uint32_t result, second; /* the return value, and the second word of a longer one */
	uint32_t goroutine;	 /* at entry and return of functions of Go: USER_ABI_GO */
	uint32_t sp;		 /* the stack pointer */
	uint64_t sp_shift;	 /* what it is after the return minus that at the entry */
	uint32_t flags;		 /* that conditional jumps test */
	/* The word that tells in which mode the processor was, the mask of its mode bits, and their
	 * value in user mode. */
	uint32_t mode;
	uint64_t mode_mask, mode_user;
	int link; /* the return address at a function's entry; -1: it is on the stack */
} regs;
