/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Register offsets of the architecture that sonde is built for.
 */
#include "codegen/regs.h"

#if defined(__x86_64__)
/* di si dx cx r8 r9; ax */
static const uint32_t args[REGS_ARGS] = {112, 104, 96, 88, 72, 64};
static const uint32_t result = 80;
static const uint32_t sp = 152;
static const uint32_t flags = 144;
static const uint64_t sp_shift = 8; /* `ret` has popped the return address */
static const int link = -1;
enum { FIRST_ON_STACK = 6, STACK_START = 8 }; /* above the return address */
#elif defined(__aarch64__)
/* regs[0] … regs[5]; regs[0] */
static const uint32_t args[REGS_ARGS] = {0, 8, 16, 24, 32, 40};
static const uint32_t result = 0;
static const uint32_t sp = 248;	    /* after x0 … x30 */
static const uint32_t flags = 264;  /* pstate */
static const uint64_t sp_shift = 0; /* the return address is in a register */
static const int link = 240;
enum { FIRST_ON_STACK = 8, STACK_START = 0 };
#else
#error "sonde knows the registers of x86-64 and arm64 only: add a row here and in bpf_helpers/"
#endif

uint32_t regs_arg_offset(unsigned i)
{
	return args[i < REGS_ARGS ? i : 0];
}

uint32_t regs_return_offset(void)
{
	return result;
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

int regs_arg_on_stack(unsigned i)
{
	return i < FIRST_ON_STACK ? -1 : (int)(STACK_START + 8 * (i - FIRST_ON_STACK));
}

/* Only arm64 has such arguments in registers. */
uint32_t regs_arg_beyond(unsigned i)
{
	return 8 * i;
}
