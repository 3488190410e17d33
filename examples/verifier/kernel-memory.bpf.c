/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * Kernel memory is read through a number: see kernel-memory.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

long wrong(long *address)
{
	return *address;
}

long right(long *address)
{
	long value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), address);
	return value;
}
