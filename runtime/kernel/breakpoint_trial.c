/* SPDX-License-Identifier: Apache-2.0 */
/*
 * On arm64, a breakpoint stops before the store. The kernel steps over it, except, before a
 * correction in 6.6 that older kernels got later, if a BPF program handles it: then the thread hits
 * the breakpoint again and again, until the breakpoint is removed. In a virtual machine whose
 * memory is encrypted (AMD SEV without DebugSwap), the kernel sets breakpoints that nothing hits.
 */
#include "runtime/kernel/kernel_impl.h"
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "runtime/base/thread.h"

enum { WAIT_US = 1000, WAITS = 1000 };

struct watched {
	volatile uint64_t word;
	pid_t tid;
	bool has_stored;
	pthread_barrier_t is_known, is_watched;
};

static void *store(void *arg)
{
	struct watched *w = arg;

	w->tid = gettid();
	pthread_barrier_wait(&w->is_known);
	pthread_barrier_wait(&w->is_watched);
	w->word = 1;
	__atomic_store_n(&w->has_stored, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The event, or -errno. */
static int watch(const struct watched *w, int prog)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.sample_period = 1,
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&w->word,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.disabled = 1,
		.exclude_kernel = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, w->tid, -1, -1, PERF_FLAG_FD_CLOEXEC),
	    err;

	if (fd < 0)
		return -errno;
	if (!ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog) && !ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static int count_hits(const struct watched *w, int event)
{
	uint64_t hits = 0;
	bool has_stored = false;

	for (int i = 0; i < WAITS && hits < 2 && !has_stored; i++) {
		usleep(WAIT_US);
		has_stored = __atomic_load_n(&w->has_stored, __ATOMIC_ACQUIRE);
		if (read(event, &hits, sizeof(hits)) != sizeof(hits))
			return -errno;
	}
	return has_stored || hits > 1 ? (int)hits : -ETIME;
}

int breakpoint_trial(int prog)
{
	struct watched w = {.word = 0};
	pthread_t thread;
	int event, result;

	pthread_barrier_init(&w.is_known, NULL, 2);
	pthread_barrier_init(&w.is_watched, NULL, 2);
	result = thread_start(&thread, NULL, store, &w);
	if (!result) {
		pthread_barrier_wait(&w.is_known);
		event = watch(&w, prog);
		pthread_barrier_wait(&w.is_watched);
		result = event < 0 ? event : count_hits(&w, event);
		if (event >= 0)
			close(event);
		pthread_join(thread, NULL);
	}
	pthread_barrier_destroy(&w.is_known);
	pthread_barrier_destroy(&w.is_watched);
	return result;
}
