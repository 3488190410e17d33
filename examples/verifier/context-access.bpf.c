/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * The context has no such field: see context-access.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__attribute__((naked)) long wrong(void)
{
	asm volatile("r0 = *(u64 *)(r1 + 800); exit");
}

__attribute__((naked)) long right(void)
{
	asm volatile("r0 = 0; exit"); /* BEGIN has no arguments that could be read */
}
