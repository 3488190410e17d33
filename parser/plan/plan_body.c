/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of bodies: maps, the records that calls send, and what the runtime has to provide.
 */
#include "parser/lang/builtin.h"
#include "parser/lang/agg.h"
#include "parser/plan/plan_build.h"
#include <linux/bpf.h>

_Static_assert((int)LIMIT_MAPS == SONDE_MAX_MAPS, "the control block has an epoch for each map");
_Static_assert((int)LIMIT_FRAMES == SONDE_MAX_FRAMES, "kstack(n) is what the kernel side can keep");

/* ---- maps -------------------------------------------------------------------------------- */

static void plan_key(struct planner *pl, struct plan_map *m, const struct map *map)
{
	uint32_t at = 4, align = 4; /* the epoch */

	m->n_keys = map->n_keys;
	m->keys = arena_alloc(pl->arena, map->n_keys * sizeof(*m->keys) + 1);
	m->key_names = arena_alloc(pl->arena, map->n_keys * sizeof(*m->key_names) + 1);
	for (uint32_t i = 0; i < map->n_keys; i++) {
		const struct type *t = map->key_types[i];

		/* Strings are stored by 64-bit words, which the verifier requires to be aligned. */
		at = plan_align(at, t->kind == TY_STRING ? 8 : t->align);
		m->keys[i] = (struct plan_field){.type = t, .offset = at, .size = t->size};
		m->key_names[i] = map->key_names[i] ?: arena_printf(pl->arena, "key_%u", i + 1);
		at += t->size;
		align = t->align > align ? t->align : align;
	}
	if (agg_has_buckets(map->value)) {
		m->bucket_offset = plan_align(at, 4);
		at = m->bucket_offset + 4;
	}
	m->key_size = plan_align(at, align);
}

/* CPUs that add at the same time use different cache lines where that costs little. The kernel
 * rounds an element up to a power of two: the unused rest is divided among the slots. */
enum { ELEMENT_HEAD = 56, LINE_BYTES = 64, NEARLY_A_LINE = 48 };

/* Bytes of an element beside the slots. */
static uint32_t taken(const struct plan_map *m)
{
	return ELEMENT_HEAD + plan_align(m->key_size, 8) + (agg_is_series(m->value) ? 8 : 0);
}

static uint32_t slot_in(const struct plan_map *m, uint32_t element)
{
	return element > taken(m) ? (element - taken(m)) / m->n_slots / 8 * 8 : 0;
}

/* Each CPU adds to the slot of its number; with too many CPUs several share one: an element has at
 * most SONDE_SLOTS_BYTES, unless its key is long. */
static void plan_slots(struct plan_map *m, uint32_t n_cpus)
{
	uint32_t behind = agg_is_series(m->value) ? 8 : 0, bytes = m->n_words * 8;
	uint32_t beside = taken(m) < SONDE_SLOTS_BYTES / 2 ? taken(m) : behind;
	uint32_t most = (SONDE_SLOTS_BYTES - beside) / bytes, element = 128, slot;

	while (most < n_cpus && most & (most - 1))
		most &= most - 1; /* CPUs that share slots do so by their last bits */
	m->n_slots = n_cpus < most ? n_cpus : most;
	while ((slot = slot_in(m, element)) < NEARLY_A_LINE && element < SONDE_SLOTS_BYTES)
		element *= 2;
	slot = slot < LINE_BYTES ? slot : LINE_BYTES;
	m->slot_bytes = slot > bytes ? slot : bytes;
	m->interval_offset = behind ? m->n_slots * m->slot_bytes : 0;
	m->value_size = m->n_slots * m->slot_bytes + behind;
}

static const uint32_t bpf_types[] = {
	[PM_HASH] = BPF_MAP_TYPE_HASH,
	[PM_SLOT_HASH] = BPF_MAP_TYPE_HASH,
	[PM_ARRAY] = BPF_MAP_TYPE_ARRAY,
	[PM_PERCPU_ARRAY] = BPF_MAP_TYPE_PERCPU_ARRAY,
};

/* A series without keys has as many entries as intervals. */
static uint32_t max_entries(const struct planner *pl, const struct map *map)
{
	if (map->decl)
		return (uint32_t)map->decl->max_entries;
	return map->n_keys ? (uint32_t)pl->program->config.max_map_keys : agg_buckets(map->value);
}

void plan_map(struct planner *pl, struct map *map)
{
	bool agg = map->value->kind == TY_AGG;
	bool is_hash = map->n_keys || agg_is_series(map->value);
	struct plan_map m = {.name = map->name,
			     .symbol = arena_printf(pl->arena, "map_%s", map->name + 1),
			     .span = map->first,
			     .value = map->value,
			     .is_time = held_is_time(&map->held) && !map->held.has_clocks,
			     .is_dropped = map->is_dropped,
			     .is_kept_back =
				     map->is_emptied || !pl->program->config.print_maps_on_exit};

	m.value_size = plan_align(map->value->size, 8);
	if (agg) {
		pl->plan->needs.cpus |= !is_hash;
		m.n_words = agg_words(map->value, map->n_keys > 0);
		m.value_size = m.n_words * 8;
	}
	if (is_hash) {
		m.kind = agg ? PM_SLOT_HASH : PM_HASH;
		m.max_entries = max_entries(pl, map);
		plan_key(pl, &m, map);
		if (agg)
			plan_slots(&m, pl->kernel ? pl->kernel->n_cpus(pl->kernel) : 1);
	} else {
		m.kind = agg ? PM_PERCPU_ARRAY : PM_ARRAY;
		m.max_entries = SONDE_EPOCH_SLOTS;
		m.key_size = 4;
		m.touched_offset = m.value_size;
		m.value_size += 8;
	}
	m.bpf_type = bpf_types[m.kind];
	if (is_hash && map->decl && map->decl->is_lru)
		m.bpf_type = BPF_MAP_TYPE_LRU_HASH;
	m.flags = m.bpf_type == BPF_MAP_TYPE_HASH ? BPF_F_NO_PREALLOC : 0;
	map->id = pl->plan->n_maps;
	arena_push(pl->arena, pl->plan->maps, pl->plan->n_maps, m);
}

/* ---- events ------------------------------------------------------------------------------ */

void plan_add_field(struct planner *pl, struct plan_event *ev, const struct type *t)
{
	struct plan_field f = {.type = type_wide(t), .offset = plan_align(ev->size, 8)};

	f.size = f.type->size;
	ev->size = plan_align(f.offset + f.size, 8);
	arena_push(pl->arena, ev->fields, ev->n_fields, f);
}

void plan_add_event(struct planner *pl, struct expr *call, struct plan_event ev)
{
	ev.span = call->span;
	if (ev.size > LIMIT_EVENT_BYTES) {
		diag_error(pl->diags, call->span, "limit-event",
			   "a record of this call takes %u bytes, at most %d are possible", ev.size,
			   LIMIT_EVENT_BYTES);
		diag_hint(pl->diags, "read shorter strings, str(x, 64), or use two calls");
		return;
	}
	call->call.event = (int32_t)pl->plan->n_events;
	pl->plan->needs.ring_buffer = true;
	pl->plan->needs.ring_bytes = RING_BYTES_EVENTS;
	arena_push(pl->arena, pl->plan->events, pl->plan->n_events, ev);
}

/* Where the string `e` comes from. A variable or map may hold anything. */
static enum format_origin string_origin(const struct expr *e)
{
	enum format_origin then, otherwise;

	switch (e->kind) {
	case EX_STRING: return FORMAT_FROM_SCRIPT;
	case EX_CALL:
		if (strcmp(e->call.name, "str") == 0 && e->call.args[0]->type->kind != TY_STRING)
			return FORMAT_FROM_MEMORY;
		if (strcmp(e->call.name, "str") == 0 || strcmp(e->call.name, "entry") == 0)
			return string_origin(e->call.args[0]);
		return FORMAT_FROM_NAME;
	case EX_TERNARY:
		then = string_origin(e->ternary.then ? e->ternary.then : e->ternary.cond);
		otherwise = string_origin(e->ternary.otherwise);
		return then < otherwise ? then : otherwise;
	default: return FORMAT_FROM_NAME;
	}
}

/* Flags of %gr become text in user space. */
static bool is_gfp(const struct format_spec *spec, uint32_t field)
{
	for (uint32_t i = 0; i < spec->n_pieces; i++)
		if (spec->pieces[i].conv == FORMAT_GFP && spec->pieces[i].field == field)
			return true;
	return false;
}

/* The record with the name of the call: each row with pln_format has one in event_kinds.def. */
static enum plan_event_kind kind_of(const struct expr *call)
{
	enum plan_event_kind kind = 0;

	while (strcmp(plan_event_names[kind], call->call.builtin->name) != 0)
		kind++;
	return kind;
}

/* A call with a format. */
void pln_format(struct planner *pl, struct expr *call)
{
	struct plan_event ev = {.kind = kind_of(call), .size = sizeof(struct sonde_event)};
	struct expr *fmt = call->call.args[0];
	struct format_spec spec;

	format_parse(pl->arena, fmt->string.text, fmt->string.len, &spec);
	ev.pieces = spec.pieces;
	ev.n_pieces = spec.n_pieces;
	if (pl->is_iter && ev.kind == PE_PRINTF) { /* sends no record: codegen reads the pieces */
		call->call.event = (int32_t)pl->plan->n_events;
		arena_push(pl->arena, pl->plan->events, pl->plan->n_events, ev);
		return;
	}
	for (uint32_t i = 1; i < call->call.n_args; i++)
		plan_add_field(pl, &ev,
			       is_gfp(&spec, i - 1) ? &type_gfp : call->call.args[i]->type);
	for (uint32_t i = 0; i < ev.n_pieces; i++)
		if (ev.pieces[i].conv)
			ev.pieces[i].origin =
				string_origin(call->call.args[1 + ev.pieces[i].field]);
	plan_add_event(pl, call, ev);
}

void pln_join(struct planner *pl, struct expr *call)
{
	plan_add_event(pl, call,
		       (struct plan_event){.kind = PE_JOIN,
					   .size = sizeof(struct sonde_join_event),
					   .least = offsetof(struct sonde_join_event, bytes),
					   .text = call->call.n_args > 1
							   ? call->call.args[1]->string.text
							   : " "});
}

void pln_print(struct planner *pl, struct expr *call)
{
	struct plan_event ev = {.kind = PE_PRINT_VALUE, .size = sizeof(struct sonde_event)};

	if (ast_is_whole_map(call, 0)) {
		ev.kind = PE_PRINT_MAP;
		ev.size = sizeof(struct sonde_map_event);
		ev.has_map = true;
		ev.map = call->call.args[0]->map.map->id;
		pl->plan->maps[ev.map].is_kept_back = false;
		if (call->call.n_args > 1)
			ev.top = (uint32_t)call->call.args[1]->integer.value;
		if (call->call.n_args > 2)
			ev.divisor = call->call.args[2]->integer.value;
	} else {
		plan_add_field(pl, &ev, call->call.args[0]->type);
	}
	plan_add_event(pl, call, ev);
}

void pln_clear(struct planner *pl, struct expr *call)
{
	bool drops = call->call.builtin->traits & TR_DROPS;

	plan_add_event(pl, call,
		       (struct plan_event){.kind = drops ? PE_CLEAR_MAP : PE_ZERO_MAP,
					   .size = sizeof(struct sonde_map_event),
					   .has_map = true,
					   .map = call->call.args[0]->map.map->id});
}

void pln_time(struct planner *pl, struct expr *call)
{
	const char *format = call->call.n_args ? call->call.args[0]->string.text : "%H:%M:%S\n";

	plan_add_event(pl, call,
		       (struct plan_event){.kind = PE_TIME,
					   .size = sizeof(struct sonde_event),
					   .text = format});
}

void pln_dump(struct planner *pl, struct expr *call)
{
	plan_add_event(pl, call,
		       (struct plan_event){.kind = PE_DUMP, .size = sizeof(struct sonde_event)});
}

/* Its record comes through a buffer of the kernel's (runtime/events/packets.c). */
void pln_skboutput(struct planner *pl, struct expr *call)
{
	struct plan_event ev = {.kind = PE_PACKET,
				.span = call->span,
				.size = sizeof(struct sonde_packet_event),
				.text = call->call.args[0]->string.text};

	call->call.event = (int32_t)pl->plan->n_events;
	arena_push(pl->arena, pl->plan->events, pl->plan->n_events, ev);
}

/* Literal names are not sent. Without a name the record has that of the function or the probe. */
void pln_span(struct planner *pl, struct expr *call)
{
	const struct expr *name = call->call.n_args ? call->call.args[0] : NULL;
	struct plan_event ev = {.kind = PE_SPAN,
				.size = sizeof(struct sonde_span_event),
				.is_named = name};

	if (name && name->kind == EX_STRING)
		ev.text = name->string.text;
	else
		plan_add_field(pl, &ev, name ? name->type : &type_name);
	for (uint32_t i = 1; i < call->call.n_args; i++)
		plan_add_column(pl, &ev, call, i);
	pl->plan->needs.task = true;
	plan_add_event(pl, call, ev);
}

void pln_none(struct planner *pl, struct expr *call)
{
}

/* The event column of builtins.def. */
static plan_event_fn *const event_hooks[] = {
#define VAR(id, ...) [BI_##id] = pln_none,
#define FN(id, sig, where, traits, needs, event, ...) [BI_##id] = event,
#define AGG(id, ...) [BI_##id] = pln_none,
#include "parser/lang/builtins.def"
};

_Static_assert(sizeof(event_hooks) / sizeof(*event_hooks) == BI_COUNT, "one hook for each builtin");

static void note_needs(struct plan_needs *needs, const struct expr *e)
{
	const struct builtin *b = ast_builtin(e);

	needs->cgroup |= (b->needs & NEEDS_CGROUP) != 0;
	needs->cpus |= (b->needs & NEEDS_CPUS) != 0;
	needs->kstack |= (b->needs & NEEDS_KSTACK) != 0;
	needs->ustack |= (b->needs & NEEDS_USTACK) != 0;
	needs->reason |= (b->needs & (NEEDS_REASON | NEEDS_CONTEXT)) != 0;
	needs->recall |= (b->needs & NEEDS_REASON) != 0;
	needs->exit |= (b->needs & NEEDS_EXIT) != 0;
	needs->paths |= b->needs & NEEDS_PATHS;
	needs->packets |= (b->needs & NEEDS_PACKETS) != 0;
	needs->pids |= (b->needs & NEEDS_PIDS) && e->kind == EX_CALL;
	needs->task |= (b->traits & TR_TASK) != 0;
}

/* ---- walking a probe --------------------------------------------------------------------- */

/* A division by `e`, which may be 0 when it runs. */
static void note_divisor(struct planner *pl, enum op op, const struct expr *e)
{
	const struct expr *n = e->kind == EX_UNARY && e->unary.op == OP_NEG ? e->unary.operand : e;

	if ((op != OP_DIV && op != OP_MOD) || n->kind == EX_INT)
		return; /* a literal 0 is an error */
	if (pl->divisor.end)
		pl->has_divisors = true;
	else
		pl->divisor = e->span;
}

void plan_expr(struct expr *e, void *ctx)
{
	struct planner *pl = ctx;
	const struct builtin *b = ast_builtin(e);

	ast_each_below(e, plan_expr, plan_block, pl);
	if (e->kind == EX_BINARY)
		note_divisor(pl, e->binary.op, e->binary.right);
	if (e->kind == EX_CALL)
		e->call.event = -1;
	if (!b)
		return;
	event_hooks[b->id](pl, e);
	note_needs(&pl->plan->needs, e);
}

static const struct map *whole_map_of(const struct stmt *st, enum builtin_id id)
{
	const struct expr *e = st->kind == ST_EXPR ? st->expr : NULL;

	if (!e || e->kind != EX_CALL || !e->call.builtin || e->call.builtin->id != id ||
	    !ast_is_whole_map(e, 0))
		return NULL;
	return e->call.args[0]->map.map;
}

/* Adjacent print(@x); clear(@x) become one record, so that nothing happens between them. */
static bool fuse_clear(struct planner *pl, struct stmt *print, struct stmt *clear)
{
	const struct map *m = whole_map_of(print, BI_print);

	if (!m || whole_map_of(clear, BI_clear) != m || print->expr->call.event < 0)
		return false;
	pl->plan->events[print->expr->call.event].kind = PE_PRINT_CLEAR;
	clear->expr->call.event = -1;
	return true;
}

void plan_block(struct block *b, void *ctx)
{
	struct planner *pl = ctx;

	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *st = b->items[i];

		if (i && fuse_clear(pl, b->items[i - 1], st))
			continue;
		ast_each_head(st, plan_expr, pl);
		if (st->kind == ST_ASSIGN)
			note_divisor(pl, st->assign.op, st->assign.value);
		ast_each_block(st, plan_block, pl);
	}
}
