/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --follow: marks the existing descendants of a process as traced. Later descendants are marked by
 * the hidden fork program; this file marks all threads of the existing ones, through pid
 * descriptors. It runs when that program is attached, so that no child is missed in between.
 */
#include "runtime/run/loop_state.h"
#include "runtime/base/proc_children.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PIDFD_OF_THREAD = O_EXCL };

int follow_process(uint32_t pid, int *fd)
{
	*fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	if (!pid || *fd >= 0)
		return 0;
	return log_error("cannot trace process %u (-p): %s", pid,
			 errno == ESRCH			      ? "it has ended"
			 : errno == ENOENT || errno == EINVAL ? "it is a thread of another process"
							      : strerror(errno));
}

/* Kernels before 6.9 have descriptors of processes only: just the main thread is marked there. */
static void mark_thread(int map_fd, int tid)
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

struct following {
	uint32_t pid;
	int map_fd;
};

static int mark_descendant(void *ctx, uint32_t pid, uint32_t tid)
{
	const struct following *f = ctx;

	if (pid != f->pid)
		mark_thread(f->map_fd, (int)tid);
	return 0;
}

/* The process itself is recognized by its pid. */
void session_follow(const struct session *s)
{
	struct following f = {s->config->scope_tgid,
			      bpf_object__find_map_fd_by_name(s->object, "sonde_scopes")};

	if (f.map_fd >= 0 && proc_each_thread(f.pid, true, mark_descendant, &f) == -EACCES)
		log_warning("--follow: /proc hides process %u or one of its descendants: processes "
			    "that a hidden one started before tracing began are not traced",
			    f.pid);
}
