/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * This type of program has no such helper: see missing-helper.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

long wrong(void)
{
	long value = 0;

	bpf_copy_from_user(&value, sizeof(value), (void *)4096);
	return value;
}

long right(void)
{
	long value = 0;

	bpf_probe_read_user(&value, sizeof(value), (void *)4096);
	return value;
}
