/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session after loading: runs special programs, attaches, detaches without making the user wait,
 * closes.
 */
#include "runtime/session/session.h"
#include "runtime/session/unfired.h"
#include "runtime/kernel/gfp_flags.h"
#include "runtime/session/attach_slow.h"
#include "runtime/session/interpret.h"
#include "runtime/symbols/ksym.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/session/calibrate.h"
#include "runtime/session/calibrate_thread.h"
#include "runtime/session/interval_thread.h"
#include "runtime/session/packets.h"
#include "runtime/session/step_watch.h"
#include "runtime/symbols/usym.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

int session_run_prog(const struct session *s, uint32_t prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err;

	if (s->interp)
		return interpret_run(s, prog, &(uint32_t){0});
	err = bpf_prog_test_run_opts(bpf_program__fd(s->progs[prog]), &opts);
	if (err)
		log_error("probe '%s': cannot run: %s%s",
			  s->plan->probes[s->plan->progs[prog].probes[0]].name, strerror(-err),
			  limit_hint(err));
	return err;
}

int session_run_special(const struct session *s, enum plan_prog_kind kind)
{
	int err = 0;

	for (uint32_t i = 0; i < s->plan->n_progs && !err; i++)
		if (s->plan->progs[i].kind == kind)
			err = session_run_prog(s, i);
	return err;
}

int session_run_begin(const struct session *s)
{
	return session_run_special(s, PP_BEGIN);
}

/* A partly attached program would count only some of its events: remove all of its links. */
static void drop_links(struct session *s, uint32_t n_kept)
{
	while (s->links.n > n_kept)
		close(s->links.items[--s->links.n].fd);
}

static bool waits_for_events(const struct plan_prog *g)
{
	return g->n_probes && !prog_kind_is(g->kind, PK_OUTSIDE);
}

static int attach_one(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	uint32_t before = s->links.n, n_refused = s->n_refused;
	int err = attach_stopped(s) ? -EINTR : !session_uses_prog(s, g) ? 0 : attach_prog(s, prog);

	for (uint32_t i = before; i < s->links.n; i++)
		s->links.items[i].prog = prog;
	if (err && !attach_can_skip(s, g, err))
		return err;
	if (err) {
		drop_links(s, before);
		s->n_refused = n_refused; /* counted as skipped instead */
		s->n_skipped += plan_n_targets(g) > 1 ? g->n_targets : g->n_probes;
		unfired_leave_out(s, g);
	}
	s->n_requested += waits_for_events(g);
	s->n_attached += waits_for_events(g) && !err;
	return 0;
}

/* fentry and fexit: one program for each function. */
static bool is_traced_function(const struct plan_prog *g)
{
	return g->n_probes && prog_kind_is(g->kind, PK_TRAMPOLINE);
}

static uint32_t count_traced_functions(const struct plan *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_progs; i++)
		n += is_traced_function(&p->progs[i]);
	return n;
}

/* Is it the hidden program at the entry of a user function, behind that of its returns? */
static bool is_entry_behind(const struct plan *p, uint32_t i)
{
	const struct plan_prog *g = &p->progs[i];

	return i < p->n_progs && prog_kind_is(g->kind, PK_USER_FUNCTION) && !g->n_probes &&
	       g->n_starts && p->probes[g->starts[0]].prog + 1 == i;
}

/* Of several programs at one location of a user function, the kernel runs the one first that was
 * attached last. Programs of user functions are therefore attached from the last one to the first,
 * so that bodies run in the order of the script; but the hidden program at the entry after that at
 * the returns, because an entry can be a return, and so that no start is without an end. Returns
 * the program to attach in turn `i`; *user is at first the number of programs. */
static uint32_t next_to_attach(const struct plan *p, uint32_t i, uint32_t *user)
{
	if (!prog_kind_is(p->progs[i].kind, PK_USER_FUNCTION))
		return i;
	do
		--*user;
	while (!prog_kind_is(p->progs[*user].kind, PK_USER_FUNCTION));
	if (is_entry_behind(p, *user))
		return *user - 1;
	return is_entry_behind(p, *user + 1) ? *user + 1 : *user;
}

/* After a program of user functions was refused, an earlier one may be refused, too, and is the one
 * to report. */
static bool may_report_earlier(const struct plan_prog *g, int err)
{
	return prog_kind_is(g->kind, PK_USER_FUNCTION) && err && err != -EINTR && err != -ENOMEM;
}

/* Attach the programs that can only be attached at exec, or all others. */
static int attach_each(struct session *s, bool at_exec)
{
	const struct plan *p = s->plan;
	struct attach_slow slow = {0};
	uint32_t n_before, user = p->n_progs;
	int err = 0, refused = 0;

	for (uint32_t turn = 0; !err && turn < p->n_progs; turn++) {
		uint32_t i = next_to_attach(p, turn, &user);

		if (attach_at_exec(s, &p->progs[i]) != at_exec)
			continue;
		if (is_traced_function(&p->progs[i]) && !slow.n)
			attach_slow_begin(&slow, "fentry, fexit",
					  "each function requires its own program",
					  count_traced_functions(p));
		n_before = s->n_attached;
		err = attach_one(s, i);
		if (may_report_earlier(&p->progs[i], err)) {
			refused = err;
			err = 0;
		}
		if (is_traced_function(&p->progs[i]))
			attach_slow_step(&slow, s->n_attached > n_before);
	}
	err = err ? err : refused;
	attach_slow_end(&slow, err);
	attach_print_reports(s);
	return err;
}

static int check_any_left(const struct session *s)
{
	if (!s->n_requested || s->n_attached)
		return 0;
	log_error("nothing is left to trace: no probe of the script could be attached");
	return -ENOENT;
}

int session_attach(struct session *s)
{
	int err = attach_each(s, false);

	return err || session_attaches_at_exec(s) ? err : check_any_left(s);
}

bool session_attaches_at_exec(const struct session *s)
{
	for (uint32_t i = 0; i < s->plan->n_progs; i++)
		if (attach_at_exec(s, &s->plan->progs[i]))
			return true;
	return false;
}

int session_attach_at_exec(struct session *s)
{
	int err = attach_each(s, true);

	return err ? err : check_any_left(s);
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
		while (read(pipe_fds[0], &byte, 1) < 0 && errno == EINTR)
			;
		_exit(0);
	}
	case -1: close(pipe_fds[1]); break;
	default: *held = pipe_fds[1]; /* closed when this process ends */
	}
	close(pipe_fds[0]);
}

void session_detach(struct session *s)
{
	bool slow = calibrate_closes_slowly(s);
	int held = -1;

	interval_thread_stop(s->interval_thread);
	calibrate_thread_stop(s);
	if (s->control)
		__atomic_store_n(&s->control->exiting, 1, __ATOMIC_SEQ_CST);
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
	calibrate_close(s);
	packets_close(s);
	step_watch_free(s->step_watch);
	stacks_close(s);
	usyms_free(s->usyms);
	ksyms_free(s->ksyms);
	gfp_flags_free(s->gfp_flags);
	if (s->control)
		munmap(s->control, sizeof(*s->control));
	if (s->attach_to_fd >= 0)
		close(s->attach_to_fd);
	interp_close(s->interp);
	bpf_object__close(s->object);
	vec_free(&s->links);
	free(s->progs);
	free(s->map_fds);
	free(s->logs);
}
