/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches all programs of a session, in the order that the kernel needs.
 */
#include "runtime/attach/attach_all.h"
#include "runtime/attach/attach_slow.h"
#include <linux/perf_event.h>
#include <unistd.h>

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

/* The kernel refused the program, which the script allows: do not name its probes as unfired. */
static void leave_out(const struct session *s, const struct plan_prog *g)
{
	for (uint32_t i = 0; s->control && i < g->n_probes; i++)
		if (g->probes[i] < SONDE_MAX_FIRED)
			s->control->fired[g->probes[i]] = 1;
}

static int attach_one(struct session *s, uint32_t prog)
{
	const struct plan_prog *g = &s->plan->progs[prog];
	uint32_t before = s->links.n, n_refused = s->n_refused;
	int err = session_stopped(s) ? -EINTR : attach_prog(s, prog);

	for (uint32_t i = before; i < s->links.n; i++)
		s->links.items[i].prog = prog;
	if (err && !attach_can_skip(s, g, err))
		return err;
	if (err) {
		drop_links(s, before);
		s->n_refused = n_refused; /* counted as skipped instead */
		s->n_skipped += plan_n_targets(g) > 1 ? g->n_targets : g->n_probes;
		leave_out(s, g);
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

/* Of several such programs at one location the kernel runs the one first that was attached last.
 * Hidden programs at the entries of kernel functions stay behind those of the returns. */
static bool is_newest_first(const struct plan_prog *g)
{
	if (prog_kind_is(g->kind, PK_EVENT))
		return g->perf.type == PERF_TYPE_SOFTWARE;
	return prog_kind_is(g->kind, PK_NEWEST_FIRST) &&
	       (g->n_probes || prog_kind_is(g->kind, PK_USER_FUNCTION));
}

/* Newest-first programs are attached from the last one to the first, so that bodies run in the
 * order of the script; but the hidden program at the entry of a user function after that at the
 * returns, because an entry can be a return, and so that no start is without an end. Returns the
 * program to attach in turn `i`; *last is at first the number of programs. */
static uint32_t next_to_attach(const struct plan *p, uint32_t i, uint32_t *last)
{
	if (!is_newest_first(&p->progs[i]))
		return i;
	do
		--*last;
	while (!is_newest_first(&p->progs[*last]));
	if (is_entry_behind(p, *last))
		return *last - 1;
	return is_entry_behind(p, *last + 1) ? *last + 1 : *last;
}

/* After such a program was refused, an earlier one may be refused, too, and is the one to
 * report. */
static bool may_report_earlier(const struct plan_prog *g, int err)
{
	return is_newest_first(g) && err && err != -EINTR && err != -ENOMEM;
}

/* Programs that fault in memory for others run before them, so they are attached last. A script can
 * run without them: what is not resident is then counted. */
static void attach_prefaults(struct session *s, bool at_exec)
{
	const struct plan *p = s->plan;

	for (uint32_t i = 0; i < p->n_progs; i++) {
		uint32_t before = s->links.n;

		if (!p->progs[i].prefaults || attach_at_exec(s, &p->progs[i]) != at_exec ||
		    session_stopped(s))
			continue;
		if (attach_prog(s, i))
			log_verbose("%s: cannot attach a program that faults in its strings",
				    session_prog_name(s, p->progs[i].prefaults - 1));
		for (uint32_t j = before; j < s->links.n; j++)
			s->links.items[j].prog = i;
	}
}

/* Attach the programs that can only be attached at exec, or all others. */
static int attach_each(struct session *s, bool at_exec)
{
	const struct plan *p = s->plan;
	struct attach_slow slow = {0};
	uint32_t n_before, last = p->n_progs;
	int err = 0, refused = 0;

	for (uint32_t turn = 0; !err && turn < p->n_progs; turn++) {
		uint32_t i = next_to_attach(p, turn, &last);

		if (attach_at_exec(s, &p->progs[i]) != at_exec || p->progs[i].prefaults)
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
	if (!err)
		attach_prefaults(s, at_exec);
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
	return FIND(s->plan->progs, s->plan->n_progs, attach_at_exec(s, item));
}

int session_attach_at_exec(struct session *s)
{
	int err = attach_each(s, true);

	return err ? err : check_any_left(s);
}
