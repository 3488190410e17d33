/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of programs: the program kind of an attach point, its targets, and which probes share
 * a program.
 */
#include "parser/plan/plan_build.h"
#include "parser/lang/span_kind.h"
#include <ctype.h>

enum {
	SESSION_ENTRY_BYTES = 16, /* largest value of entry() in a session: numbers and comm fit */
};

static const struct {
	const char *event, *field;
} rebuilt[] = {
#define REBUILT(event, field, ...) {event, field},
#include "parser/lang/rebuilt.def"
};

static bool is_rebuilt(const char *event, const struct reads *r)
{
	for (uint32_t i = 0; i < r->n_fields; i++) {
		bool found = false;

		for (size_t j = 0; j < sizeof(rebuilt) / sizeof(*rebuilt) && !found; j++)
			found = strcmp(rebuilt[j].event, event) == 0 &&
				strcmp(rebuilt[j].field, r->fields[i]->field.name) == 0;
		if (!found)
			return false;
	}
	return true;
}

/* A recording has the records of tracepoints, which no kernel is needed to make. */
static bool is_of_recording(const struct planner *pl)
{
	return pl->kernel && pl->kernel->recording;
}

/* Does the tracer run probes of its own while it traces? They are of intervals. */
static bool has_ticks(const struct program *p)
{
	for (uint32_t i = 0; i < p->n_probes; i++)
		for (uint32_t j = 0; j < p->probes[i]->n_points; j++) {
			enum plan_prog_kind kind = probe_rows[p->probes[i]->points[j].id].program;

			if (prog_kind_is(kind, PK_PERIOD) && !prog_kind_is(kind, PK_SCOPED))
				return true;
		}
	return false;
}

/* Does a program at a raw tracepoint miss more because it is preempted than that of a perf event?
 * That misses what happens while this process is preempted in a bpf(2) call. Intervals read maps by
 * such calls, with real-time priority if that is allowed (runtime/base/hold_cpu.h). */
static bool is_preempted(const struct planner *pl)
{
	return pl->kernel && kernel_has(pl->kernel, CAP_RAW_PREEMPTION) &&
	       (!has_ticks(pl->program) || kernel_has(pl->kernel, CAP_REALTIME));
}

enum plan_prog_kind plan_syscall_kind(const struct planner *pl, bool is_enter)
{
	if (is_preempted(pl))
		return is_enter ? PP_SYSCALL_ENTER_RECORD : PP_SYSCALL_EXIT_RECORD;
	return is_enter ? PP_SYSCALL_ENTER : PP_SYSCALL_EXIT;
}

/* The rule of docs/internals/tracepoints.md: the raw tracepoint where it gives the same values at
 * less cost. */
static enum plan_prog_kind tracepoint_kind(const struct planner *pl,
					   const struct attach_point *point, const struct reads *r)
{
	const struct tracepoint_point *tp = point_tracepoint(point);

	if (point->ends == SPAN_SWITCH || point->ends == SPAN_SLICE)
		return PP_SWITCH_SPAN;
	if (!tp->has_raw || (is_of_recording(pl) && point->ends != SPAN_SYSCALL))
		return PP_TRACEPOINT;
	if (point->ends == SPAN_SYSCALL)
		return plan_syscall_kind(pl, false);
	if (tp->syscall >= 0)
		return plan_syscall_kind(pl, strncmp(tp->format->event, "sys_enter_", 10) == 0);
	if (is_preempted(pl) && !r->reason && !event_is_atomic(tp->format->event))
		return PP_TRACEPOINT;
	if (!r->args && !r->reason && !event_is_wakeup(tp->format->event))
		return PP_RAW_TP;
	/* all fields of sched_switch can be rebuilt, so `reason` has the arguments of the event */
	return !r->in_record && is_rebuilt(tp->format->event, r) ? PP_TP_BTF : PP_TRACEPOINT;
}

static enum plan_prog_kind prog_kind(const struct planner *pl, const struct attach_point *point,
				     const struct reads *r)
{
	enum plan_prog_kind kind = probe_rows[point->id].program;

	if (kind == PP_TRACEPOINT)
		return tracepoint_kind(pl, point, r);
	if (kind == PP_INTERVAL && !r->interrupted)
		return PP_INTERVAL_THREAD;
	if (probe_is_at_returns(point))
		return probe_rows[probe_rows[point->id].entry].program;
	return kind;
}

/* Symbol of a program, like "p3_sched_switch": at most 15 bytes, as `bpftool prog` shows it. */
static const char *prog_symbol(struct arena *a, uint32_t index, const char *what)
{
	char *s = arena_printf(a, "p%u_%s", index, what);

	for (char *c = s; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	if (strlen(s) > 15)
		s[15] = '\0';
	return s;
}

static const char *part_of(const struct plan_prog *g, char what)
{
	switch (what) {
	case 'e': return g->event;
	case 'c': return g->category;
	case 'f': return g->function;
	default: return g->targets[0].path;
	}
}

/* ELF section of a program whose other members are set. */
static const char *section_of(struct arena *a, const struct plan_prog *g)
{
	const char *section = "";

	for (const char *c = prog_rows[g->kind].section; *c;) {
		size_t n = strcspn(c, "%");
		bool has_part = c[n] == '%';

		section = arena_printf(a, "%s%.*s%s", section, (int)n, c,
				       has_part ? part_of(g, c[n + 1]) : "");
		c += n + (has_part ? 2 : 0);
	}
	return section;
}

uint32_t plan_prog_add(struct planner *pl, struct plan_prog g, const char *what)
{
	g.symbol = prog_symbol(pl->arena, pl->plan->n_progs, what);
	g.section = section_of(pl->arena, &g);
	arena_push(pl->arena, pl->plan->progs, pl->plan->n_progs, g);
	return pl->plan->n_progs - 1;
}

uint32_t plan_name_id(struct planner *pl, const char *name)
{
	return name ? plan_name_add(pl->arena, pl->plan, name, (uint32_t)strlen(name)) : 0;
}

const char *plan_target_name(struct planner *pl, const struct attach_point *point,
			     const struct attach_target *t)
{
	if (t->name)
		return t->name;
	return arena_printf(pl->arena, "%s:%s%s%s", probe_rows[point->id].name,
			    t->path ? target_path(t) : "", t->path ? ":" : "", t->function);
}

/* What the cookie holds from PLAN_FORMAT_BIT on. Of a single function it is known that it loops. */
static uint64_t target_format(const struct planner *pl, struct plan_prog *g,
			      const struct attach_target *t)
{
	g->by_condition |= t->condition != 0;
	g->has_loops |= t->is_loop;
	g->has_jumps |= pl->keeps_result && t->is_jump;
	if (pl->keeps_result && t->is_jump)
		return t->condition | PLAN_IS_JUMP;
	if (t->condition)
		return t->condition;
	return t->is_loop ? g->by_cookie ? PLAN_IS_LOOP : 0 : t->format;
}

/* The name of the events of a target in a recording: `probe` where the path is not shown as the
 * script has it. A program that sees no return is at the entry, also of a probe at returns. */
static const char *recorded_name(const struct planner *pl, const struct plan_prog *g,
				 const struct attach_point *point, const struct attach_target *t)
{
	bool is_end = prog_kind_is(g->kind, PK_RETURN) || t->is_exit;
	enum probe_id id = is_end ? point->id : probe_rows[point->id].entry;

	return is_of_recording(pl) ? probe_recorded_name(pl->arena, id, t) : NULL;
}

static void plan_targets(struct planner *pl, struct plan_prog *g, const struct attach_point *point)
{
	uint32_t n_functions;

	probe_functions(point, &n_functions);
	g->by_cookie = n_functions > 1;
	for (uint32_t i = 0; i < point->n_targets; i++) {
		const struct attach_target *from = &point->targets[i];
		uint64_t format = target_format(pl, g, from);
		struct plan_target t = {.symbol = from->symbol,
					.path = from->path,
					.offset = from->offset,
					.size = from->size,
					.is_entry = from->is_entry,
					.is_jump = from->is_jump,
					.recorded = recorded_name(pl, g, point, from),
					.module = from->module,
					.address = from->address,
					.ref_ctr = from->ref_ctr,
					.cookie = format << PLAN_FORMAT_BIT};
		const char *name = from->name;

		if (g->by_cookie) {
			if (point->is_named || !name)
				name = point->is_named ? point->name
						       : plan_target_name(pl, point, from);
			if ((from->args || format) &&
			    plan_name_id(pl, name) >> (PLAN_FORMAT_BIT - 32))
				diag_error(pl->diags, point->span, "limit-probes",
					   "too many probes have been matched before this one");
			t.cookie |= plan_name_id(pl, from->function) |
				    (uint64_t)plan_name_id(pl, name) << 32;
		}
		arena_push(pl->arena, g->targets, g->n_targets, t);
	}
}

/* The last program of that kind, so that probes run in the order of the script. False when
 * another probe would give it too many maps or instructions. */
static bool shared_prog(struct planner *pl, const struct plan_prog *g, uint32_t *out)
{
	for (uint32_t i = pl->plan->n_progs; i-- > 0;)
		if (pl->plan->progs[i].kind == g->kind &&
		    plan_is_same(pl->plan->progs[i].category, g->category)) {
			*out = i;
			return share_fits(&pl->share, i, &pl->use);
		}
	return false;
}

/* The slower mechanism that is used because the kernel lacks a capability; or NULL. */
static const char *fallback_of(const struct planner *pl, const struct plan_prog *g,
			       const struct attach_point *point)
{
	struct kernel *k = pl->kernel;
	uint32_t traits = prog_rows[g->kind].traits;
	bool is_user = traits & PK_USER_FUNCTION && !(traits & PK_SESSION);
	bool is_kernel = traits & PK_KERNEL_FUNCTION && !(traits & (PK_TRAMPOLINE | PK_SESSION));

	if (prog_kind_is(g->kind, PK_RECORD) && is_preempted(pl))
		return "a perf event: programs at raw tracepoints are preempted (Linux 7.0)";
	if (g->kind == PP_TRACEPOINT && !point_tracepoint(point)->has_raw &&
	    !point_tracepoint(point)->format->is_unchecked)
		return "a perf event: there is no raw tracepoint of that name";
	if (k && is_user && !kernel_has(k, CAP_UPROBE_MULTI))
		return "a perf event for each function: no uprobe_multi links (Linux 6.6)";
	if (k && is_kernel && g->n_targets > 1 && !kernel_has(k, CAP_KPROBE_MULTI))
		return "a perf event for each function: no kprobe_multi links (Linux 5.18, CONFIG_FPROBE)";
	return NULL;
}

/* In a session program the values of entry() share the 512 bytes of BPF stack with the body. */
static bool keeps_little(const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_entries; i++)
		if (p->entries[i]->type->size > SESSION_ENTRY_BYTES)
			return false;
	return true;
}

/* The kind of session program that can be used instead; or PP_NONE. A single kernel function uses a
 * kretprobe, for which the kernel keeps more returns. */
static enum plan_prog_kind session_of(enum plan_prog_kind kind, uint32_t n_targets)
{
	return prog_kind_is(kind, PK_KERNEL_FUNCTION) && n_targets <= 1 ? PP_NONE
									: prog_rows[kind].session;
}

static bool has_sessions(struct kernel *k, enum plan_prog_kind session)
{
	return !k || kernel_has(k, prog_rows[session].capability);
}

/* Use a session program, which runs at both ends of a call, where possible: see
 * docs/internals/spans.md. */
enum plan_prog_kind plan_prog_choose(const struct planner *pl, const struct probe *p,
				     const struct attach_point *point, const struct reads *r)
{
	enum plan_prog_kind kind = prog_kind(pl, point, r);
	enum plan_prog_kind session = session_of(kind, point->n_targets);

	if (point->ends == SPAN_NO || !prog_kind_exists(session) || !keeps_little(p) ||
	    !share_fits_session(&pl->use))
		return kind;
	return has_sessions(pl->kernel, session) ? session : kind;
}

const char *plan_prog_pair(const struct planner *pl, const struct plan_prog *g,
			   const struct probe *p)
{
	enum plan_prog_kind session = session_of(g->kind, plan_n_targets(g));

	if (!prog_kind_exists(session))
		return NULL;
	if (!has_sessions(pl->kernel, session)) {
		const struct capability_row *c = &capability_rows[prog_rows[session].capability];

		return arena_printf(pl->arena, "a program at each end: no %s (Linux %s)", c->name,
				    c->since);
	}
	return keeps_little(p) ? NULL : "a program at each end: entry() stores long values";
}

/* Set the members for the program's kind. */
static void fill_union(struct planner *pl, struct plan_prog *g, const struct attach_point *point)
{
	if (prog_kind_is(g->kind, PK_KERNEL_FUNCTION | PK_USER_FUNCTION)) {
		g->function = point->function;
		plan_targets(pl, g, point);
		return;
	}
	switch (probe_rows[point->id].arm) {
	case ARM_TRACEPOINT:
		g->event = point->tracepoint.format->event;
		g->category = point->tracepoint.format->category;
		g->tracepoint_id = point->tracepoint.format->id;
		return;
	case ARM_TIMER:
		g->period_ns = point->timer.period_ns;
		g->hertz = point->timer.hertz;
		return;
	case ARM_PERF:
		g->perf = point->perf.event;
		g->hertz = point->perf.hertz;
		return;
	case ARM_TYPED: g->event = point->typed->name; return;
	case ARM_ITER:
		g->event = point->iter.kind->name;
		g->pin = point->iter.pin;
		return;
	case ARM_TEST: g->test = point->test; return;
	default: return;
	}
}

/* The perf event of all system calls. */
static void use_record(struct planner *pl, struct plan_prog *g, const struct attach_point *point)
{
	const struct tp_format *f;

	g->category = "raw_syscalls";
	g->fallback = fallback_of(pl, g, point);
	if (!pl->kernel->tracepoint(pl->kernel, g->category, g->event, &f))
		g->tracepoint_id = f->id;
}

uint32_t plan_prog_for(struct planner *pl, const struct attach_point *point,
		       enum plan_prog_kind kind, uint32_t weight)
{
	struct plan_prog g = {.kind = kind, .typed = probe_typed(point)};
	const char *what;
	uint32_t prog;

	if (prog_kind_is(kind, PK_SYSCALL)) {
		pl->use.weight = weight + 1;
		g.event = prog_kind_is(kind, PK_RETURN) ? "sys_exit" : "sys_enter";
		if (prog_kind_is(kind, PK_RECORD))
			use_record(pl, &g, point);
		if (is_of_recording(pl)) /* they were recorded apart */
			g.category = point_tracepoint(point)->format->category;
		if (!shared_prog(pl, &g, &prog))
			prog = plan_prog_add(pl, g, g.event);
		share_add(&pl->share, pl->arena, prog, &pl->use);
		return prog;
	}
	fill_union(pl, &g, point);
	g.fallback = fallback_of(pl, &g, point);
	what = prog_kind_is(kind, PK_KERNEL_FUNCTION | PK_USER_FUNCTION) ? g.function : g.event;
	return plan_prog_add(pl, g, what ? what : probe_rows[point->id].name);
}
