/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * The last instruction does not end the program: see no-end.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__attribute__((naked)) long wrong(void)
{
	asm volatile("r0 = 0");
}

__attribute__((naked)) long right(void)
{
	asm volatile("r0 = 0; exit");
}
