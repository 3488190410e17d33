/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed AST -> plan: which kernel programs, how maps, records and hidden state are laid out, what
 * the runtime has to provide. The only place that hands out map and event ids and computes offsets;
 * it writes them back into the tree (map.id, call.event) for codegen.
 * Before: sema_run returned 0. After: the plan needs the AST no more.
 */
#include "plan.h"
#include "../bpf_helpers/shared.h"
#include "agg.h"
#include "arena.h"
#include "ast.h"
#include "diag.h"
#include "format_spec.h"
#include "limits.h"
#include "plan_run.h"
#include "sema.h"
#include "span_kind.h"
#include <ctype.h>
#include <string.h>

struct planner {
	struct arena *arena;
	struct diags *diags;
	struct program *program;
	struct plan *plan;
	enum plan_run run;
	bool is_iter; /* the probe under way is one: the kernel prints */
};

enum {
	RING_BYTES_EVENTS = 8 << 20,  /* a burst of 200,000 records while the reader is away */
	RING_BYTES_STACKS = 256 << 10, /* first sightings of stacks only */
};

static uint32_t align_up(uint32_t n, uint32_t align)
{
	return (n + align - 1) / align * align;
}

/* ---- maps -------------------------------------------------------------------------------- */

static void plan_key(struct planner *pl, struct plan_map *m, const struct map *map)
{
	uint32_t at = 4, align = 4; /* the epoch */

	m->n_keys = map->n_keys;
	m->keys = arena_alloc(pl->arena, map->n_keys * sizeof(*m->keys) + 1);
	for (uint32_t i = 0; i < map->n_keys; i++) {
		const struct type *t = map->key_types[i];

		/* Strings are written in words: the verifier wants those aligned. */
		at = align_up(at, t->kind == TY_STRING ? 8 : t->align);
		m->keys[i] = (struct plan_field){.type = t, .offset = at, .size = t->size};
		at += t->size;
		align = t->align > align ? t->align : align;
	}
	if (map->value->kind == TY_AGG && agg_rows[map->value->agg].layout == AL_BUCKETS) {
		m->bucket_offset = align_up(at, 4);
		at = m->bucket_offset + 4;
	}
	m->key_size = align_up(at, align);
}

static const char *map_symbol(struct arena *a, const char *name)
{
	return arena_printf(a, "map_%s", name + 1);
}

static void plan_map(struct planner *pl, struct map *map)
{
	bool agg = map->value->kind == TY_AGG;
	struct plan_map m = {.name = map->name, .symbol = map_symbol(pl->arena, map->name),
			     .span = map->first, .value = map->value};

	m.value_size = align_up(map->value->size, 8);
	if (agg) {
		pl->plan->needs.cpus = true;
		m.n_words = agg_words(map->value, map->n_keys > 0);
		m.value_size = m.n_words * 8;
	}
	if (map->n_keys) {
		m.kind = agg ? PM_PERCPU_HASH : PM_HASH;
		m.max_entries = LIMIT_MAP_KEYS;
		plan_key(pl, &m, map);
	} else {
		m.kind = agg ? PM_PERCPU_ARRAY : PM_ARRAY;
		m.max_entries = SONDE_EPOCH_SLOTS;
		m.key_size = 4;
		m.touched_offset = m.value_size;
		m.value_size += 8;
	}
	map->id = pl->plan->n_maps;
	arena_push(pl->arena, pl->plan->maps, pl->plan->n_maps, m);
}

/* ---- events ------------------------------------------------------------------------------ */

/* What an integer argument becomes in a record: 64 bits of its sign. */
static const struct type *recorded(const struct type *t)
{
	return t->kind == TY_INT ? type_int(8, t->is_signed) : t;
}

static void add_field(struct planner *pl, struct plan_event *ev, const struct type *t)
{
	struct plan_field f = {.type = recorded(t), .offset = align_up(ev->size, 8)};

	f.size = f.type->size;
	ev->size = align_up(f.offset + f.size, 8);
	arena_push(pl->arena, ev->fields, ev->n_fields, f);
}

static void add_event(struct planner *pl, struct expr *call, struct plan_event ev)
{
	ev.span = call->span;
	if (ev.size > LIMIT_EVENT_BYTES) {
		diag_error(pl->diags, call->span, "limit-event",
			   "one record of this call takes %u bytes, at most %d are possible", ev.size,
			   LIMIT_EVENT_BYTES);
		return;
	}
	call->call.event = (int32_t)pl->plan->n_events;
	pl->plan->needs.ring_buffer = true;
	pl->plan->needs.ring_bytes = RING_BYTES_EVENTS;
	arena_push(pl->arena, pl->plan->events, pl->plan->n_events, ev);
}

static void plan_printf(struct planner *pl, struct expr *call)
{
	struct plan_event ev = {.kind = PE_PRINTF, .size = sizeof(struct sonde_event)};
	struct expr *fmt = call->call.args[0];
	struct format_spec spec;

	format_parse(pl->arena, fmt->string.text, fmt->string.len, &spec);
	ev.pieces = spec.pieces;
	ev.n_pieces = spec.n_pieces;
	if (pl->is_iter) { /* no record: codegen reads the pieces */
		call->call.event = (int32_t)pl->plan->n_events;
		arena_push(pl->arena, pl->plan->events, pl->plan->n_events, ev);
		return;
	}
	for (uint32_t i = 1; i < call->call.n_args; i++)
		add_field(pl, &ev, call->call.args[i]->type);
	add_event(pl, call, ev);
}

static void plan_print(struct planner *pl, struct expr *call)
{
	struct plan_event ev = {.kind = PE_PRINT_VALUE, .size = sizeof(struct sonde_event)};

	if (sema_is_whole_map(call, 0)) {
		ev.kind = PE_PRINT_MAP;
		ev.size = sizeof(struct sonde_map_event);
		ev.map = call->call.args[0]->map.map->id;
		if (call->call.n_args > 1)
			ev.top = (uint32_t)call->call.args[1]->integer.value;
		if (call->call.n_args > 2)
			ev.divisor = call->call.args[2]->integer.value;
	} else {
		add_field(pl, &ev, call->call.args[0]->type);
	}
	add_event(pl, call, ev);
}

static void plan_clear(struct planner *pl, struct expr *call)
{
	bool is_zero = call->call.builtin->id == BI_zero;

	add_event(pl, call, (struct plan_event){.kind = is_zero ? PE_ZERO_MAP : PE_CLEAR_MAP,
						.size = sizeof(struct sonde_map_event),
						.map = call->call.args[0]->map.map->id});
}

static void plan_time(struct planner *pl, struct expr *call)
{
	const char *format = call->call.n_args ? call->call.args[0]->string.text : "%H:%M:%S\n";

	add_event(pl, call, (struct plan_event){.kind = PE_TIME, .size = sizeof(struct sonde_event),
						.text = format});
}

/* ---- walking a probe --------------------------------------------------------------------- */

static void plan_block(struct planner *pl, struct block *b);

static void plan_expr(struct expr *e, void *ctx)
{
	struct planner *pl = ctx;
	const struct builtin *b = e->kind == EX_CALL   ? e->call.builtin
				  : e->kind == EX_NAME ? e->name.builtin
						       : NULL;

	if (e->kind == EX_BLOCK) {
		plan_block(pl, &e->block.body);
		plan_expr(e->block.value, pl);
		return;
	}
	ast_each_child(e, plan_expr, pl);
	if (e->kind == EX_CALL)
		e->call.event = -1;
	if (!b)
		return;
	if (b->id == BI_printf)
		plan_printf(pl, e);
	else if (b->id == BI_print)
		plan_print(pl, e);
	else if (b->id == BI_clear || b->id == BI_zero)
		plan_clear(pl, e);
	else if (b->id == BI_time)
		plan_time(pl, e);
	else if (b->id == BI_ncpus)
		pl->plan->needs.cpus = true;
	else if (b->id == BI_usym)
		pl->plan->needs.ustack = true;
	else if (b->id == BI_exit)
		pl->plan->needs.exit = true;
	else if (b->traits & TR_TASK)
		pl->plan->needs.task = true;
	else if (b->id == BI_kstack)
		pl->plan->needs.kstack = true;
	else if (b->id == BI_ustack)
		pl->plan->needs.ustack = true;
}

static const struct map *whole_map_of(const struct stmt *st, enum builtin_id id)
{
	const struct expr *e = st->kind == ST_EXPR ? st->expr : NULL;

	if (!e || e->kind != EX_CALL || !e->call.builtin || e->call.builtin->id != id ||
	    !sema_is_whole_map(e, 0))
		return NULL;
	return e->call.args[0]->map.map;
}

/* Adjacent print(@x); clear(@x) becomes one record: nothing can come between the two. */
static bool fuse_clear(struct planner *pl, struct stmt *print, struct stmt *clear)
{
	const struct map *m = whole_map_of(print, BI_print);

	if (!m || whole_map_of(clear, BI_clear) != m || print->expr->call.event < 0)
		return false;
	pl->plan->events[print->expr->call.event].kind = PE_PRINT_CLEAR;
	clear->expr->call.event = -1;
	return true;
}

static void plan_loop(struct planner *pl, struct stmt *st)
{
	struct expr *const parts[] = {st->loop.cond, st->loop.from, st->loop.to};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (parts[i])
			plan_expr(parts[i], pl);
	plan_block(pl, &st->loop.body);
}

static void plan_block(struct planner *pl, struct block *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *st = b->items[i];

		switch (st->kind) {
		case ST_EXPR:
			if (i == 0 || !fuse_clear(pl, b->items[i - 1], st))
				plan_expr(st->expr, pl);
			break;
		case ST_ASSIGN:
			plan_expr(st->assign.target, pl);
			plan_expr(st->assign.value, pl);
			break;
		case ST_IF:
			plan_expr(st->branch.cond, pl);
			plan_block(pl, &st->branch.then);
			plan_block(pl, &st->branch.otherwise);
			break;
		case ST_BLOCK:
			plan_block(pl, &st->block);
			break;
		case ST_RETURN:
			if (st->expr)
				plan_expr(st->expr, pl);
			break;
		case ST_LET:
			if (st->let.value)
				plan_expr(st->let.value, pl);
			break;
		case ST_WHILE:
		case ST_FOR:
		case ST_UNROLL:
			plan_loop(pl, st);
			break;
		case ST_BREAK:
		case ST_CONTINUE:
			break;
		}
	}
}

/* ---- what a probe reads of its context --------------------------------------------------- */

struct reads {
	struct arena *arena;
	bool ustack, args, probe;
	bool entry_of_point; /* entry() holds what differs between attach points */
	const char **fields;
	uint32_t n_fields;
};

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

	if (e->kind == EX_CALL && e->call.builtin && e->call.builtin->traits & TR_ENTRY)
		return; /* computed when the span starts: plan_span */
	if (e->kind == EX_NAME && e->name.builtin && e->name.builtin->id == BI_ustack)
		r->ustack = true;
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
	if (p->uses_delta && probe_span(point) == SPAN_SWITCH)
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
	case PROBE_UPROBE:
		return PP_UPROBE;
	case PROBE_URETPROBE:
		return PP_URETPROBE;
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
	case PROBE_COUNT:
		break;
	}
	return PP_KIND_COUNT;
}

/* The section as libbpf (and so bpftool) spells it; libbpf wants no ':' of its own inside paths. */
static const char *section_of(struct arena *a, const struct plan_prog *g)
{
	switch (g->kind) {
	case PP_BEGIN:
	case PP_END:
	case PP_SELF:
		return "raw_tp";
	case PP_TEST:
	case PP_BENCH:
		return "xdp";
	case PP_RAW_TP:
		return arena_printf(a, "raw_tp/%s", g->event);
	case PP_TP_BTF:
	case PP_SYSCALL_ENTER:
	case PP_SYSCALL_EXIT:
	case PP_SWITCH_SPAN:
	case PP_SCOPE_FORK:
	case PP_SCOPE_EXEC:
		return arena_printf(a, "tp_btf/%s", g->event);
	case PP_TRACEPOINT:
		return arena_printf(a, "tracepoint/%s/%s", g->category, g->event);
	case PP_INTERVAL:
	case PP_PROFILE:
	case PP_EVENT:
		return "perf_event";
	case PP_ITER:
		return arena_printf(a, "iter/%s", g->event);
	case PP_KPROBE:
		return arena_printf(a, "kprobe/%s", g->function);
	case PP_KRETPROBE:
		return arena_printf(a, "kretprobe/%s", g->function);
	case PP_UPROBE:
		return arena_printf(a, "uprobe/%s:%s", g->targets[0].path, g->function);
	case PP_URETPROBE:
		return arena_printf(a, "uretprobe/%s:%s", g->targets[0].path, g->function);
	case PP_KIND_COUNT:
		break;
	}
	return "";
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
	g.section = section_of(pl->arena, &g);
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
	return arena_printf(pl->arena, "%s:%s%s%s", probe_rows[point->id].name,
			    t->path ? t->path : "", t->path ? ":" : "", t->function);
}

static void plan_targets(struct planner *pl, struct plan_prog *g, const struct attach_point *point)
{
	for (uint32_t i = 0; i < point->n_targets; i++) {
		const struct attach_target *from = &point->targets[i];
		struct plan_target t = {.symbol = from->symbol, .path = from->path,
					.offset = from->offset};
		const char *name;

		if (point->n_targets > 1) {
			name = point->is_named ? point->name : target_name(pl, point, from);
			t.cookie = name_id(pl, from->function) | (uint64_t)name_id(pl, name) << 32;
		}
		arena_push(pl->arena, g->targets, g->n_targets, t);
	}
}

/* Program for an attach point: a new one, but all system calls' probes share two. */
static uint32_t prog_for(struct planner *pl, const struct attach_point *point,
			 enum plan_prog_kind kind)
{
	struct plan_prog g = {.kind = kind,
			      .function = point->function,
			      .period_ns = point->period_ns,
			      .hertz = point->hertz,
			      .perf = point->perf,
			      .event = point->iter ? point->iter->name : NULL,
			      .pin = point->pin,
			      .test = point->test};

	if (kind == PP_SYSCALL_ENTER || kind == PP_SYSCALL_EXIT) {
		for (uint32_t i = 0; i < pl->plan->n_progs; i++)
			if (pl->plan->progs[i].kind == kind)
				return i;
		g.event = kind == PP_SYSCALL_ENTER ? "sys_enter" : "sys_exit";
		return add_prog(pl, g, g.event);
	}
	if (point->format) {
		g.event = point->format->event;
		g.category = point->format->category;
		g.tracepoint_id = point->format->id;
	}
	plan_targets(pl, &g, point);
	return add_prog(pl, g,
			g.event ? g.event : g.function ? g.function : probe_rows[point->id].name);
}

/* ---- spans ------------------------------------------------------------------------------- */

/* A place in a span's slot for what its start sees. */
static struct plan_field span_field(struct plan_probe *q, const struct type *t)
{
	const struct type *kept = recorded(t);
	struct plan_field f = {.type = kept, .offset = q->span_size, .size = kept->size};

	q->span_size = align_up(q->span_size + kept->size, 8);
	return f;
}

/* What the event that is gone by the end had: at sched_switch the current thread is another
 * then. */
static void plan_switch_state(struct planner *pl, struct plan_probe *q,
			      const struct attach_point *point, const struct reads *r)
{
	if (r->ustack)
		q->span_ustack = (int32_t)span_field(q, &type_ustack).offset;
	q->span_arg_names = r->fields;
	for (uint32_t i = 0; i < r->n_fields; i++) {
		const struct tp_field *tf = sema_args_field(point, r->fields[i]);
		struct plan_field f = span_field(q, sema_field_type(pl->arena, tf));

		arena_push(pl->arena, q->span_args, q->n_span_args, f);
	}
}

/* All calls of one body have one slot a thread: it can be in one of them only. */
static uint32_t span_owner(const struct planner *pl, const struct plan_probe *q)
{
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
static void plan_start(struct planner *pl, const struct attach_point *point, uint32_t id)
{
	struct plan_prog *g;
	uint32_t prog;

	switch (span_rows[probe_span(point)].start) {
	case START_HERE:
		return;
	case START_ENTRY:
		prog = prog_for(pl, point, point->id == PROBE_URETPROBE ? PP_UPROBE : PP_KPROBE);
		break;
	case START_SYS_ENTER:
		prog = prog_for(pl, point, PP_SYSCALL_ENTER);
		break;
	default:
		return;
	}
	g = &pl->plan->progs[prog];
	arena_push(pl->arena, g->starts, g->n_starts, id);
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
	enum plan_prog_kind kind = prog_kind(p, point, r);
	struct plan_probe q = {.name = point->name, .span = point->span, .ast = ast, .point = index,
			       .syscall = point->syscall, .span_ustack = -1};
	uint32_t id = pl->plan->n_probes;
	struct plan_prog *g;

	if (joins_pattern(pl, ast, point, r))
		return;
	q.func_id = name_id(pl, point->function);
	if (point->n_targets == 1 && strchr(point->function, '*')) { /* a pattern of one function */
		q.name = point->is_named ? q.name : target_name(pl, point, point->targets);
		q.func_id = name_id(pl, point->targets->function);
	}
	q.name_id = name_id(pl, q.name);
	q.prog = prog_for(pl, point, kind);
	if (p->uses_delta)
		plan_span(pl, &q, point, r);
	arena_push(pl->arena, pl->plan->probes, pl->plan->n_probes, q);
	g = &pl->plan->progs[q.prog];
	arena_push(pl->arena, g->probes, g->n_probes, id);
	if (q.has_span)
		plan_start(pl, point, id);
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
	for (uint32_t i = 0; i < p->n_points; i++)
		if (plan_runs(pl->run, p->points[i].id))
			plan_point(pl, ast, i, &r);
}

static bool is_in_process(const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_points; i++)
		if (probe_rows[p->points[i].id].is_in_process)
			return true;
	return false;
}

/* The programs that carry the -c flag on. They come first, so that they are attached and run before
 * others on the same tracepoint: the exec that begins the command counts already. */
static void plan_scope(struct planner *pl, const struct plan_options *options)
{
	for (uint32_t i = 0; i < pl->program->n_probes; i++)
		pl->plan->needs.scope |= is_in_process(pl->program->probes[i]);
	if (!options->scope_tree || !pl->plan->needs.scope)
		return;
	add_prog(pl, (struct plan_prog){.kind = PP_SCOPE_FORK, .event = "sched_process_fork"},
		 "scope_fork");
	add_prog(pl, (struct plan_prog){.kind = PP_SCOPE_EXEC, .event = "sched_process_exec"},
		 "scope_exec");
}

struct plan *plan_make(struct arena *a, struct program *p, const struct plan_options *options,
		       struct diags *d)
{
	struct planner pl = {.arena = a,
			     .diags = d,
			     .program = p,
			     .run = options->run,
			     .plan = arena_new_of(a, struct plan)};
	struct plan *plan = pl.plan;

	plan->source = p->source;
	plan_scope(&pl, options);
	for (uint32_t i = 0; i < p->n_maps; i++)
		plan_map(&pl, p->maps[i]);
	for (uint32_t i = 0; i < p->n_probes; i++)
		plan_probe(&pl, i);
	if (plan->needs.ustack && !plan->needs.ring_buffer) {
		plan->needs.ring_buffer = true;
		plan->needs.ring_bytes = RING_BYTES_STACKS;
	}
	plan_check_run(p, plan, pl.run, d);
	return d->n_errors ? NULL : plan;
}
