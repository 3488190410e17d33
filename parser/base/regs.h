/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where struct pt_regs, the context of kprobe and uprobe programs, holds arguments and results, by
 * the calling conventions of the target. All offsets are in bytes
 * (arch/x86/include/uapi/asm/ptrace.h, arch/arm64/include/uapi/asm/ptrace.h of the kernel).
 */
#pragma once
#include "parser/base/prototype.h"
#include <stdint.h>

/* The place of an argument: an offset in struct pt_regs, or an offset from the stack pointer at the
 * function's entry. */
struct regs_place {
	bool is_on_stack;
	uint32_t offset;
};

/* The place of argument i of a function with that ABI, from 0. */
struct regs_place regs_argument(enum user_abi abi, unsigned i);
/* The register with the return value. */
uint32_t regs_return_offset(void);
/* The register that holds the goroutine (USER_ABI_GO), at entry and return. */
uint32_t regs_goroutine_offset(void);
/* The stack pointer; and the stack pointer after the return minus that at the entry. */
uint32_t regs_sp_offset(void);
uint64_t regs_return_sp_shift(void);
/* The flags that conditional jumps test. */
uint32_t regs_flags_offset(void);
/* The word that tells in which mode the processor was, the mask of its mode bits, and their value
 * in user mode. */
uint32_t regs_mode_offset(void);
uint64_t regs_mode_mask(void);
uint64_t regs_mode_user(void);
/* The register that holds the return address at a function's entry; -1: it is on the stack. */
int regs_link_offset(void);
