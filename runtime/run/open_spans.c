/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Open spans: runs the programs that iterate over all threads, when tracing begins and when it has
 * ended. The calls of a thread are counted one by one, the outermost first: one run for each depth.
 * The user stacks of threads that wait are read again after some were cut for lack of tables.
 */
#include "runtime/run/loop_state.h"
#include "bpf_helpers/unwind.h"
#include "runtime/base/clock.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/rcu_wait.h"
#include "runtime/load/waiting.h"
#include "runtime/session/unwind.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

/* Stacks that were cut for lack of tables are read again when there are new tables: the time from
 * the cut to the first check for new tables, and the longest time between two checks. */
#define LOOK_NS 5000000ull
#define LOOK_MAX_NS 1000000000ull
enum { REST = 100 }; /* the least time between two readings, as a multiple of the first one's */

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

static int run_prog(const struct session *s, const struct bpf_program *prog)
{
	int link = bpf_link_create(bpf_program__fd(prog), 0, BPF_TRACE_ITER, NULL), err;
	struct sonde_control *c = s->control;

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

/* Programs that the kernel refused are left out (runtime/load/load.c). */
static bool visits_threads(const struct session *s, uint32_t prog)
{
	return prog_kind_is(s->plan->progs[prog].kind, PK_SPANS) &&
	       bpf_program__autoload(s->progs[prog]);
}

static int run_all(const struct session *s)
{
	for (uint32_t i = 0; i < s->plan->n_progs; i++) {
		int err;

		if (!visits_threads(s, i))
			continue;
		err = run_prog(s, s->progs[i]);
		if (!err)
			continue;
		log_error("probe '%s': cannot look at waiting threads: %s",
			  s->plan->probes[s->plan->progs[i].probes[0]].name, strerror(-err));
		return err;
	}
	return 0;
}

/* A source of events visits threads itself. */
static bool has_any(const struct session *s)
{
	for (uint32_t i = 0; s->control && !s->source && i < s->plan->n_progs; i++)
		if (visits_threads(s, i))
			return true;
	return false;
}

/* User stacks of threads that wait, for spans whose stack is not known. Where tables are missing,
 * programs have asked for them. If this fails, such stacks count as lost. */
static void read_stacks(struct session *s)
{
	uint64_t start_ns, end_ns;
	int err = waiting_load(s);

	start_ns = monotonic_ns();
	s->open_version = session_unwind_version(s);
	s->control->open_missing = 0;
	for (size_t i = 0; i < s->waiting.n && !err; i++)
		err = run_prog(s, bpf_object__next_program(s->waiting.items[i], NULL));
	if (err)
		log_warning(
			"cannot read user stacks of threads that already waited (%s): they count as lost",
			strerror(-err));
	end_ns = monotonic_ns();
	s->open_step_ns = LOOK_NS;
	s->open_look_ns = !err && s->control->open_missing ? end_ns + LOOK_NS : 0;
	s->open_rest_ns = err ? UINT64_MAX : end_ns + (end_ns - start_ns) * REST;
}

/* False also after a failure. */
static bool can_read(const struct session *s)
{
	return s->open_rest_ns != UINT64_MAX && waiting_can_read(s);
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

	if (!has_any(s))
		return 0;
	err = store_not_seen(s);
	if (err)
		return err;
	s->control->open_begins = 1;
	err = run_all(s);
	s->control->open_begins = 0;
	if (!err && can_read(s))
		read_stacks(s);
	return err;
}

/* Some stack was cut: look soon whether there are tables. */
static void note_cut(struct session *s, uint64_t now_ns)
{
	if (!s->control->open_cut)
		return;
	s->control->open_cut = 0;
	if (!can_read(s))
		return;
	s->open_step_ns = LOOK_NS;
	if (!s->open_look_ns || s->open_look_ns > now_ns + LOOK_NS)
		s->open_look_ns = now_ns + LOOK_NS;
}

void session_open_retry(struct session *s)
{
	uint64_t now_ns;

	if (!s->control || (!s->open_look_ns && !s->control->open_cut))
		return;
	now_ns = monotonic_ns();
	note_cut(s, now_ns);
	if (!s->open_look_ns || now_ns < s->open_look_ns)
		return;
	if (now_ns < s->open_rest_ns) {
		s->open_look_ns = s->open_rest_ns;
	} else if (session_unwind_version(s) != s->open_version) {
		read_stacks(s);
	} else {
		s->open_step_ns =
			2 * s->open_step_ns < LOOK_MAX_NS ? 2 * s->open_step_ns : LOOK_MAX_NS;
		s->open_look_ns = now_ns + s->open_step_ns;
	}
}

void session_open_stop(struct session *s, void (*drain)(void *ctx), void *ctx)
{
	if (!has_any(s))
		return;
	if (can_read(s))
		read_stacks(s);
	if (s->control->open_missing) {
		drain(ctx);
		session_unwind_settle(s);
		s->control->open_last = 1;
		read_stacks(s);
	}
	s->control->end_ns = monotonic_ns();
}

int session_open_count(const struct session *s)
{
	int err;

	if (!has_any(s))
		return 0;
	/* A program that was running when its probe was detached may still end spans. */
	err = rcu_wait();
	if (err)
		log_warning("the kernel does not let this process wait for running programs (%s): "
			    "spans that end just now may be missing",
			    strerror(-err));
	return run_all(s);
}
