/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where struct pt_regs, the context of kprobe and uprobe programs, holds arguments and results:
 * the target's calling conventions. Offsets in bytes (arch/.../include/uapi/asm/ptrace.h).
 */
#pragma once
#include "parser/lang/kernel.h"
#include <stdint.h>

/* The place of an argument: an offset in the registers, or from the stack pointer at the function's
 * entry. */
struct regs_place {
	bool is_on_stack;
	uint32_t offset;
};

struct regs_place regs_argument(enum user_abi abi, unsigned i);
uint32_t regs_return_offset(void);
/* USER_ABI_GO: the register that holds the goroutine, at entry and return. */
uint32_t regs_goroutine_offset(void);
/* The stack pointer, and its difference after the return to its value at the entry. */
uint32_t regs_sp_offset(void);
uint64_t regs_return_sp_shift(void);
/* The flags that conditional jumps test. */
uint32_t regs_flags_offset(void);
/* The word that says in which mode the processor was, its bits, and their value in user mode. */
uint32_t regs_mode_offset(void);
uint64_t regs_mode_mask(void);
uint64_t regs_mode_user(void);
/* The register that holds the return address at a function's entry; -1: it is on the stack. */
int regs_link_offset(void);
