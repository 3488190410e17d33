/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0 */
/*
 * A helper is for programs under the GPL only: see license.bt.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

char LICENSE[] SEC("license") = "Proprietary"; /* repaired: "GPL" */

long wrong(void)
{
	long value = 0;

	bpf_probe_read_kernel(&value, sizeof(value), (void *)4096);
	return value;
}
