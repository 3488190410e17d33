/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beginning and the end of a session; a session ends without making the user wait.
 */
#include "runtime/run/lifetime.h"
#include "runtime/attach/cpu_watch.h"
#include "runtime/attach/step_watch.h"
#include "runtime/events/packets.h"
#include "runtime/events/stacks.h"
#include "runtime/interp/interp.h"
#include "runtime/kernel/gfp_flags.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/load/load.h"
#include "runtime/load/load_report.h"
#include "runtime/load/waiting.h"
#include "runtime/run/interval_thread.h"
#include "runtime/symbols/usym.h"
#include "runtime/session/event_source.h"
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

int session_open(struct session *s, const struct plan *plan, struct kernel *k,
		 struct session_prep *prep, const void *elf, size_t len)
{
	int err;

	*s = (struct session){.plan = plan,
			      .config = &prep->config,
			      .prep = prep,
			      .ring = prep->ring,
			      .source = prep->source,
			      .tracer_time = prep->tracer_time,
			      .kernel = k,
			      .unwind = prep->unwind,
			      .attach_to_fd = -1,
			      .losses_fd = -1,
			      .stacks_fd = -1,
			      .ring_fd = -1,
			      .wake_fd = -1,
			      .packets_fd = -1,
			      .stop_fd = -1};
	memcpy(s->kfunc_ids, prep->kfunc_ids, sizeof(s->kfunc_ids));
	s->progs = calloc(plan->n_progs + 1, sizeof(*s->progs));
	s->map_fds = calloc(plan->n_maps + 1, sizeof(*s->map_fds));
	if (!s->progs || !s->map_fds)
		return -ENOMEM;
	load_report_begin();
	err = session_load(s, prep, elf, len);
	if (!err && s->source)
		s->source->open(s->source, s);
	if (!err)
		err = stacks_open(s);
	load_report_end();
	kernel_trim(k);
	return err;
}

/* Closing a perf event or a uprobe link waits for RCU grace periods, 70 to 110 ms each. A child
 * that inherits the descriptors and outlives this process waits instead. */
static void leave_to_child(int *held)
{
	int pipe_fds[2];

	if (pipe(pipe_fds))
		return;
	switch (fork()) {
	case 0: {
		char byte;

		prctl(PR_SET_NAME, "sonde-detach");
		setsid();
		close(pipe_fds[1]);
		for (int fd = 0; fd < 3; fd++) /* a reader of our output must see end of file */
			close(fd);
		TEMP_FAILURE_RETRY(read(pipe_fds[0], &byte, 1));
		_exit(0);
	}
	case -1: close(pipe_fds[1]); break;
	default: *held = pipe_fds[1]; /* closed when this process ends */
	}
	close(pipe_fds[0]);
}

void session_detach(struct session *s)
{
	bool slow = s->tracer_time && s->tracer_time->stop(s);
	int held = -1;

	interval_thread_stop(s->interval_thread);
	if (s->control)
		__atomic_store_n(&s->control->exiting, 1, __ATOMIC_SEQ_CST);
	session_keep_skipped_runs(s);
	for (uint32_t i = 0; i < s->links.n; i++) {
		struct link *l = &s->links.items[i];

		if (l->is_perf)
			ioctl(l->fd, PERF_EVENT_IOC_DISABLE, 0);
		slow |= l->closes_slowly;
		if (!l->closes_slowly) {
			close(l->fd);
			l->fd = -1;
		}
	}
	if (slow)
		leave_to_child(&held);
}

void session_close(struct session *s)
{
	for (uint32_t i = 0; i < s->links.n; i++)
		if (s->links.items[i].fd >= 0)
			close(s->links.items[i].fd);
	interval_thread_free(s->interval_thread);
	if (s->tracer_time)
		s->tracer_time->close(s);
	packets_close(s);
	cpu_watch_free(s);
	step_watch_free(s->step_watch);
	stacks_close(s);
	usyms_free(s->usyms);
	ksyms_free(s->ksyms);
	free(s->gfp_flags);
	if (s->control)
		munmap(s->control, sizeof(*s->control));
	if (s->attach_to_fd >= 0)
		close(s->attach_to_fd);
	interp_close(s->interp);
	waiting_free(s);
	bpf_object__close(s->object);
	vec_free(&s->links);
	free(s->progs);
	free(s->map_fds);
	free(s->logs);
	free(s->skipped_runs);
}
