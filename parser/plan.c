/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed AST -> plan: which kernel programs, how maps, records and hidden state are laid out, what
 * the runtime has to provide. The only place that hands out map and event ids and computes offsets;
 * it writes them back into the tree (map.id, call.event) for codegen.
 * Before: sema_run returned 0. After: the plan needs the AST no more.
 */
#include "plan.h"
#include "../bpf_helpers/shared.h"
#include "arena.h"
#include "diag.h"
#include "limits.h"
#include "plan_build.h"
#include "plan_run.h"
#include "sema.h"
#include "span_kind.h"
#include <ctype.h>
#include <string.h>

enum {
	SPAN_WEIGHT = 3, /* the verifier walks more ways through expressions of spans */
	SESSION_ENTRY_BYTES = 16, /* of a value of entry() in a session: numbers, comm */
};

/* ---- what a probe reads of its context --------------------------------------------------- */

struct reads {
	struct arena *arena;
	bool ustack, args, probe;
	bool entry_of_point; /* entry() holds what differs between attach points */
	const char **fields;
	uint32_t n_fields;
	uint32_t *limits; /* of ustack(n) */
	uint32_t n_limits;
	uint32_t n_exprs; /* all there are: how long the body is */
	uint32_t n_entry_exprs;
};

static void add_limit(struct reads *r, uint32_t limit)
{
	for (uint32_t i = 0; i < r->n_limits; i++)
		if (r->limits[i] == limit)
			return;
	arena_push(r->arena, r->limits, r->n_limits, limit);
}

static void add_read(struct reads *r, const char *field)
{
	r->args = true;
	for (uint32_t i = 0; i < r->n_fields; i++)
		if (strcmp(r->fields[i], field) == 0)
			return;
	arena_push(r->arena, r->fields, r->n_fields, field);
}

static bool is_args(const struct expr *e)
{
	return e->kind == EX_NAME && e->name.builtin && e->name.builtin->id == BI_args;
}

static void read_expr(struct expr *e, void *ctx)
{
	struct reads *r = ctx;

	r->n_exprs++;
	if (e->kind == EX_CALL && e->call.builtin && e->call.builtin->traits & TR_ENTRY)
		return; /* computed when the span starts: plan_span */
	if (e->kind == EX_NAME && e->name.builtin && e->name.builtin->id == BI_ustack) {
		r->ustack |= !e->name.limit;
		if (e->name.limit)
			add_limit(r, e->name.limit);
	}
	if (e->kind == EX_NAME && e->name.builtin && e->name.builtin->id == BI_probe)
		r->probe = true;
	if (e->kind == EX_FIELD && is_args(e->field.object))
		add_read(r, e->field.name);
	ast_each_child(e, read_expr, r);
}

static void read_probe(struct planner *pl, struct probe *p, struct reads *r)
{
	struct reads of_start = {.arena = pl->arena};

	*r = (struct reads){.arena = pl->arena};
	for (uint32_t i = 0; i < p->n_entries; i++)
		read_expr(p->entries[i]->call.args[0], &of_start);
	r->entry_of_point = of_start.args || of_start.probe;
	r->n_entry_exprs = of_start.n_exprs;
	if (p->predicate)
		read_expr(p->predicate, r);
	ast_each_in_block(&p->body, read_expr, r);
}

/* ---- programs ---------------------------------------------------------------------------- */

static const struct {
	const char *event, *field;
} rebuilt[] = {
#define REBUILT(event, field, helper) {event, field},
#include "rebuilt.def"
#undef REBUILT
};

static bool is_rebuilt(const char *event, const struct reads *r)
{
	for (uint32_t i = 0; i < r->n_fields; i++) {
		bool found = false;

		for (size_t j = 0; j < sizeof(rebuilt) / sizeof(*rebuilt) && !found; j++)
			found = strcmp(rebuilt[j].event, event) == 0 &&
				strcmp(rebuilt[j].field, r->fields[i]) == 0;
		if (!found)
			return false;
	}
	return true;
}

/* The rule of docs/architecture.md, "Tracepoints": raw when it is the same and cheaper. */
static enum plan_prog_kind tracepoint_kind(const struct probe *p, const struct attach_point *point,
					   const struct reads *r)
{
	if (p->uses_oncpu || (p->uses_delta && probe_span(point) == SPAN_SWITCH))
		return PP_SWITCH_SPAN;
	if (!point->has_raw)
		return PP_TRACEPOINT;
	if (point->syscall >= 0)
		return strncmp(point->format->event, "sys_enter_", 10) == 0 ? PP_SYSCALL_ENTER
									    : PP_SYSCALL_EXIT;
	if (!r->args)
		return PP_RAW_TP;
	return is_rebuilt(point->format->event, r) ? PP_TP_BTF : PP_TRACEPOINT;
}

static enum plan_prog_kind prog_kind(const struct probe *p, const struct attach_point *point,
				     const struct reads *r)
{
	switch (point->id) {
	case PROBE_BEGIN:
		return PP_BEGIN;
	case PROBE_END:
		return PP_END;
	case PROBE_TRACEPOINT:
		return tracepoint_kind(p, point, r);
	case PROBE_INTERVAL:
		return PP_INTERVAL;
	case PROBE_PROFILE:
		return PP_PROFILE;
	case PROBE_KPROBE:
		return PP_KPROBE;
	case PROBE_KRETPROBE:
		return PP_KRETPROBE;
	case PROBE_FENTRY:
		return PP_FENTRY;
	case PROBE_FEXIT:
		return PP_FEXIT;
	case PROBE_RAWTRACEPOINT:
		return PP_TP_BTF;
	case PROBE_UPROBE:
		return PP_UPROBE;
	case PROBE_URETPROBE:
		return point->is_at_returns ? PP_UPROBE : PP_URETPROBE;
	case PROBE_SOFTWARE:
	case PROBE_HARDWARE:
	case PROBE_WATCHPOINT:
		return PP_EVENT;
	case PROBE_ITER:
		return PP_ITER;
	case PROBE_SELF:
		return PP_SELF;
	case PROBE_TEST:
		return PP_TEST;
	case PROBE_BENCH:
		return PP_BENCH;
	case PROBE_USDT:
		return PP_USDT;
	case PROBE_COUNT:
		break;
	}
	return PP_KIND_COUNT;
}

/* "p3_sched_switch", at most 15 bytes: what `bpftool prog` will show. */
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

static uint32_t add_prog(struct planner *pl, struct plan_prog g, const char *what)
{
	g.symbol = prog_symbol(pl->arena, pl->plan->n_progs, what);
	g.section = plan_section(pl->arena, &g);
	arena_push(pl->arena, pl->plan->progs, pl->plan->n_progs, g);
	return pl->plan->n_progs - 1;
}

static uint32_t name_id(struct planner *pl, const char *name)
{
	return name ? plan_name_add(pl->arena, pl->plan, name, (uint32_t)strlen(name)) : 0;
}

/* The value of `probe` at one of many functions. */
static const char *target_name(struct planner *pl, const struct attach_point *point,
			       const struct attach_target *t)
{
	if (t->name)
		return t->name;
	return arena_printf(pl->arena, "%s:%s%s%s", probe_rows[point->id].name,
			    t->path ? t->path : "", t->path ? ":" : "", t->function);
}

static void plan_targets(struct planner *pl, struct plan_prog *g, const struct attach_point *point)
{
	g->by_cookie = (point->is_at_returns ? point->n_entries : point->n_targets) > 1;
	for (uint32_t i = 0; i < point->n_targets; i++) {
		const struct attach_target *from = &point->targets[i];
		struct plan_target t = {.symbol = from->symbol, .path = from->path,
					.offset = from->offset, .size = from->size,
					.is_entry = from->is_entry, .module = from->module,
					.address = from->address, .ref_ctr = from->ref_ctr};
		const char *name = from->name;

		if (g->by_cookie) {
			if (point->is_named || !name)
				name = point->is_named ? point->name : target_name(pl, point, from);
			if (from->args && name_id(pl, name) >> (PLAN_FORMAT_BIT - 32))
				diag_error(pl->diags, point->span, "limit-probes",
					   "too many probes have been matched before this one");
			t.cookie = name_id(pl, from->function) | (uint64_t)name_id(pl, name) << 32 |
				   (uint64_t)from->format << PLAN_FORMAT_BIT;
		}
		arena_push(pl->arena, g->targets, g->n_targets, t);
	}
}

/* The last program of that kind, so that probes run in the order of the script, while the kernel
 * allows it as many maps and such a length. */
static bool shared_prog(struct planner *pl, enum plan_prog_kind kind, uint32_t *out)
{
	for (uint32_t i = pl->plan->n_progs; i-- > 0;)
		if (pl->plan->progs[i].kind == kind) {
			*out = i;
			return share_has_room(&pl->share, i, &pl->use);
		}
	return false;
}

/* Where the kernel lacks what is meant to be used. */
static const char *fallback_of(const struct planner *pl, const struct plan_prog *g,
			       const struct attach_point *point)
{
	struct kernel *k = pl->kernel;
	bool is_user = g->kind == PP_UPROBE || g->kind == PP_URETPROBE || g->kind == PP_USDT;
	bool is_kernel = g->kind == PP_KPROBE || g->kind == PP_KRETPROBE;

	if (g->kind == PP_TRACEPOINT && !point->has_raw && !point->format->is_unchecked)
		return "a perf event: there is no raw tracepoint of that name";
	if (k && is_user && !k->has_feature(k, KF_UPROBE_MULTI))
		return "a perf event a function: no uprobe_multi links (Linux 6.6)";
	if (k && is_kernel && g->n_targets > 1 && !k->has_feature(k, KF_KPROBE_MULTI))
		return "a perf event a function: no kprobe_multi links (Linux 5.18, CONFIG_FPROBE)";
	return NULL;
}

/* What entry() keeps takes of the 512 bytes of stack that the body has too, when both are one
 * program. */
static bool keeps_little(const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_entries; i++)
		if (p->entries[i]->type->size > SESSION_ENTRY_BYTES)
			return false;
	return true;
}

/* Calls whose both ends one program can see: docs/architecture.md, "Sessions". A single kernel
 * function is probed otherwise: the kernel keeps more returns for it then. */
static enum plan_prog_kind session_kind(const struct planner *pl, const struct probe *p,
					const struct attach_point *point, enum plan_prog_kind kind)
{
	struct kernel *k = pl->kernel;

	if (!p->uses_delta || !keeps_little(p) || !share_has_session_room(&pl->use))
		return kind;
	if (kind == PP_URETPROBE && (!k || k->has_feature(k, KF_UPROBE_SESSION)))
		return PP_USESSION;
	if (kind == PP_KRETPROBE && point->n_targets > 1 &&
	    (!k || k->has_feature(k, KF_KPROBE_SESSION)))
		return PP_KSESSION;
	return kind;
}

/* Spans of calls without a session. */
static const char *pair_of(const struct planner *pl, const struct plan_prog *g,
			   const struct probe *p)
{
	struct kernel *k = pl->kernel;
	bool is_user = g->kind == PP_URETPROBE;
	bool is_kernel = g->kind == PP_KRETPROBE && g->n_targets > 1;

	if (k && is_user && !k->has_feature(k, KF_UPROBE_SESSION))
		return "a program at each end: no session links of uprobes (Linux 6.13)";
	if (k && is_kernel && !k->has_feature(k, KF_KPROBE_SESSION))
		return "a program at each end: no session links of kprobes (Linux 6.10)";
	if ((is_user || is_kernel) && !keeps_little(p))
		return "a program at each end: entry() keeps long values";
	return NULL;
}

/* Program for an attach point: a new one, but all system calls' probes share two, or as few as can
 * hold them; `weight` is what it adds to the program's length. */
static uint32_t prog_for(struct planner *pl, const struct attach_point *point,
			 enum plan_prog_kind kind, uint32_t weight)
{
	struct plan_prog g = {.kind = kind,
			      .function = point->function,
			      .typed = point->typed,
			      .period_ns = point->period_ns,
			      .hertz = point->hertz,
			      .perf = point->perf,
			      .event = point->iter ? point->iter->name : NULL,
			      .pin = point->pin,
			      .test = point->test};

	if (kind == PP_SYSCALL_ENTER || kind == PP_SYSCALL_EXIT) {
		uint32_t prog;

		pl->use.weight = weight + 1;
		g.event = kind == PP_SYSCALL_ENTER ? "sys_enter" : "sys_exit";
		if (!shared_prog(pl, kind, &prog))
			prog = add_prog(pl, g, g.event);
		share_add(&pl->share, pl->arena, prog, &pl->use);
		return prog;
	}
	if (kind == PP_TP_BTF && point->typed)
		g.event = point->typed->name;
	if (point->format) {
		g.event = point->format->event;
		g.category = point->format->category;
		g.tracepoint_id = point->format->id;
	}
	plan_targets(pl, &g, point);
	g.fallback = fallback_of(pl, &g, point);
	return add_prog(pl, g,
			g.event ? g.event : g.function ? g.function : probe_rows[point->id].name);
}

/* ---- spans ------------------------------------------------------------------------------- */

/* A place in a span's slot for what its start sees. */
static struct plan_field span_field(struct plan_probe *q, const struct type *t)
{
	const struct type *kept = plan_recorded(t);
	struct plan_field f = {.type = kept, .offset = q->span_size, .size = kept->size};

	q->span_size = plan_align(q->span_size + kept->size, 8);
	return f;
}

/* What the event that is gone by the end had: at sched_switch the current thread is another
 * then. */
static void plan_switch_state(struct planner *pl, struct plan_probe *q,
			      const struct attach_point *point, const struct reads *r)
{
	if (r->ustack)
		q->span_ustack = (int32_t)span_field(q, &type_ustack).offset;
	q->span_ustack_limits = r->limits;
	for (uint32_t i = 0; i < r->n_limits; i++)
		arena_push(pl->arena, q->span_ustacks, q->n_span_ustacks,
			   span_field(q, &type_ustack));
	q->span_arg_names = r->fields;
	for (uint32_t i = 0; i < r->n_fields; i++) {
		const struct tp_field *tf = sema_args_field(point, r->fields[i]);
		struct plan_field f = span_field(q, sema_field_type(pl->arena, tf));

		arena_push(pl->arena, q->span_args, q->n_span_args, f);
	}
}

/* Functions of one pattern, each with a program of its own, have one stack of open calls. */
static uint32_t pattern_owner(const struct planner *pl, const struct plan_probe *q)
{
	const struct probe *p = pl->program->probes[q->ast];
	const char *pattern = p->points[q->point].pattern;

	for (uint32_t i = 0; i < pl->plan->n_probes && p->points[q->point].typed && pattern; i++) {
		const struct plan_probe *other = &pl->plan->probes[i];

		if (other->ast == q->ast && p->points[other->point].typed &&
		    p->points[other->point].pattern == pattern)
			return i;
	}
	return pl->plan->n_probes;
}

/* All calls of one body have one slot a thread: it can be in one of them only. */
static uint32_t span_owner(const struct planner *pl, const struct plan_probe *q)
{
	if (q->span_kind == SPAN_RETURN)
		return pattern_owner(pl, q);
	for (uint32_t i = 0; i < pl->plan->n_probes && q->span_kind == SPAN_SYSCALL; i++)
		if (pl->plan->probes[i].ast == q->ast &&
		    pl->plan->probes[i].span_kind == SPAN_SYSCALL)
			return i;
	return pl->plan->n_probes;
}

static void plan_span(struct planner *pl, struct plan_probe *q, const struct attach_point *point,
		      const struct reads *r)
{
	const struct probe *p = pl->program->probes[q->ast];
	const struct span_row *row = &span_rows[probe_span(point)];

	q->has_span = true;
	q->span_kind = probe_span(point);
	q->span_owner = span_owner(pl, q);
	q->span_slots = row->slots;
	q->span_head = row->slots > 1 ? 8 : 0;
	q->span_size = 8 + row->key_bytes;
	if (q->span_kind == SPAN_SWITCH)
		plan_switch_state(pl, q, point, r);
	for (uint32_t i = 0; i < p->n_entries; i++) {
		struct plan_field f = span_field(q, p->entries[i]->type);

		arena_push(pl->arena, q->span_entries, q->n_span_entries, f);
	}
	if (q->span_head + q->span_slots * q->span_size <= LIMIT_SPAN_BYTES)
		return;
	diag_error(pl->diags, point->span, "limit-span",
		   "what entry() keeps of each span takes %u bytes, at most %u are possible here",
		   q->span_size, LIMIT_SPAN_BYTES / q->span_slots);
}

/* The program in which the spans of probe `id` start, when it is another than the probe's own. */
static void plan_start(struct planner *pl, const struct attach_point *point, uint32_t id,
		       const struct reads *r)
{
	struct attach_point entry = *point;
	struct plan_prog *g;
	uint32_t prog;

	if (point->is_at_returns) {
		entry.targets = point->entries;
		entry.n_targets = point->n_entries;
	}
	g = &pl->plan->progs[pl->plan->probes[id].prog];
	if (g->kind == PP_KSESSION || g->kind == PP_USESSION) {
		arena_push(pl->arena, g->starts, g->n_starts, id);
		return;
	}
	switch (span_rows[probe_span(point)].start) {
	case START_HERE:
		return;
	case START_ENTRY:
		prog = prog_for(pl, &entry,
				point->id == PROBE_URETPROBE ? PP_UPROBE
				: point->id == PROBE_FEXIT   ? PP_FENTRY
							     : PP_KPROBE,
				r->n_entry_exprs);
		break;
	case START_SYS_ENTER:
		prog = prog_for(pl, point, PP_SYSCALL_ENTER, (r->n_entry_exprs + 1) * SPAN_WEIGHT);
		break;
	default:
		return;
	}
	g = &pl->plan->progs[prog];
	arena_push(pl->arena, g->starts, g->n_starts, id);
}

/* open_spans = count: a program that goes over all threads when tracing has ended. */
static void plan_open(struct planner *pl, uint32_t id)
{
	const struct plan_probe *q = &pl->plan->probes[id];
	struct plan_prog g = {.kind = PP_OPEN_SPANS};
	uint32_t prog;

	if (pl->program->config.open_spans != OPEN_SPANS_COUNT ||
	    (q->span_kind != SPAN_SWITCH && q->span_kind != SPAN_RETURN &&
	     q->span_kind != SPAN_SYSCALL))
		return;
	prog = add_prog(pl, g, "open");
	arena_push(pl->arena, pl->plan->progs[prog].probes, pl->plan->progs[prog].n_probes, id);
	pl->plan->needs.task = true; /* is it on a CPU? */
}

/* ---- probes ------------------------------------------------------------------------------ */

static bool same_fields(const struct attach_point *p, const struct attach_point *q,
			const struct reads *r)
{
	for (uint32_t i = 0; i < r->n_fields; i++) {
		const struct tp_field *f = sema_args_field(p, r->fields[i]);
		const struct tp_field *g = sema_args_field(q, r->fields[i]);

		if (f->offset != g->offset || f->size != g->size || f->is_signed != g->is_signed)
			return false;
	}
	return true;
}

/* Several system calls that one pattern matches are one probe, when its body is the same for
 * all. */
static bool joins_pattern(struct planner *pl, uint32_t ast, const struct attach_point *point,
			  const struct reads *r)
{
	const struct probe *p = pl->program->probes[ast];
	struct plan_probe *last =
		pl->plan->n_probes ? &pl->plan->probes[pl->plan->n_probes - 1] : NULL;
	const struct attach_point *first = last ? &p->points[last->point] : NULL;

	if (!last || last->ast != ast || r->entry_of_point || !point->pattern ||
	    point->syscall < 0 || point->syscall >= SONDE_SYSCALLS || last->syscall < 0 ||
	    last->syscall >= SONDE_SYSCALLS || first->pattern == NULL ||
	    strcmp(first->pattern, point->pattern) != 0 ||
	    strncmp(first->format->event, point->format->event, strlen("sys_enter")) != 0 ||
	    !same_fields(first, point, r))
		return false;
	last->name = point->is_named ? point->name : point->pattern;
	arena_push(pl->arena, last->syscalls, last->n_syscalls, point->syscall);
	arena_push(pl->arena, last->syscall_names, last->n_syscall_names, name_id(pl, point->name));
	return true;
}

static void plan_point(struct planner *pl, uint32_t ast, uint32_t index, const struct reads *r)
{
	struct probe *p = pl->program->probes[ast];
	const struct attach_point *point = &p->points[index];
	enum plan_prog_kind kind = session_kind(pl, p, point, prog_kind(p, point, r));
	struct plan_probe q = {.name = point->name, .span = point->span, .ast = ast, .point = index,
			       .syscall = point->syscall, .span_ustack = -1,
			       .room_bytes = pl->room_bytes};
	uint32_t id = pl->plan->n_probes;
	struct plan_prog *g;

	if (joins_pattern(pl, ast, point, r))
		return;
	q.func_id = name_id(pl, point->id == PROBE_USDT ? point->targets->function
							: point->function);
	if (point->n_targets == 1 && point->function && strchr(point->function, '*')) {
		/* a pattern of one function */
		q.name = point->is_named ? q.name : target_name(pl, point, point->targets);
		q.func_id = name_id(pl, point->targets->function);
	}
	q.name_id = name_id(pl, q.name);
	q.prog = prog_for(pl, point, kind, r->n_exprs * (p->uses_delta ? SPAN_WEIGHT : 1));
	if (p->uses_delta || p->uses_oncpu)
		plan_span(pl, &q, point, r);
	arena_push(pl->arena, pl->plan->probes, pl->plan->n_probes, q);
	g = &pl->plan->progs[q.prog];
	arena_push(pl->arena, g->probes, g->n_probes, id);
	if (q.has_span && !g->fallback)
		g->fallback = pair_of(pl, g, p);
	if (q.has_span)
		plan_start(pl, point, id, r);
	if (q.has_span)
		plan_open(pl, id);
}

static bool is_in_process(const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_points; i++)
		if (probe_rows[p->points[i].id].is_in_process)
			return true;
	return false;
}

static void plan_probe(struct planner *pl, uint32_t ast)
{
	struct probe *p = pl->program->probes[ast];
	uint32_t n_run = 0;
	struct reads r;

	for (uint32_t i = 0; i < p->n_points; i++)
		n_run += plan_runs(pl->run, p->points[i].id);
	if (!n_run)
		return;
	pl->is_iter = p->n_points && p->points[0].id == PROBE_ITER;
	if (p->predicate)
		plan_expr(p->predicate, pl);
	plan_block(pl, &p->body);
	for (uint32_t i = 0; i < p->n_entries; i++)
		p->entries[i]->call.event = (int32_t)i;
	read_probe(pl, p, &r);
	share_collect(p, &pl->use);
	pl->use.has_scope = is_in_process(p) && !p->uses_delta;
	pl->room_bytes = plan_room(pl, p);
	pl->use.has_room = pl->room_bytes > 0;
	if (pl->room_bytes > pl->plan->needs.room_bytes)
		pl->plan->needs.room_bytes = pl->room_bytes;
	if (!share_check(pl->diags, p, &pl->use))
		return;
	for (uint32_t i = 0; i < p->n_points; i++)
		if (plan_runs(pl->run, p->points[i].id))
			plan_point(pl, ast, i, &r);
}

/* The programs that carry the -c flag on. They come first, so that they are attached and run before
 * others on the same tracepoint: the exec that begins the command counts already. */
static void plan_scope(struct planner *pl, const struct plan_options *options)
{
	for (uint32_t i = 0; i < pl->program->n_probes; i++)
		pl->plan->needs.scope |= is_in_process(pl->program->probes[i]);
	pl->plan->needs.only_cgroup = options->only_cgroup && pl->plan->needs.scope;
	pl->plan->needs.pid_namespace = options->pid_namespace;
	if (!options->scope_tree || !pl->plan->needs.scope)
		return;
	add_prog(pl, (struct plan_prog){.kind = PP_SCOPE_FORK, .event = "sched_process_fork"},
		 "scope_fork");
	add_prog(pl, (struct plan_prog){.kind = PP_SCOPE_EXEC, .event = "sched_process_exec"},
		 "scope_exec");
}

/* The ring is a power of two of pages, for positions are cut to places in it by masks. */
static void plan_ring(struct plan *plan)
{
	uint32_t bytes = 4096;

	if (plan->needs.ustack && !plan->needs.ring_buffer) {
		plan->needs.ring_buffer = true;
		plan->needs.ring_bytes = RING_BYTES_STACKS;
	}
	if (!plan->needs.ring_buffer || !plan->config.perf_rb_pages)
		return;
	while (bytes / 4096 < plan->config.perf_rb_pages)
		bytes *= 2;
	plan->needs.ring_bytes = bytes;
}

struct plan *plan_make(struct arena *a, struct program *p, const struct plan_options *options,
		       struct diags *d)
{
	struct planner pl = {.arena = a,
			     .diags = d,
			     .kernel = options ? options->kernel : NULL,
			     .program = p,
			     .run = options ? options->run : RUN_ORDINARY,
			     .plan = arena_new_of(a, struct plan)};
	struct plan *plan = pl.plan;

	plan->source = p->source;
	plan->config = p->config;
	plan_scope(&pl, options);
	for (uint32_t i = 0; i < p->n_maps; i++)
		plan_map(&pl, p->maps[i]);
	for (uint32_t i = 0; i < p->n_probes; i++)
		plan_probe(&pl, i);
	plan_ring(plan);
	if (plan->needs.kstack || plan->needs.ustack)
		plan->needs.stack_entries = options && options->max_stacks ? options->max_stacks
									    : SONDE_STACK_ENTRIES;
	plan_check_run(p, plan, pl.run, d);
	return d->n_errors ? NULL : plan;
}
