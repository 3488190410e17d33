/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unwind tables of a session: see unwind.h.
 */
#include "runtime/session/unwind.h"
#include "runtime/base/clock.h"
#include "runtime/base/folders.h"
#include "runtime/base/limit_hint.h"
#include "runtime/symbols/usym.h"
#include "runtime/unwind/unwind.h"
#include <limits.h>
#include <unistd.h>

#define WAIT_NS 2000000000ull	/* the longest that the start waits */
#define WAIT_ALL_NS 30000000ull /* the same if all processes are traced */
#define SLICE_NS 50000000ull	/* between two looks for a stop signal */
enum { FILES_MAX = 4 };		/* of functions: with so many, all processes are read */

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

/* Post the files of functions that user stacks are taken in: of the program or library, and of the
 * processes that have mapped it if all are traced. `files`: those that were posted. False: there
 * are too many. */
static bool add_files_of(struct session_prep *prep, const struct plan_prog *g,
			 const char *files[FILES_MAX], uint32_t *n)
{
	for (uint32_t i = 0; i < g->n_targets && *n < FILES_MAX; i++) {
		const char *path = g->targets[i].path;

		if (FIND(files, *n, strcmp(*item, path) == 0))
			continue;
		files[(*n)++] = path;
		unwind_worker_add_program(prep->unwind, path);
		if (prep->config.scope == SONDE_SCOPE_ALL)
			unwind_worker_add_used(prep->unwind, path);
	}
	return *n < FILES_MAX;
}

/* Post what is used by the programs that walk user stacks. */
static void add_used(struct session_prep *prep, const struct plan *plan)
{
	const char *files[FILES_MAX];
	bool all = false;
	uint32_t n = 0;

	for (uint32_t i = 0; i < plan->n_progs; i++) {
		const struct plan_prog *g = &plan->progs[i];

		if (!g->walks || prog_kind_is(g->kind, PK_OUTSIDE | PK_TRACER))
			continue;
		all |= !prog_kind_is(g->kind, PK_USER_FUNCTION) ||
		       !add_files_of(prep, g, files, &n);
	}
	if (all && prep->config.scope == SONDE_SCOPE_ALL)
		unwind_worker_add_used(prep->unwind, NULL);
}

void session_unwind_prepare(struct session_prep *prep, const struct plan *plan, struct kernel *k,
			    const char *program)
{
	char cache[PATH_MAX];
	int err;

	if (!plan->needs.unwind)
		return;
	if (!kernel_has(k, CAP_UNWIND)) {
		warn_frame_pointers();
		return;
	}
	err = unwind_worker_start(&prep->unwind,
				  folders_cache(cache, sizeof(cache)) ? cache : NULL);
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
	add_used(prep, plan);
	if (prep->config.scope == SONDE_SCOPE_ALL)
		prep->unwind_until_ns = monotonic_ns() + WAIT_ALL_NS;
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
	log_verbose(
		"unwind: %s: %u processes, %u files (%u without a table, %u from the cache), %llu "
		"rows, %u rules, "
		"%llu KiB used of %llu, %llu.%llu ms of CPU, evicted %llu files and %llu processes, "
		"%llu requests lost",
		when, st.n_processes, st.n_files, st.n_files_refused, st.n_files_cached,
		(unsigned long long)st.n_rows, st.n_rules, (unsigned long long)st.used_bytes / 1024,
		(unsigned long long)st.store_bytes / 1024, (unsigned long long)st.busy_ns / 1000000,
		(unsigned long long)st.busy_ns / 100000 % 10,
		(unsigned long long)st.n_evicted_files, (unsigned long long)st.n_evicted_processes,
		(unsigned long long)st.n_lost);
}

static void wait_for_tables(const struct session *s, uint64_t until_ns)
{
	uint64_t now_ns = monotonic_ns(), slice_ns;

	for (; now_ns < until_ns && !session_stopped(s); now_ns = monotonic_ns()) {
		slice_ns = until_ns - now_ns < SLICE_NS ? until_ns - now_ns : SLICE_NS;
		if (unwind_worker_wait(s->unwind, slice_ns))
			return;
	}
}

void session_unwind_wait(const struct session *s)
{
	if (!s->unwind)
		return;
	wait_for_tables(s, s->prep->unwind_until_ns ?: monotonic_ns() + WAIT_NS);
	report(s, "at the start");
}

void session_unwind_settle(const struct session *s)
{
	if (s->unwind)
		wait_for_tables(s, monotonic_ns() + WAIT_NS);
}

uint64_t session_unwind_version(const struct session *s)
{
	return s->unwind ? unwind_worker_version(s->unwind) : 0;
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
