/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the limits of this process when an error has to be explained: resource limits, and the
 * memory limit of its cgroup and of all cgroups above it, in either version of cgroups.
 */
#include "runtime/base/limit_hint.h"
#include "runtime/base/io.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static uint64_t rlimit(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX
									      : limit.rlim_cur;
}

/* A number in a file; UINT64_MAX when there is none ("max"). */
static uint64_t read_limit(const char *folder, const char *path, const char *file)
{
	char name[PATH_MAX + 64], text[32], *end;
	uint64_t n;

	snprintf(name, sizeof(name), "%s%s/%s", folder, path, file);
	io_read_file(name, text, sizeof(text), 0);
	n = strtoull(text, &end, 10);
	return end > text ? n : UINT64_MAX;
}

static uint64_t least_above(const char *folder, char *path, const char *file)
{
	uint64_t least = UINT64_MAX;

	for (char *slash = path + strlen(path); slash; slash = strrchr(path, '/')) {
		uint64_t n;

		*slash = '\0';
		n = read_limit(folder, path, file);
		least = n < least ? n : least;
	}
	return least;
}

/* A line of /proc/self/cgroup: "4:memory:/path" in version 1, "0::/path" in version 2. */
static uint64_t limit_of_line(char *line)
{
	char *controllers = strchr(line, ':'),
	     *path = controllers ? strchr(controllers + 1, ':') : NULL;
	uint64_t limit, unified;

	if (!path)
		return UINT64_MAX;
	line[strcspn(line, "\n")] = '\0';
	*path++ = '\0';
	if (strcmp(controllers, ":memory") == 0)
		return least_above("/sys/fs/cgroup/memory", path, "memory.limit_in_bytes");
	if (strcmp(controllers, ":") != 0)
		return UINT64_MAX;
	unified = read_limit("/sys/fs/cgroup/unified", path, "memory.max");
	limit = least_above("/sys/fs/cgroup", path, "memory.max");
	return unified < limit ? unified : limit;
}

/* Version 1 writes "no limit" as a number of pages that no machine has. */
static const uint64_t no_limit_bytes = 1ull << 60;

static uint64_t cgroup_limit(void)
{
	FILE *f = fopen("/proc/self/cgroup", "re");
	char line[PATH_MAX + 64];
	uint64_t least = UINT64_MAX;

	while (f && fgets(line, sizeof(line), f)) {
		uint64_t n = limit_of_line(line);

		least = n < least ? n : least;
	}
	if (f)
		fclose(f);
	return least < no_limit_bytes ? least : UINT64_MAX;
}

uint64_t limit_memory(void)
{
	uint64_t cgroup = cgroup_limit(), own = rlimit(RLIMIT_AS);

	return own < cgroup ? own : cgroup;
}

bool limit_is_virtual(void)
{
	return rlimit(RLIMIT_AS) < cgroup_limit();
}

static const char *memory_hint(char *out, size_t size)
{
	uint64_t limit = limit_memory(), mib = limit >> 20;

	if (limit_is_virtual())
		snprintf(out, size, " (the limit of virtual memory is %llu MiB: ulimit -v)",
			 (unsigned long long)mib);
	else if (limit != UINT64_MAX)
		snprintf(out, size, " (the memory limit of this cgroup is %llu MiB: memory.max)",
			 (unsigned long long)mib);
	return out;
}

const char *limit_hint(int err)
{
	static char out[96];
	uint64_t n;

	*out = '\0';
	switch (-err) {
	case EMFILE:
		n = rlimit(RLIMIT_NOFILE);
		snprintf(out, sizeof(out), " (the limit is %llu: ulimit -n)",
			 (unsigned long long)n);
		break;
	case ENFILE: return " (the limit of the whole system: sysctl fs.file-max)";
	case ENOMEM: return memory_hint(out, sizeof(out));
	case EFBIG: return " (the limit of file sizes, ulimit -f)";
	default: break;
	}
	return out;
}

const char *limit_hint_process(int err)
{
	return err == -EAGAIN ? " (too many processes: ulimit -u, or pids.max of the cgroup)"
			      : limit_hint(err);
}
