/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * A loop has no end that can be seen: see unbounded-loop.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

long wrong(void)
{
	while (bpf_get_prandom_u32())
		;
	return 0;
}

long right(void)
{
	for (int i = 0; i < 100 && bpf_get_prandom_u32(); i++)
		;
	return 0;
}
