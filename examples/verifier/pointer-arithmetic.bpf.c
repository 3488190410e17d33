/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * An address is multiplied: see pointer-arithmetic.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__attribute__((naked)) long wrong(void)
{
	asm volatile("r1 = r10; r1 *= 2; r0 = 0; exit");
}

__attribute__((naked)) long right(void)
{
	asm volatile("r1 = r10; r1 += -16; r0 = 0; exit");
}
