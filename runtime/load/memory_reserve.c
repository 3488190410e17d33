/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The child that holds a memory reserve.
 */
#include "runtime/load/memory_reserve.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/base/oom_score.h"
#include "runtime/load/memory_needed.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Elements of maps take at most a third of what is left above the basic need: to read and sort them
 * takes about twice their memory. With a higher limit, no reserve is held. */
enum { LOW_LIMIT = 256 << 20, LEAST_BYTES = 512 << 10, MOST_BYTES = 32 << 20 };

static void close_all_but(int kept)
{
	if (syscall(SYS_close_range, 0, kept - 1, 0) == 0) {
		syscall(SYS_close_range, kept + 1, ~0u, 0);
		return;
	}
	for (int fd = 0; fd < (int)sysconf(_SC_OPEN_MAX); fd++) /* before 5.9 */
		if (fd != kept)
			close(fd);
}

/* setsid() keeps the terminal's signals away. */
__attribute__((noreturn)) static void hold(size_t bytes, int kept, pid_t parent)
{
	void *at = MAP_FAILED;

	prctl(PR_SET_NAME, "sonde-reserve");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setsid();
	if (oom_score_set(OOM_SCORE_RESERVE) == 0)
		at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	close_all_but(kept);
	while (at != MAP_FAILED && getppid() == parent)
		pause();
	_exit(0);
}

static int start_child(struct memory_reserve *r, size_t bytes)
{
	pid_t parent = getpid();
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	r->pid = fork();
	if (r->pid == 0)
		hold(bytes, ends[1], parent);
	err = r->pid < 0 ? -errno : 0;
	close(ends[1]);
	r->fd = ends[0];
	if (err)
		memory_reserve_release(r);
	return err;
}

void memory_reserve_start(struct memory_reserve *r, const struct plan *plan)
{
	uint64_t limit = limit_memory(), need, spare;
	int err;

	*r = (struct memory_reserve){.fd = -1};
	if (limit >= LOW_LIMIT || limit_is_virtual())
		return;
	need = session_memory_needed(plan);
	if (limit < need) {
		log_warning("this script needs about %llu MiB of memory%s",
			    (unsigned long long)(need >> 20), limit_hint(-ENOMEM));
		return;
	}
	spare = (limit - need) / 3 * 2;
	spare = spare < MOST_BYTES ? spare : MOST_BYTES;
	err = spare < LEAST_BYTES ? 0 : start_child(r, spare);
	if (err)
		log_verbose("cannot reserve memory: %s", strerror(-err));
}

void memory_reserve_release(struct memory_reserve *r)
{
	if (r->pid > 0) {
		kill(r->pid, SIGKILL);
		TEMP_FAILURE_RETRY(waitpid(r->pid, NULL, 0));
	}
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct memory_reserve){.fd = -1};
}
