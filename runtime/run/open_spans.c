/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open spans: runs the programs that iterate over all threads, when tracing begins and when it has
 * ended. The calls of a thread are counted one by one, the outermost first: one run for each depth.
 */
#include "runtime/run/loop_state.h"
#include "bpf_helpers/unwind.h"
#include "runtime/base/clock.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "runtime/base/rcu_wait.h"
#include "runtime/session/session.h"
#include "runtime/session/unwind.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Between two tries to read stacks for which there were no tables yet; it doubles. */
#define RETRY_NS 25000000ull
#define RETRY_MAX_NS 100000000000ull

/* Reading the iterator to its end runs the program for every thread. */
static int read_all(int link)
{
	int fd = bpf_iter_create(link), err = 0;
	char bytes[64];
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = read(fd, bytes, sizeof(bytes));
	} while (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)));
	if (n < 0)
		err = -errno;
	close(fd);
	return err;
}

static int run_prog(const struct session *s, uint32_t prog)
{
	struct sonde_control *c = s->control;
	int link = bpf_link_create(bpf_program__fd(s->progs[prog]), 0, BPF_TRACE_ITER, NULL), err;

	if (link < 0)
		return -errno;
	c->open_call = 0;
	do {
		__atomic_store_n(&c->open_more, 0, __ATOMIC_SEQ_CST);
		err = read_all(link);
		c->open_call++;
	} while (!err && __atomic_load_n(&c->open_more, __ATOMIC_SEQ_CST) &&
		 c->open_call < SONDE_SPAN_CALLS);
	close(link);
	return err;
}

static int run_all(const struct session *s, uint32_t trait)
{
	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		int err;

		if (!prog_kind_is(s->plan->progs[i].kind, trait))
			continue;
		err = run_prog(s, i);
		if (!err)
			continue;
		log_error("probe '%s': cannot look at waiting threads: %s",
			  s->plan->probes[s->plan->progs[i].probes[0]].name, strerror(-err));
		return err;
	}
	return 0;
}

/* A source of events visits threads itself. */
static bool has_any(const struct session *s, uint32_t trait)
{
	return s->control && !s->source &&
	       FIND(s->plan->progs, s->plan->n_progs, prog_kind_is(item->kind, trait));
}

/* User stacks of threads that wait, for spans without one. Where tables are missing, programs have
 * asked for them. */
static int read_stacks(struct session *s)
{
	int err;

	s->control->open_missing = 0;
	err = run_all(s, PK_STACKS);
	s->open_step_ns = s->open_step_ns ? 2 * s->open_step_ns : RETRY_NS;
	s->open_retry_ns = 0;
	if (!err && s->control->open_missing && s->open_step_ns < RETRY_MAX_NS)
		s->open_retry_ns = monotonic_ns() + s->open_step_ns;
	return err;
}

/* What stands for stacks that are not known. */
static int store_not_seen(const struct session *s)
{
	static const struct sonde_stack none = {.end = UNWIND_NOT_SEEN};
	uint64_t hash = SONDE_STACK_NOT_SEEN;
	int err;

	if (s->stacks_fd < 0)
		return 0;
	err = bpf_map_update_elem(s->stacks_fd, &hash, &none, BPF_ANY);
	if (err)
		log_error("cannot store a stack: %s%s", strerror(-err), limit_hint(-err));
	return err;
}

int session_open_begin(struct session *s)
{
	int err;

	if (!has_any(s, PK_SPANS))
		return 0;
	err = store_not_seen(s);
	if (err)
		return err;
	s->control->open_begins = 1;
	err = run_all(s, PK_SPANS);
	s->control->open_begins = 0;
	return err || !has_any(s, PK_STACKS) ? err : read_stacks(s);
}

void session_open_retry(struct session *s)
{
	if (s->open_retry_ns && monotonic_ns() > s->open_retry_ns)
		(void)read_stacks(s); /* an error was reported, and the end tries again */
}

int session_open_stop(struct session *s, void (*drain)(void *ctx), void *ctx)
{
	int err = 0;

	if (!has_any(s, PK_SPANS))
		return 0;
	if (has_any(s, PK_STACKS))
		err = read_stacks(s);
	if (!err && s->control->open_missing) {
		drain(ctx);
		session_unwind_settle(s);
		s->control->open_last = 1;
		err = read_stacks(s);
	}
	s->control->end_ns = monotonic_ns();
	return err;
}

int session_open_count(const struct session *s)
{
	int err;

	if (!has_any(s, PK_SPANS))
		return 0;
	/* A program that was running when its probe was detached may still end spans. */
	err = rcu_wait();
	if (err)
		log_warning("the kernel does not let this process wait for running programs (%s): "
			    "spans that end just now may be missing",
			    strerror(-err));
	return run_all(s, PK_SPANS);
}
