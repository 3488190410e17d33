/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds /tmp/perf-PID.map and decides whether to trust it: see perfmap.h. Anybody can create a file
 * of that name in a /tmp, and the file stays there when its process has ended.
 */
#define _GNU_SOURCE
#include "runtime/symbols/perfmap.h"
#include "runtime/base/clock.h"
#include "runtime/base/proc_status.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { START_ERROR_NS = 10000000 }; /* the start is known in units of 10 ms */
#define WRITTEN_ERROR_NS 1000000000u

/* Open /tmp/perf-PID.map below the root of the process. Symbolic links cannot lead elsewhere. */
static int open_in_root(uint32_t tgid, uint32_t inner_pid)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	char root[48], name[48];
	int dir, fd, err;

	snprintf(root, sizeof(root), "/proc/%u/root", tgid);
	snprintf(name, sizeof(name), "tmp/perf-%u.map", inner_pid);
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	err = -errno;
	close(dir);
	return fd < 0 ? err : fd;
}

/* Does the file belong to the user, or to root, and was it written since `since_ns`
 * (CLOCK_MONOTONIC)? */
static int check(int fd, uint32_t uid, uint64_t since_ns)
{
	uint64_t now_ns = monotonic_ns();
	uint64_t offset = clock_ns(CLOCK_REALTIME) - now_ns, written_ns;
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_uid != uid && st.st_uid != 0))
		return -EPERM;
	written_ns = (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
	return written_ns + WRITTEN_ERROR_NS < since_ns + offset ? -ESTALE : 0;
}

int perfmap_open(uint32_t tgid, uint64_t not_after_ns)
{
	uint64_t start_ns = proc_start_ns(tgid);
	struct proc_status status;
	int fd, err;

	if (!start_ns || start_ns > not_after_ns + START_ERROR_NS)
		return -ESRCH;
	err = proc_status_read(tgid, &status);
	if (err)
		return err;
	fd = open_in_root(tgid, status.inner_pid);
	if (fd < 0)
		return fd;
	err = check(fd, status.effective_uid, start_ns);
	if (!err)
		return fd;
	close(fd);
	return err;
}
