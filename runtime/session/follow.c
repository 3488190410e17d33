/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --follow: the flag of what a process has started already. Descendants that come later get it from
 * the hidden fork program; this file sets it, by pid descriptors, for all threads of those that are
 * there. It runs when that program is attached, so no child falls between the two.
 */
#define _GNU_SOURCE
#include "runtime/session/session.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PIDFD_OF_THREAD = O_EXCL, MAX_DEPTH = 64 };

/* Below 6.9 there are descriptors of processes only: then their first threads get the flag. */
static void flag_thread(int map_fd, int tid)
{
	uint32_t one = 1;
	int fd = (int)syscall(SYS_pidfd_open, tid, PIDFD_OF_THREAD);

	if (fd < 0 && errno == EINVAL)
		fd = (int)syscall(SYS_pidfd_open, tid, 0);
	if (fd < 0)
		return;
	bpf_map_update_elem(map_fd, &fd, &one, BPF_ANY);
	close(fd);
}

static void follow_children(int map_fd, int pid, int tid, int depth);

/* All threads of a process: flag them (not those of the root, which is known by its pid), then go
 * on with their children. */
static void follow_process(int map_fd, int pid, int depth)
{
	char path[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		int tid = atoi(d->d_name);

		if (tid > 0 && depth > 0)
			flag_thread(map_fd, tid);
		if (tid > 0 && depth < MAX_DEPTH)
			follow_children(map_fd, pid, tid, depth);
	}
	if (dir)
		closedir(dir);
}

static void follow_children(int map_fd, int pid, int tid, int depth)
{
	char path[96];
	int child;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, tid);
	f = fopen(path, "re");
	while (f && fscanf(f, "%d", &child) == 1)
		follow_process(map_fd, child, depth + 1);
	if (f)
		fclose(f);
}

void session_follow(const struct session *s, uint32_t pid)
{
	int fd = bpf_object__find_map_fd_by_name(s->object, "sonde_scopes");

	if (fd >= 0)
		follow_process(fd, (int)pid, 0);
}
