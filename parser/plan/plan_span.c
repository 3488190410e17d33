/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of spans: the layout of their hidden state, and the programs in which they start.
 */
#include "parser/lang/call_value.h"
#include "parser/lang/field_type.h"
#include "parser/plan/plan_build.h"
#include "parser/lang/span_kind.h"
#include <linux/bpf.h>

/* Add a field to a span's slot for a value that is stored at the start. */
static struct plan_field span_field(struct plan_span *state, const struct type *t)
{
	const struct type *kept = type_wide(t);
	struct plan_field f = {.type = kept, .offset = state->slot_bytes, .size = kept->size};

	state->slot_bytes = plan_align(state->slot_bytes + kept->size, 8);
	return f;
}

static void keep_kstack(struct planner *pl, struct plan_span *state, struct plan_kept_stack k)
{
	k.field = span_field(state, &type_kstack);
	arena_push(pl->arena, state->kstacks, state->n_kstacks, k);
	pl->plan->needs.recall = true;
}

/* Fields for what only the start event knows: at the end of a sched_switch span another thread
 * is current. */
static void plan_switch_state(struct planner *pl, struct plan_probe *q, const struct reads *r)
{
	struct plan_span *state = &q->state;

	for (uint32_t i = 0; i < r->n_stacks; i++) {
		struct plan_kept_stack k = r->stacks[i];

		k.field = span_field(state, &type_ustack);
		arena_push(pl->arena, state->stacks, state->n_stacks, k);
	}
	for (uint32_t i = 0; i < r->n_kstacks; i++)
		keep_kstack(pl, state, r->kstacks[i]);
	if (r->reason && !state->n_kstacks)
		keep_kstack(pl, state, (struct plan_kept_stack){0});
	if (r->reason)
		state->reason = span_field(state, type_int(8, false)).offset;
	for (uint32_t i = 0; i < r->n_fields; i++) {
		const struct tp_field *tf = r->fields[i]->field.fields[q->point];
		struct plan_field f = span_field(state, field_type(pl->arena, tf));
		uint32_t n = state->n_args;

		arena_push(pl->arena, state->arg_names, n, r->fields[i]->field.name);
		arena_push(pl->arena, state->args, state->n_args, f);
	}
}

/* Functions of one pattern, each with its own program, share one stack of open calls. */
static uint32_t pattern_owner(const struct planner *pl, const struct plan_probe *q)
{
	const struct probe *p = pl->program->probes[q->ast];
	const char *pattern = p->points[q->point].pattern;

	for (uint32_t i = 0; i < pl->plan->n_probes && probe_typed(&p->points[q->point]) && pattern;
	     i++) {
		const struct plan_probe *other = &pl->plan->probes[i];

		if (other->ast == q->ast && probe_typed(&p->points[other->point]) &&
		    p->points[other->point].pattern == pattern)
			return i;
	}
	return pl->plan->n_probes;
}

bool plan_is_same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* True when the state of probe `owner` is already used for that system call. */
static bool has_number(const struct planner *pl, uint32_t owner, int64_t number)
{
	for (uint32_t i = owner; i < pl->plan->n_probes; i++)
		if (pl->plan->probes[i].state.kind && pl->plan->probes[i].state.owner == owner &&
		    pl->plan->probes[i].syscall.number == number)
			return true;
	return false;
}

/* System calls of one probe share one slot for each thread, which can be in only one of them. A
 * call that several attach points of the probe match ends a span of each. */
static uint32_t syscall_owner(const struct planner *pl, const struct plan_probe *q)
{
	const struct attach_point *points = pl->program->probes[q->ast]->points;

	for (uint32_t i = 0; i < pl->plan->n_probes && q->syscall.number >= 0; i++) {
		const struct plan_probe *other = &pl->plan->probes[i];

		if (other->ast == q->ast && other->state.kind && other->state.owner == i &&
		    other->syscall.number >= 0 &&
		    plan_is_same(points[other->point].pattern, points[q->point].pattern) &&
		    !has_number(pl, i, q->syscall.number))
			return i;
	}
	return pl->plan->n_probes;
}

/* Is a function in both? Targets are in the order of their files and offsets. Such a function has
 * two calls at one stack pointer, of which neither has jumped to the other. */
static bool overlap(const struct attach_point *a, const struct attach_point *b)
{
	for (uint32_t i = 0, j = 0; i < a->n_targets && j < b->n_targets;) {
		int order = strcmp(a->targets[i].path, b->targets[j].path);

		if (!order && a->targets[i].offset == b->targets[j].offset)
			return true;
		if (order < 0 || (!order && a->targets[i].offset < b->targets[j].offset))
			i++;
		else
			j++;
	}
	return false;
}

/* Can calls of functions of both be in one stack of open calls? */
static bool can_share(const struct attach_point *a, const struct attach_point *b)
{
	return point_has(a, ARM_USER) && point_has(b, ARM_USER) && a->ends == b->ends &&
	       probe_abi(a) == probe_abi(b) && probe_ends_at_jumps(a) == probe_ends_at_jumps(b) &&
	       !overlap(a, b);
}

/* Functions of one probe share one stack of open calls, so that `depth` and `self` know all of
 * them. */
static uint32_t probe_owner(const struct planner *pl, const struct plan_probe *q)
{
	const struct attach_point *points = pl->program->probes[q->ast]->points;
	uint32_t first = pl->plan->n_probes;

	while (first && pl->plan->probes[first - 1].ast == q->ast)
		first--;
	for (uint32_t i = first; i < pl->plan->n_probes; i++)
		if (!can_share(&points[pl->plan->probes[i].point], &points[q->point]))
			return pl->plan->n_probes;
	return first;
}

static uint32_t span_owner(const struct planner *pl, const struct plan_probe *q)
{
	const struct attach_point *point = &pl->program->probes[q->ast]->points[q->point];

	if (q->state.kind == SPAN_GOROUTINE ||
	    (q->state.kind == SPAN_RETURN && point_has(point, ARM_USER)))
		return probe_owner(pl, q);
	if (q->state.kind == SPAN_RETURN)
		return pattern_owner(pl, q);
	if (q->state.kind == SPAN_SYSCALL)
		return syscall_owner(pl, q);
	return pl->plan->n_probes;
}

/* The map that holds the state. */
static void choose_map(struct plan_span *s, enum span_state where)
{
	s->key_size = sizeof(uint32_t);
	switch (where) {
	case STATE_TASK:
		s->bpf_type = BPF_MAP_TYPE_TASK_STORAGE;
		s->flags = BPF_F_NO_PREALLOC;
		return;
	case STATE_CPU:
		s->bpf_type = BPF_MAP_TYPE_PERCPU_ARRAY;
		s->max_entries = 1;
		return;
	case STATE_GOROUTINE:
		s->bpf_type = BPF_MAP_TYPE_HASH;
		s->flags = BPF_F_NO_PREALLOC;
		s->key_size = SONDE_GOROUTINE_KEY;
		s->max_entries = SONDE_GOROUTINE_CALLS;
		return;
	}
}

/* The most bytes of the state. An element of a hash is first filled from sonde_config.zeros. */
static uint32_t state_limit(const struct planner *pl, const struct plan_span *s)
{
	switch (span_rows[s->kind].state) {
	case STATE_CPU: return SONDE_PERCPU_BYTES;
	case STATE_GOROUTINE: return SONDE_SLOTS_BYTES;
	case STATE_TASK: break;
	}
	if (s->slot_bytes <= (LIMIT_SPAN_BYTES_SMALL - s->head) / s->slots || !pl->kernel)
		return LIMIT_SPAN_BYTES;
	return kernel_has(pl->kernel, CAP_SMALL_STATES) ? LIMIT_SPAN_BYTES_SMALL : LIMIT_SPAN_BYTES;
}

/* As many slots as the kernel has memory for: a power of two. Not even one: an error. */
static void fit_slots(struct planner *pl, struct plan_span *s, const struct attach_point *point)
{
	uint32_t limit = state_limit(pl, s);

	while (s->slots > 1 && s->slot_bytes > (limit - s->head) / s->slots)
		s->slots /= 2;
	if (s->slot_bytes <= limit - s->head)
		return;
	diag_error(pl->diags, point->span, "limit-span",
		   "entry() stores %u bytes for each span, at most %u are possible here",
		   s->slot_bytes, limit - s->head);
	diag_hint(pl->diags, "store less of a text: entry(str(EXPR, N))");
}

/* What calls keep of the tracer's time. Calls of goroutines also keep the thread. */
static void plan_tracer_time(const struct planner *pl, struct plan_span *s,
			     const struct attach_point *point)
{
	bool is_call = s->kind == SPAN_RETURN || s->kind == SPAN_GOROUTINE;

	if (!pl->plan->needs.tracer_time || !is_call || probe_space(point) != SPACE_USER)
		return;
	s->before = s->slot_bytes;
	s->slot_bytes += s->kind == SPAN_GOROUTINE ? 16 : 8;
}

/* One of the functions of an attach point. Two of one file can have the same name: if they differ,
 * nothing is known of their arguments. */
static void add_call(struct planner *pl, const struct attach_point *point,
		     const struct attach_target *t, uint32_t number)
{
	struct plan *plan = pl->plan;
	struct plan_call *c;

	while (plan->n_calls <= number)
		arena_push(pl->arena, plan->calls, plan->n_calls, (struct plan_call){0});
	c = &plan->calls[number];
	if (c->name && (c->offset != t->offset || !plan_is_same(c->path, t->path))) {
		c->typed = NULL;
		c->texts = 0;
		return;
	}
	*c = (struct plan_call){.name = t->function,
				.path = t->path,
				.offset = t->offset,
				.typed = t->typed,
				.texts = call_layout_of(t->typed, point->user.abi).texts};
}

static void plan_calls(struct planner *pl, const struct plan_probe *q,
		       const struct attach_point *point)
{
	uint32_t n;
	const struct attach_target *t = probe_functions(point, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = n == 1 && point->is_named ? q->func_id
				  : n == 1		    ? q->name_id
				  : point->is_named
					  ? plan_name_id(pl, t[i].function)
					  : plan_name_id(pl, plan_target_name(pl, point, &t[i]));

		add_call(pl, point, &t[i], number);
	}
}

void plan_span(struct planner *pl, struct plan_probe *q, const struct attach_point *point,
	       const struct reads *r)
{
	const struct probe *p = pl->program->probes[q->ast];
	const struct span_row *row = &span_rows[point->ends];

	q->state = (struct plan_span){
		.kind = point->ends,
		.head = row->slots > 1 ? 16 : 0,
		.slots = row->slots,
		.slot_bytes = 8 + row->key_bytes,
	};
	choose_map(&q->state, row->state);
	pl->plan->needs.task |= row->state == STATE_GOROUTINE;
	q->state.owner = span_owner(pl, q);
	if (r->inside) {
		q->state.inside = q->state.slot_bytes;
		q->state.slot_bytes += 8;
	}
	plan_tracer_time(pl, &q->state, point);
	if (q->state.kind == SPAN_SWITCH)
		plan_switch_state(pl, q, r);
	for (uint32_t i = 0; i < p->n_entries; i++) {
		struct plan_field f = span_field(&q->state, p->entries[i]->type);

		arena_push(pl->arena, q->state.entries, q->state.n_entries, f);
	}
	if (r->call) {
		q->state.call = span_field(&q->state, r->call);
		plan_calls(pl, q, point);
	}
	fit_slots(pl, &q->state, point);
}

void plan_span_start(struct planner *pl, const struct attach_point *point, uint32_t id,
		     const struct reads *r)
{
	struct attach_point entry = *point;
	struct plan_prog *g;
	uint32_t prog;

	entry.targets = probe_functions(point, &entry.n_targets);
	g = &pl->plan->progs[pl->plan->probes[id].prog];
	if (prog_kind_is(g->kind, PK_SESSION)) {
		arena_push(pl->arena, g->starts, g->n_starts, id);
		return;
	}
	switch (span_rows[point->ends].start) {
	case START_HERE: return;
	case START_ENTRY:
		prog = plan_prog_for(pl, &entry, probe_rows[probe_rows[point->id].entry].program,
				     r->n_entry_exprs);
		break;
	case START_SYS_ENTER:
		prog = plan_prog_for(pl, point, plan_syscall_kind(pl, true),
				     (r->n_entry_exprs + 1) * SPAN_WEIGHT);
		break;
	default: return;
	}
	g = &pl->plan->progs[prog];
	arena_push(pl->arena, g->starts, g->n_starts, id);
}

/* A program that visits all threads, or those that end, for the spans of a probe. */
static void add_visit(struct planner *pl, enum plan_prog_kind kind, const char *name, uint32_t id)
{
	uint32_t i = plan_prog_add(pl, (struct plan_prog){.kind = kind}, name);
	struct plan_prog *g = &pl->plan->progs[i];

	arena_push(pl->arena, g->probes, g->n_probes, id);
}

void plan_span_open(struct planner *pl, uint32_t id)
{
	const struct plan_probe *q = &pl->plan->probes[id];

	if (!ast_counts_open(pl->program, pl->program->probes[q->ast]) ||
	    q->state.kind == SPAN_NO || span_rows[q->state.kind].state != STATE_TASK)
		return;
	add_visit(pl, PP_OPEN_SPANS, "open", id);
	if (prog_kind_exists(span_rows[q->state.kind].ended))
		add_visit(pl, span_rows[q->state.kind].ended, "ended", id);
	pl->plan->needs.task = true; /* to see whether it is on a CPU */
}
