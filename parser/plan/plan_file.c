/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each struct of a plan as bytes, member by member (plan_io.h). plan_file_type.c has types,
 * plan_file_check.c checks that what was read fits together. What only the compiler uses is left
 * out.
 */
#include "parser/plan/plan_file.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/plan/plan.h"
#include "parser/plan/plan_file_check.h"
#include "parser/plan/plan_io.h"
#include <string.h>

/* Whoever adds a member writes it here, too. */
_Static_assert(sizeof(struct plan_map) == 112, "io_map()");
_Static_assert(sizeof(struct plan_event) == 88, "io_event()");
_Static_assert(sizeof(struct format_piece) == 48, "io_piece()");
_Static_assert(sizeof(struct plan_target) == 96,
	       "io_target()"); /* is_stepped, why_stepped: set later; recorded: of replays only */
_Static_assert(sizeof(struct plan_prog) == 152, "io_prog()");
_Static_assert(sizeof(struct perf_point) == 56, "io_perf()");
_Static_assert(sizeof(struct plan_probe) == 208,
	       "io_probe()"); /* the places of reads: --for-replay */
_Static_assert(sizeof(struct plan_span) == 104, "io_span_state()");
_Static_assert(sizeof(struct plan_needs) == 32 + 4, "io_needs()");
_Static_assert(sizeof(struct plan) - sizeof(struct config) == 160,
	       "io_plan()"); /* imports: not kept */
_Static_assert(sizeof(struct source) == 56, "io_source()");

static void io_span(struct plan_io *io, struct span *s)
{
	io_u32(io, &s->start);
	io_u32(io, &s->end);
}

static void io_field(struct plan_io *io, struct plan_field *f)
{
	io_type(io, &f->type);
	io_u32(io, &f->offset);
	io_u32(io, &f->size);
}

static void io_number(struct plan_io *io, uint32_t *n)
{
	io_u32(io, n);
}

static void io_call_number(struct plan_io *io, int64_t *n)
{
	io_i64(io, n);
}

static void io_map(struct plan_io *io, struct plan_map *m)
{
	io_text(io, &m->name);
	io_text(io, &m->symbol);
	io_span(io, &m->span);
	IO_ENUM(io, m->kind, PM_PERCPU_ARRAY + 1);
	io_u32(io, &m->bpf_type);
	io_u32(io, &m->flags);
	IO_ARRAY(io, m->keys, m->n_keys, io_field);
	io_u32(io, &m->key_size);
	io_type(io, &m->value);
	io_bool(io, &m->is_time);
	io_bool(io, &m->is_dropped);
	io_u32(io, &m->value_size);
	io_u32(io, &m->touched_offset);
	io_u32(io, &m->n_words);
	io_u32(io, &m->n_slots);
	io_u32(io, &m->slot_bytes);
	io_u32(io, &m->bucket_offset);
	io_u32(io, &m->interval_offset);
	io_u32(io, &m->max_entries);
	IO_ENUM(io, m->order.by, ORDER_KEY + 1);
	io_u32(io, &m->order.part);
	io_bool(io, &m->order.is_descending);
}

static void io_piece(struct plan_io *io, struct format_piece *p)
{
	io_string(io, &p->text);
	io_u32(io, &p->text_len);
	io_check(io, p->text_len <= (p->text ? strlen(p->text) : 0));
	io_bytes(io, &p->conv, 1);
	io_bytes(io, &p->form, 1);
	io_bool(io, &p->left);
	io_bool(io, &p->plus);
	io_bool(io, &p->space);
	io_bool(io, &p->alt);
	io_bool(io, &p->zero);
	io_i32(io, &p->width);
	io_i32(io, &p->precision);
	io_u32(io, &p->bits);
	io_u32(io, &p->field);
	IO_ENUM(io, p->origin, FORMAT_FROM_SCRIPT + 1);
	io_u32(io, &p->width_arg);
	io_u32(io, &p->precision_arg);
}

/* The text of a piece is a part of the format: the file has a copy. */
static void io_own_piece(struct plan_io *io, struct format_piece *p)
{
	struct format_piece copy = *p;

	if (io->is_reading) {
		io_piece(io, p);
		return;
	}
	if (p->text_len)
		copy.text = arena_strndup(io->arena, p->text, p->text_len);
	else
		copy.text = NULL;
	io_piece(io, &copy);
}

static void io_event(struct plan_io *io, struct plan_event *e)
{
	IO_ENUM(io, e->kind, PE_KIND_COUNT);
	io_span(io, &e->span);
	io_u32(io, &e->size);
	io_u32(io, &e->least);
	IO_ARRAY(io, e->fields, e->n_fields, io_field);
	IO_ARRAY(io, e->pieces, e->n_pieces, io_own_piece);
	io_bool(io, &e->has_map);
	io_u32(io, &e->map);
	io_string(io, &e->text);
	io_u32(io, &e->top);
	io_u64(io, &e->divisor);
}

static void io_target(struct plan_io *io, struct plan_target *t)
{
	io_string(io, &t->symbol);
	io_string(io, &t->path);
	io_u64(io, &t->offset);
	io_u64(io, &t->size);
	io_bool(io, &t->is_entry);
	io_string(io, &t->module);
	io_u64(io, &t->address);
	io_u64(io, &t->ref_ctr);
	io_bool(io, &t->is_jump);
	io_u64(io, &t->cookie);
}

static void io_perf(struct plan_io *io, struct perf_point *p)
{
	io_u32(io, &p->type);
	io_u32(io, &p->access);
	io_u64(io, &p->config);
	io_u64(io, &p->every);
	io_u64(io, &p->address);
	io_u32(io, &p->length);
	io_bool(io, &p->is_movable);
	io_string(io, &p->path);
	io_text(io, &p->what);
}

/* The runtime needs to know what the program is attached to, not its parameters. */
static void io_typed(struct plan_io *io, const struct typed_function **f)
{
	struct typed_function *own = arena_new_of(io->arena, struct typed_function);
	bool has = *f != NULL;

	io_bool(io, &has);
	if (!io->is_reading && *f)
		*own = **f;
	if (!has)
		return;
	io_text(io, &own->name);
	io_text(io, &own->module);
	io_u32(io, &own->btf_id);
	io_u32(io, &own->prog_id);
	*f = own;
}

/* The arm of the union that the kind uses. */
static void io_arm(struct plan_io *io, struct plan_prog *g)
{
	if (prog_kind_is(g->kind, PK_KERNEL_FUNCTION | PK_USER_FUNCTION)) {
		io_string(io, &g->function);
		IO_ARRAY(io, g->targets, g->n_targets, io_target);
		io_bool(io, &g->by_cookie);
		io_bool(io, &g->by_condition);
		io_bool(io, &g->has_loops);
		io_bool(io, &g->reads_args);
		io_bool(io, &g->reads_registers);
	} else if (prog_kind_is(g->kind, PK_PERIOD)) {
		io_u64(io, &g->period_ns);
	} else if (prog_kind_is(g->kind, PK_EVENT)) {
		io_perf(io, &g->perf);
	} else if (prog_kind_is(g->kind, PK_ITER)) {
		io_string(io, &g->pin);
	} else if (prog_kind_is(g->kind, PK_TEST)) {
		io_text(io, &g->test);
	} else {
		io_string(io, &g->category);
		io_u32(io, &g->tracepoint_id);
	}
}

static void io_prog(struct plan_io *io, struct plan_prog *g)
{
	struct plan_prog own = *g;

	IO_ENUM(io, own.kind, sizeof(prog_rows) / sizeof(*prog_rows));
	io_text(io, &own.symbol);
	io_text(io, &own.section);
	IO_ARRAY(io, own.probes, own.n_probes, io_number);
	IO_ARRAY(io, own.starts, own.n_starts, io_number);
	io_string(io, &own.fallback);
	io_string(io, &own.event);
	io_typed(io, &own.typed);
	io_u64(io, &own.hertz);
	io_bool(io, &own.is_sleepable);
	io_arm(io, &own);
	if (io->is_reading)
		*g = own;
}

static void io_kept_stack(struct plan_io *io, struct plan_kept_stack *k)
{
	io_u32(io, &k->limit);
	IO_ENUM(io, k->walk, WALK_dwarf + 1);
	io_field(io, &k->field);
}

static void io_span_state(struct plan_io *io, struct plan_span *s)
{
	IO_ENUM(io, s->kind, SPAN_COUNT);
	io_u32(io, &s->owner);
	io_u32(io, &s->bpf_type);
	io_u32(io, &s->flags);
	io_u32(io, &s->max_entries);
	io_u32(io, &s->key_size);
	io_u32(io, &s->head);
	io_u32(io, &s->slots);
	io_u32(io, &s->slot_bytes);
	io_u32(io, &s->inside);
	io_u32(io, &s->before);
	IO_ARRAY(io, s->entries, s->n_entries, io_field);
	IO_ARRAY(io, s->stacks, s->n_stacks, io_kept_stack);
	IO_ARRAY(io, s->args, s->n_args, io_field);
	if (io->is_reading)
		s->arg_names = arena_alloc(io->arena, (s->n_args + 1) * sizeof(*s->arg_names));
	for (uint32_t i = 0; i < s->n_args; i++)
		io_text(io, &s->arg_names[i]);
}

static void io_probe(struct plan_io *io, struct plan_probe *q)
{
	io_text(io, &q->name);
	io_u32(io, &q->name_id);
	io_u32(io, &q->func_id);
	io_u32(io, &q->type_id);
	io_span(io, &q->span);
	io_u32(io, &q->prog);
	io_i64(io, &q->syscall.number);
	IO_ARRAY(io, q->syscall.more, q->syscall.n_more, io_call_number);
	IO_ARRAY(io, q->syscall.names, q->syscall.n_names, io_number);
	io_span_state(io, &q->state);
	io_span(io, &q->divisor);
	io_bool(io, &q->has_divisors);
}

static void io_needs(struct plan_io *io, struct plan_needs *n)
{
	bool *const needs[] = {&n->ring_buffer, &n->kstack,	 &n->ustack,
			       &n->unwind,	&n->dwarf,	 &n->task,
			       &n->scope,	&n->cgroup,	 &n->exit,
			       &n->pids,	&n->only_cgroup, &n->pid_namespace,
			       &n->warnings,	&n->own_unwind,	 &n->cpus,
			       &n->paths,	&n->packets,	 &n->frame_pointers};

	for (size_t i = 0; i < sizeof(needs) / sizeof(*needs); i++)
		io_bool(io, needs[i]);
	io_u32(io, &n->ring_bytes);
	io_u32(io, &n->stack_entries);
}

static void io_name(struct plan_io *io, const char **text)
{
	io_text(io, text);
}

static void io_names(struct plan_io *io, struct plan *p)
{
	struct plan_names names = p->names;

	IO_ARRAY(io, names.text, names.n, io_name);
	if (io->is_reading)
		p->names = names;
}

static void io_config(struct plan_io *io, struct config *c)
{
	for (uint32_t i = 0; i < n_config_rows; i++) {
		const struct config_row *row = &config_rows[i];
		void *value = (char *)c + row->offset;

		if (row->kind == CONFIG_TEXT)
			io_text(io, value);
		else if (row->kind < CONFIG_TEXT)
			io_u64(io, value);
	}
}

/* ---- the texts of the script, for messages ------------------------------------------------- */

/* Each text that a part is of, once; the script is the first. */
struct texts {
	const struct source **items;
	uint32_t n;
};

static uint32_t text_number(struct plan_io *io, struct texts *t, const struct source *s)
{
	for (uint32_t i = 0; i < t->n; i++)
		if (t->items[i] == s)
			return i;
	arena_push(io->arena, t->items, t->n, s);
	return t->n - 1;
}

/* A text may have NULs in it. */
static void io_source(struct plan_io *io, const struct source **s)
{
	struct source own = io->is_reading ? (struct source){.n_lines = 0} : **s, *read;

	io_text(io, &own.name);
	io_bool(io, &own.is_file);
	io_bool(io, &own.is_hidden);
	io_u32(io, &own.base);
	io_u32(io, &own.len);
	if (!io->is_reading) {
		io_bytes(io, (char *)own.text, own.len);
		return;
	}
	io_check(io, own.len <= io->len - io->at);
	if (io->is_bad)
		own.len = 0;
	read = source_from_text(io->arena, own.name, (const char *)io->bytes + io->at, own.len);
	io->at += own.len;
	io_check(io, read != NULL);
	if (!read)
		read = source_from_text(io->arena, "", "", 0);
	read->is_file = own.is_file;
	read->is_hidden = own.is_hidden;
	read->base = own.base;
	*s = read;
}

static void io_part(struct plan_io *io, struct source_part *p)
{
	io_u32(io, &p->start);
	io_u32(io, &p->len);
	io_u32(io, &p->at);
	io_span(io, &p->call);
}

static void io_sources(struct plan_io *io, struct plan *p)
{
	struct texts texts = {0};
	struct source_parts none = {0}, *parts = &none;

	if (!io->is_reading) {
		parts = p->source->parts;
		text_number(io, &texts, p->source);
		for (uint32_t i = 0; i < parts->n; i++)
			text_number(io, &texts, parts->items[i].file);
	}
	IO_ARRAY(io, texts.items, texts.n, io_source);
	io_check(io, texts.n > 0);
	if (io->is_bad)
		return;
	if (io->is_reading) {
		p->source = texts.items[0];
		parts = p->source->parts;
	}
	io_u32(io, &parts->end);
	IO_ARRAY(io, parts->items, parts->n, io_part);
	for (uint32_t i = 0; i < parts->n; i++) {
		struct source_part *part = &parts->items[i];
		uint32_t n = io->is_reading ? 0 : text_number(io, &texts, part->file);

		n = io_below(io, n, texts.n);
		part->file = texts.items[n];
	}
}

static void io_plan(struct plan_io *io, struct plan *p)
{
	io_config(io, &p->config);
	io_names(io, p);
	IO_ARRAY(io, p->maps, p->n_maps, io_map);
	IO_ARRAY(io, p->events, p->n_events, io_event);
	IO_ARRAY(io, p->progs, p->n_progs, io_prog);
	IO_ARRAY(io, p->probes, p->n_probes, io_probe);
	io_needs(io, &p->needs);
	io_sources(io, p);
}

void *plan_file_write(struct arena *a, const struct plan *p, size_t *len)
{
	struct plan_io io = {.arena = a};

	io_plan(&io, (struct plan *)p);
	*len = io.len;
	return io.out;
}

/* The table of numbers of names is made anew. */
static bool index_names(struct arena *a, struct plan *p)
{
	struct plan_names read = p->names;

	p->names = (struct plan_names){0};
	for (uint32_t i = 1; i < read.n; i++)
		if (plan_name_add(a, p, read.text[i], (uint32_t)strlen(read.text[i])) != i)
			return false;
	return read.n == 0 || !*read.text[0];
}

struct plan *plan_file_read(struct arena *a, const void *bytes, size_t len)
{
	struct plan_io io = {.arena = a, .is_reading = true, .bytes = bytes, .len = len};
	struct plan *p = arena_new_of(a, struct plan);

	io_plan(&io, p);
	if (io.is_bad || io.at != len || !index_names(a, p) || !plan_file_check(p))
		return NULL;
	return p;
}
