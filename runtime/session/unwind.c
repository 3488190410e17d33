/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind tables of a session: see unwind.h.
 */
#include "runtime/session/unwind.h"
#include "runtime/base/clock.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include "parser/lang/kernel.h"
#include "runtime/symbols/maptrack.h"
#include "runtime/symbols/usym.h"
#include "runtime/unwind/unwind.h"
#include "runtime/session/prep.h"
#include "runtime/session/session.h"
#include <string.h>
#include <unistd.h>

static void warn_frame_pointers(void)
{
	const struct capability_row *c = &capability_rows[CAP_UNWIND];

	log_warning("user stacks are walked by frame pointers, as there are no unwind tables here "
		    "(%s, since Linux %s): callers of code that keeps none are missing; ustack(fp) "
		    "does the same without this warning",
		    c->from, c->since);
}

static void warn_failed(int err)
{
	log_warning("user stacks are walked by frame pointers, as unwind tables cannot be made "
		    "(%s%s): callers of code that keeps none are missing",
		    strerror(-err), limit_hint(err));
}

void session_unwind_prepare(struct session_prep *prep, const struct plan *plan, struct kernel *k,
			    const char *program)
{
	int err;

	if (!plan->needs.unwind)
		return;
	if (!kernel_has(k, CAP_UNWIND)) {
		warn_frame_pointers();
		return;
	}
	err = unwind_worker_start(&prep->unwind);
	if (err) {
		prep->unwind_error = err;
		if (!plan->needs.dwarf) /* else an error, when programs are loaded */
			warn_failed(err);
		return;
	}
	prep->config.unwinds = 1;
	if (program)
		unwind_worker_add_program(prep->unwind, program);
	else if (prep->config.scope != SONDE_SCOPE_ALL)
		unwind_worker_add_process(prep->unwind, prep->config.scope_tgid,
					  prep->config.scope == SONDE_SCOPE_FOLLOW);
	if (plan->needs.own_unwind)
		unwind_worker_add_process(prep->unwind, (uint32_t)getpid(), false);
}

void session_unwind_hand_over(const struct session_prep *prep, struct bpf_object *object)
{
	if (prep->unwind)
		unwind_worker_hand_over(prep->unwind, object);
}

void session_unwind_free(struct session_prep *prep)
{
	unwind_worker_stop(prep->unwind);
	prep->unwind = NULL;
}

static void report(const struct session *s, const char *when)
{
	struct unwind_stats st;

	if (!log_enabled(LOG_VERBOSE))
		return;
	unwind_worker_stats(s->unwind, &st);
	log_verbose("unwind: %s: %u processes, %u files (%u without a table), %llu rows, %u rules, "
		    "%llu KiB used of %llu, %llu.%llu ms, evicted %llu files and %llu processes, "
		    "%llu requests lost",
		    when, st.n_processes, st.n_files, st.n_files_refused,
		    (unsigned long long)st.n_rows, st.n_rules,
		    (unsigned long long)st.used_bytes / 1024,
		    (unsigned long long)st.store_bytes / 1024,
		    (unsigned long long)st.busy_ns / 1000000,
		    (unsigned long long)st.busy_ns / 100000 % 10,
		    (unsigned long long)st.n_evicted_files,
		    (unsigned long long)st.n_evicted_processes, (unsigned long long)st.n_lost);
}

#define WAIT_NS 2000000000ull /* the longest that the start waits */
#define SLICE_NS 50000000ull  /* between two looks for a stop signal */

static void wait_for_tables(const struct session *s)
{
	uint64_t end = monotonic_ns() + WAIT_NS;

	while (!unwind_worker_wait(s->unwind, SLICE_NS) && monotonic_ns() < end)
		if (session_stopped(s))
			break;
}

void session_unwind_wait(const struct session *s)
{
	if (!s->unwind)
		return;
	wait_for_tables(s);
	report(s, "at the start");
}

void session_unwind_settle(const struct session *s)
{
	if (s->unwind)
		wait_for_tables(s);
}

void session_unwind_report(const struct session *s)
{
	if (s->unwind)
		report(s, "at the end");
}

/* ---- what happens to processes ------------------------------------------------------------- */

void session_unwind_follow(const struct session *s)
{
	if (s->unwind && s->usyms)
		usyms_observe(s->usyms, unwind_worker_report, s->unwind);
}

void session_unwind_note(const struct session *s, const struct sonde_unwind_event *ev)
{
	if (s->unwind)
		unwind_worker_note(s->unwind, ev);
}

void session_unwind_check(const struct session *s)
{
	if (s->unwind)
		unwind_worker_check_all(s->unwind);
}
