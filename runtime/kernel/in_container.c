/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See in_container.h. docs/containers.md has the command lines.
 */
#include "runtime/kernel/in_container.h"
#include "runtime/base/log.h"
#include "runtime/kernel/caps.h"
#include "runtime/kernel/tracefs.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Podman and systemd-nspawn set $container, Docker makes the file, and so does Podman. */
static bool is_container(void)
{
	return getenv("container") || getenv("KUBERNETES_SERVICE_HOST") ||
	       access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0;
}

static bool lacks_processes(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) == 0 && st.st_ino != INITIAL_PID_NS;
}

static bool lacks_capability(void)
{
	return caps_missing();
}

static bool lacks_tracefs(void)
{
	int fd = tracefs_open();

	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static bool lacks_btf(void)
{
	return access("/sys/kernel/btf/vmlinux", R_OK);
}

static const struct {
	bool (*is_lacking)(void);
	const char *what;
} rows[] = {
	{lacks_capability,
	 "capabilities (--privileged, or --cap-add of BPF, PERFMON, SYS_PTRACE, SYSLOG)"},
	{lacks_tracefs, "tracefs (-v /sys/kernel/tracing:/sys/kernel/tracing)"},
	{lacks_btf, "types of the kernel (-v /sys/kernel/btf:/sys/kernel/btf)"},
	{lacks_processes, "the host's processes (--pid=host)"},
};

int in_container_lacks(char *text, size_t size)
{
	size_t used = 0;
	int n = 0;

	*text = '\0';
	for (size_t i = 0; is_container() && i < sizeof(rows) / sizeof(*rows); i++) {
		if (!rows[i].is_lacking() || used >= size)
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s", n ? ", " : "",
					 rows[i].what);
		n++;
	}
	return n;
}

void in_container_warn(void)
{
	char text[512];

	/* others lack the rights in any container, and outside */
	if (geteuid() == 0 && in_container_lacks(text, sizeof(text)))
		log_warning("this container lacks %s: see containers.md of the documents", text);
}
