/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Register offsets of the architecture that sonde is built for.
 */
#include "parser/base/regs.h"
#include <asm/ptrace.h>
#include <stddef.h>

enum { REGISTERS = 16 };

/* A calling convention: the registers of the first arguments; the others are on the stack, from
 * `stack` bytes above the stack pointer on. */
struct convention {
	uint32_t registers[REGISTERS];
	uint32_t n, stack;
};

#if defined(__x86_64__)
static const struct convention conventions[] = {
	/* di si dx cx r8 r9; above the return address */
	[USER_ABI_C] = {{112, 104, 96, 88, 72, 64}, 6, 8},
	/* ax bx cx di si r8 r9 r10 r11 */
	[USER_ABI_GO] = {{80, 40, 88, 112, 104, 72, 64, 56, 48}, 9, 8},
	[USER_ABI_GO_STACK] = {{0}, 0, 8},
	[USER_ABI_GO_UNKNOWN] = {{0}, 0, 8}, /* reported by the checks */
};
static const uint32_t result = 80;
static const uint32_t goroutine = 8; /* r14 */
static const uint32_t sp = 152;
static const uint32_t flags = 144;
static const uint32_t mode = 136; /* cs: the privilege level */
static const uint64_t mode_mask = 3, mode_user = 3;
static const uint64_t sp_shift = 8; /* `ret` has popped the return address */
static const int link = -1;
#elif defined(__aarch64__)
static const struct convention conventions[] = {
	[USER_ABI_C] = {{0, 8, 16, 24, 32, 40, 48, 56}, 8, 0},
	[USER_ABI_GO] = {{0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120}, 16, 8},
	[USER_ABI_GO_STACK] = {{0}, 0, 8}, /* above the word for the link register */
	[USER_ABI_GO_UNKNOWN] = {{0}, 0, 8},
};
static const uint32_t result = 0;
static const uint32_t goroutine = 224; /* x28 */
static const uint32_t sp = 248;	       /* after x0 … x30 */
static const uint32_t flags = 264;     /* pstate */
static const uint32_t mode = 264;      /* pstate: the exception level, 0 for EL0 */
static const uint64_t mode_mask = 0xf & ~0x3, mode_user = 0;
static const uint64_t sp_shift = 0; /* the return address is in a register */
static const int link = 240;

_Static_assert(offsetof(struct user_pt_regs, regs[15]) == 120, "x15");
_Static_assert(offsetof(struct user_pt_regs, regs[28]) == 224, "x28");
_Static_assert(offsetof(struct user_pt_regs, regs[30]) == 240, "x30, the link register");
_Static_assert(offsetof(struct user_pt_regs, sp) == 248, "sp");
_Static_assert(offsetof(struct user_pt_regs, pstate) == 264, "pstate");
#else
#error "sonde knows the registers of x86-64 and arm64 only: add a row here and in bpf_helpers/"
#endif

_Static_assert(sizeof(conventions) / sizeof(*conventions) == USER_ABI_COUNT, "a row for each");

struct regs_place regs_argument(enum user_abi abi, unsigned i)
{
	const struct convention *c = &conventions[abi];

	if (i < c->n)
		return (struct regs_place){.offset = c->registers[i]};
	return (struct regs_place){.is_on_stack = true, .offset = c->stack + 8 * (i - c->n)};
}

uint32_t regs_return_offset(void)
{
	return result;
}

uint32_t regs_goroutine_offset(void)
{
	return goroutine;
}

uint32_t regs_sp_offset(void)
{
	return sp;
}

uint64_t regs_return_sp_shift(void)
{
	return sp_shift;
}

uint32_t regs_flags_offset(void)
{
	return flags;
}

int regs_link_offset(void)
{
	return link;
}

uint32_t regs_mode_offset(void)
{
	return mode;
}

uint64_t regs_mode_mask(void)
{
	return mode_mask;
}

uint64_t regs_mode_user(void)
{
	return mode_user;
}
