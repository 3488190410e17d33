/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads /proc/PID/status and /proc/PID/stat: see proc_status.h.
 */
#include "runtime/base/proc_status.h"
#include "runtime/base/clock.h"
#include "runtime/base/io.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The `n`th number of the line that begins with `name`; n = -1: the last one. */
static bool find_number(const char *text, const char *name, int n, uint32_t *out)
{
	const char *line = strstr(text, name);
	bool is_found = false;
	char *end;

	if (!line)
		return false;
	for (line += strlen(name); n && (*line == '\t' || *line == ' '); line = end) {
		*out = (uint32_t)strtoul(line, &end, 10);
		is_found = end != line;
		if (!is_found)
			return false;
		n -= n > 0;
	}
	return is_found && n <= 0;
}

bool proc_status_parse(const char *text, struct proc_status *out)
{
	return find_number(text, "\nUid:", 2, &out->effective_uid) &&
	       find_number(text, "\nNSpid:", -1, &out->inner_pid);
}

int proc_status_read(uint32_t pid, struct proc_status *out)
{
	char text[4096];
	ssize_t n = io_read_proc(pid, "status", text, sizeof(text), 0);

	if (n < 0)
		return (int)n;
	return proc_status_parse(text, out) ? 0 : -EINVAL;
}

uint64_t proc_start_ns(uint32_t pid)
{
	uint64_t now_ns = monotonic_ns(); /* first: the difference cannot be negative */
	uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME) - now_ns, start_ns;
	char text[1024], *p;

	if (io_read_proc(pid, "stat", text, sizeof(text), 0) < 0)
		return 0;
	p = strrchr(text, ')'); /* the name may contain anything */
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (!p)
		return 0;
	start_ns = strtoull(p, NULL, 10) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
	return start_ns > boot_ns ? start_ns - boot_ns : 0;
}
