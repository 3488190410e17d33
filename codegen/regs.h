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
/* The stack pointer, and by how much it is above that of the entry when the function has
 * returned. */
uint32_t regs_sp_offset(void);
uint64_t regs_return_sp_shift(void);
/* The register that has the address to return to, at a function's entry; -1: it is on the stack. */
int regs_link_offset(void);
/* Where argument i is from the stack pointer at a function's entry; -1: in a register, at
 * regs_arg_beyond. */
int regs_arg_on_stack(unsigned i);
uint32_t regs_arg_beyond(unsigned i);
