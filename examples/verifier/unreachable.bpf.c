/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * An instruction is never reached: see unreachable.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__attribute__((naked)) long wrong(void)
{
	asm volatile("r0 = 0; exit; r0 = 1; exit");
}

__attribute__((naked)) long right(void)
{
	asm volatile("r0 = 0; exit");
}
