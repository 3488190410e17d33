/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this kernel does at a probe on a nop of several bytes (x86-64).
 *
 * Linux 6.18 replaces the breakpoint on a nop of 5 bytes by a call after the first hit: the
 * cheapest probe there is. But a call writes its return address below the stack pointer, where a
 * function that calls nothing may keep values (the red zone). Other kernels emulate or single-step
 * such a nop.
 */
#pragma once
#include <stdbool.h>

struct uprobe_nops {
	bool is_emulated;     /* a nop with an operand, in the form that the kernel itself uses */
	bool is_any_emulated; /* ... in any form */
	bool is_called;	      /* a nop of 5 bytes becomes a call */
	bool is_harmless;     /* a nop of 5 bytes can be probed anywhere, not only at an entry */
};

/* Ask the kernel: a child calls a function with such a nop, which it probes in itself alone, and
 * that keeps a value in the red zone. The first call takes about 10 ms, later ones nothing. Without
 * an answer all members are false. */
const struct uprobe_nops *uprobe_nops(void);
