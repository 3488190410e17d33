/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The capabilities of this process, by capget(): the kernel would only say EPERM.
 */
#include "runtime/kernel/caps.h"
#include "parser/base/text.h"
#include "runtime/base/log.h"
#include "runtime/kernel/tracefs.h"
#include <errno.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has(const struct __user_cap_data_struct *data, unsigned int cap)
{
	return data[cap / 32].effective & 1u << cap % 32;
}

/* 0, or -errno. */
static int read_caps(struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3])
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};

	return syscall(SYS_capget, &head, data) ? -errno : 0;
}

const char *caps_missing(void)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};

	if (read_caps(data) || has(data, CAP_SYS_ADMIN))
		return NULL;
	if (!has(data, CAP_BPF))
		return "CAP_BPF";
	return has(data, CAP_PERFMON) ? NULL : "CAP_PERFMON";
}

static const struct {
	unsigned int cap;
	const char *name;
} wanted[] = {{CAP_BPF, "CAP_BPF"}, {CAP_PERFMON, "CAP_PERFMON"}, {CAP_SYSLOG, "CAP_SYSLOG"}};

/* Say what a user without root lacks. */
static int refuse_user(void)
{
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {0};
	char names[64] = "";
	int fd = tracefs_open();

	read_caps(data);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (!has(data, wanted[i].cap))
			TEXT_LIST(names, sizeof(names), "%s", wanted[i].name);
	log_error("tracing needs root: this process (user %u) lacks %s%s", geteuid(), names,
		  fd < 0 ? " and cannot read /sys/kernel/tracing" : "");
	if (fd >= 0)
		close(fd);
	log_hint("run it with sudo");
	return -EPERM;
}

int caps_check(void)
{
	const char *cap = caps_missing();

	if (!cap)
		return 0;
	if (geteuid() != 0)
		return refuse_user();
	log_error(
		"tracing needs %s, which this process does not have: run as root (or with CAP_BPF, "
		"CAP_PERFMON and CAP_SYSLOG, and /sys/kernel/tracing readable)",
		cap);
	return -EPERM;
}
