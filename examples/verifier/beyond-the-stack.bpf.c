/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * The program writes below its stack: see beyond-the-stack.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__attribute__((naked)) long wrong(void)
{
	asm volatile("r0 = 0; *(u64 *)(r10 - 520) = r0; exit");
}

__attribute__((naked)) long right(void)
{
	asm volatile("r0 = 0; *(u64 *)(r10 - 8) = r0; exit");
}
