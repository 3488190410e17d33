/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * A register is read before it was written: see uninitialized-register.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

__attribute__((naked)) long wrong(void)
{
	asm volatile("r0 = r5; exit");
}

__attribute__((naked)) long right(void)
{
	asm volatile("r5 = 0; r0 = r5; exit");
}
