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
const struct regs regs = {
	.result = 80,
	.second = 96,
	.goroutine = 8, /* r14 */
	.sp = 152,
	.sp_shift = 8, /* `ret` has popped the return address */
	.flags = 144,
	.mode = 136, /* cs: the privilege level */
	.mode_mask = 3,
	.mode_user = 3,
	.link = -1,
};
/* ax dx cx bx si di bp sp r8 … r15 */
static const uint8_t dwarf_offsets[] = {80, 96, 88, 40, 104, 112, 32, 152,
					72, 64, 56, 48, 24,  16,  8,  0};
#elif defined(__aarch64__)
static const struct convention conventions[] = {
	[USER_ABI_C] = {{0, 8, 16, 24, 32, 40, 48, 56}, 8, 0},
	[USER_ABI_GO] = {{0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120}, 16, 8},
	[USER_ABI_GO_STACK] = {{0}, 0, 8}, /* above the word for the link register */
	[USER_ABI_GO_UNKNOWN] = {{0}, 0, 8},
};
const struct regs regs = {
	.result = 0,
	.second = 8,
	.goroutine = 224, /* x28 */
	.sp = 248,	  /* after x0 … x30 */
	.sp_shift = 0,	  /* the return address is in a register */
	.flags = 264,	  /* pstate */
	.mode = 264,	  /* pstate: the exception level, 0 for EL0 */
	.mode_mask = 0xf & ~0x3,
	.mode_user = 0,
	.link = 240,
};
/* x0 … x30, sp */
static const uint8_t dwarf_offsets[] = {0,   8,	  16,  24,  32,	 40,  48,  56,	64,  72,  80,
					88,  96,  104, 112, 120, 128, 136, 144, 152, 160, 168,
					176, 184, 192, 200, 208, 216, 224, 232, 240, 248};
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

uint32_t regs_result(enum user_abi abi, unsigned i)
{
	if (abi != USER_ABI_C)
		return regs_argument(abi, i).offset;
	return i ? regs.second : regs.result;
}

int regs_of_dwarf(unsigned number)
{
	return number < sizeof(dwarf_offsets) ? dwarf_offsets[number] : -1;
}
