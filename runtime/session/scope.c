/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See scope.h.
 */
#include "runtime/session/scope.h"
#include "runtime/kernel/in_container.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
	ROOT_ID = 1, /* of the root cgroup */
	LEVELS = 16, /* searched where the root is hidden by a cgroup namespace */
	PATH_BYTES = 4096,
};

static bool is_cgroup(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && (unsigned long)fs.f_type == CGROUP2_SUPER_MAGIC;
}

static uint64_t inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 ? st.st_ino : 0;
}

/* Depth below the mounted directory, or -errno; *root_id: the ID of that directory. */
static int depth_of(int fd, uint64_t *root_id)
{
	int depth = 0, at = dup(fd);

	while (at >= 0) {
		int up = openat(at, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

		*root_id = inode_of(at);
		close(at);
		if (up < 0 || !is_cgroup(up)) {
			if (up >= 0)
				close(up);
			return up < 0 ? -errno : depth;
		}
		at = up;
		depth++;
	}
	return -errno;
}

/* Open the directory `path`, or `path` below the usual mount points of cgroups. */
static int open_cgroup(const char *path)
{
	static const char *const prefixes[] = {"", "/sys/fs/cgroup/", "/sys/fs/cgroup/unified/"};
	bool is_directory = false;
	char full[PATH_BYTES];

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		int fd;

		if (snprintf(full, sizeof(full), "%s%s", prefixes[i], path) >= (int)sizeof(full))
			break;
		fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && is_cgroup(fd))
			return fd;
		is_directory |= fd >= 0;
		if (fd >= 0)
			close(fd);
	}
	return is_directory ? -EINVAL : -ENOENT;
}

int scope_find_cgroup(const char *path, struct scope_found *out)
{
	int fd = open_cgroup(path), depth;
	uint64_t root_id = 0;

	if (fd < 0)
		return fd;
	depth = depth_of(fd, &root_id);
	out->cgroup = inode_of(fd);
	close(fd);
	if (depth < 0)
		return depth;
	out->first_level = (uint32_t)depth;
	out->last_level = root_id == ROOT_ID ? (uint32_t)depth : (uint32_t)depth + LEVELS;
	return out->cgroup ? 0 : -EINVAL;
}

uint32_t scope_pid_namespace(void)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino == INITIAL_PID_NS)
		return 0;
	return (uint32_t)st.st_ino;
}
