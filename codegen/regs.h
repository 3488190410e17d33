/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where struct pt_regs, the context of kprobe and uprobe programs, holds arguments and results:
 * the target's calling convention. Offsets in bytes (arch/.../include/uapi/asm/ptrace.h).
 */
#pragma once
#include <stdint.h>

enum { REGS_ARGS = 6 };

uint32_t regs_arg_offset(unsigned i);
uint32_t regs_return_offset(void);
/* The stack pointer, and its difference after the return to its value at the entry. */
uint32_t regs_sp_offset(void);
uint64_t regs_return_sp_shift(void);
/* The flags that conditional jumps test. */
uint32_t regs_flags_offset(void);
/* The register that holds the return address at a function's entry; -1: it is on the stack. */
int regs_link_offset(void);
/* The offset of argument i from the stack pointer at a function's entry; -1: it is in a register,
 * at regs_arg_beyond(). */
int regs_arg_on_stack(unsigned i);
uint32_t regs_arg_beyond(unsigned i);
