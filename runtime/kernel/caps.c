/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capabilities of this process, by capget(): the kernel would only say EPERM.
 */
#include "runtime/kernel/caps.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has(const struct __user_cap_data_struct *data, unsigned int cap)
{
	return data[cap / 32].effective & 1u << cap % 32;
}

const char *caps_missing(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (syscall(SYS_capget, &head, data) || has(data, CAP_SYS_ADMIN))
		return NULL;
	if (!has(data, CAP_BPF))
		return "CAP_BPF";
	return has(data, CAP_PERFMON) ? NULL : "CAP_PERFMON";
}

int caps_check(void)
{
	const char *cap = caps_missing();

	if (!cap)
		return 0;
	log_error(
		"tracing needs %s, which this process does not have: run as root (or with CAP_BPF, "
		"CAP_PERFMON and CAP_SYSLOG, and /sys/kernel/tracing readable)",
		cap);
	return -EPERM;
}
