/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * System calls at the raw tracepoints sys_enter and sys_exit: number and arguments from the saved
 * registers, by the target's calling convention. libbpf's PT_REGS_PARM6_SYSCALL is newer than
 * libbpf 1.1, so the registers are read here.
 */
#include "bpf_helpers/helpers.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
#ifdef SONDE_TARGET_x86
struct pt_regs {
	unsigned long r11, r10, r9, r8, cx, dx, si, di, orig_ax, ip, flags;
};
#else
struct pt_regs {
	uint64_t regs[31];
	uint64_t pc;
	uint64_t pstate;
	uint64_t orig_x0;
	uint32_t syscallno; /* libbpf adapts unsigned members */
};
#endif
#pragma clang attribute pop

INLINE_CORE uint64_t sonde_syscall_number(struct pt_regs *regs)
{
#ifdef SONDE_TARGET_x86
	return regs->orig_ax;
#else
	return (uint64_t)(int64_t)(int32_t)regs->syscallno;
#endif
}

INLINE_CORE uint64_t sonde_syscall_arg(struct pt_regs *regs, uint32_t i)
{
#ifdef SONDE_TARGET_x86
	switch (i) {
	case 0: return regs->di;
	case 1: return regs->si;
	case 2: return regs->dx;
	case 3: return regs->r10;
	case 4: return regs->r8;
	default: return regs->r9;
	}
#else
	switch (i) {
	case 0: return regs->orig_x0;
	case 1: return regs->regs[1];
	case 2: return regs->regs[2];
	case 3: return regs->regs[3];
	case 4: return regs->regs[4];
	default: return regs->regs[5];
	}
#endif
}

enum {
	X86_TS_COMPAT = 2,
	ARM64_TIF_32BIT = 22,
	ARM64_PSTATE_32BIT = 0x10,
};

/* Is this a 32-bit program's system call on a 64-bit kernel? Its number is from another table. */
INLINE_CORE uint32_t sonde_syscall_is_compat(struct task_struct *task)
{
#ifdef SONDE_TARGET_x86
	return (task->thread_info.status & X86_TS_COMPAT) != 0;
#else
	return task->thread_info.flags >> ARM64_TIF_32BIT & 1;
#endif
}

/* Is this a system call of the native table, of a thread that is traced? */
INLINE uint32_t sonde_syscall_traced(struct task_struct *task)
{
	return !sonde_syscall_is_compat(task) && sonde_scope_current(task);
}

static INLINE uint32_t is_tracer(uint64_t ip)
{
	return ip - sonde_config.own_image.start < sonde_config.own_image.bytes ||
	       ip - sonde_config.own_libraries.start < sonde_config.own_libraries.bytes;
}

/* Do the saved registers alone prove that the call is from a 64-bit program, and not from the
 * tracer? Then the current thread need not be looked up, which is a kernel function call that costs
 * as much as the rest of a counting program. On x86-64, the instruction `syscall` copies the return
 * address to rcx and the flags to r11; `int 0x80` does not. arm64 saves the processor's mode. The
 * tracer makes its calls from its own code. If the registers do not prove it, the caller checks the
 * thread. */
INLINE_CORE uint32_t sonde_syscall_is_plain(struct pt_regs *regs)
{
#ifdef SONDE_TARGET_x86
	return sonde_config.scope == SONDE_SCOPE_ALL && regs->cx == regs->ip &&
	       regs->r11 == regs->flags && !is_tracer(regs->ip);
#else
	return sonde_config.scope == SONDE_SCOPE_ALL && !(regs->pstate & ARM64_PSTATE_32BIT) &&
	       !is_tracer(regs->pc);
#endif
}

/* The index of a system call in a table, masked so that the verifier sees the bound. */
INLINE uint64_t sonde_syscall_index(uint64_t number)
{
	barrier_var(number);
	return number & (SONDE_SYSCALLS - 1);
}
