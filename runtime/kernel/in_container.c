/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See in_container.h. docs/containers.md has the command lines.
 */
#include "runtime/kernel/in_container.h"
#include "parser/base/text.h"
#include "runtime/base/log.h"
#include "runtime/kernel/caps.h"
#include "runtime/kernel/tracefs.h"
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Podman and systemd-nspawn set $container, Docker makes the file, and so does Podman. */
static bool is_container(void)
{
	return getenv("container") || getenv("KUBERNETES_SERVICE_HOST") ||
	       access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0;
}

static void warn_of_missing(void)
{
	int tracefs = tracefs_open();
	struct stat st;
	const struct {
		bool is_lacking;
		const char *what;
	} rows[] = {
		{caps_missing(),
		 "capabilities (--privileged, or --cap-add of BPF, PERFMON, SYS_PTRACE, SYSLOG)"},
		{tracefs < 0, "tracefs (-v /sys/kernel/tracing:/sys/kernel/tracing)"},
		{access("/sys/kernel/btf/vmlinux", R_OK),
		 "types of the kernel (-v /sys/kernel/btf:/sys/kernel/btf)"},
		{!stat("/proc/self/ns/pid", &st) && st.st_ino != INITIAL_PID_NS,
		 "the host's processes (--pid=host)"},
	};
	char text[512] = "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].is_lacking)
			TEXT_LIST(text, sizeof(text), "%s", rows[i].what);
	if (*text)
		log_warning("this container lacks %s: see containers.md of the documents", text);
	if (tracefs >= 0)
		close(tracefs);
}

void in_container_warn(void)
{
	/* others lack the rights in any container, and outside */
	if (geteuid() == 0 && is_container())
		warn_of_missing();
}
