/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers of types, calls and stacks in a recording: see recorder.h.
 */
#include "runtime/recording/recorder.h"
#include "parser/base/text.h"
#include "runtime/base/clock.h"
#include "runtime/output/out_format.h"
#include "runtime/output/type_json.h"

/* ---- rows -------------------------------------------------------------------------------- */

static void note(struct recorder *r, int err)
{
	if (err && !r->error)
		r->error = err;
}

/* With --last, what the run printed waits in memory; what it refers to does not. */
static bool is_held_back(const struct recorder *r, const char *bytes)
{
	struct row_head head;

	memcpy(&head, bytes, sizeof(head));
	return r->last.length_ns &&
	       (1u << head.table & (1u << REC_EVENTS | 1u << REC_SPANS | 1u << REC_PRINTS |
				    1u << REC_MAP_ROWS | 1u << REC_MESSAGES));
}

void recorder_put(struct recorder *r, struct row *row)
{
	const char *bytes = row_end(row);
	size_t n = row->grown.text.n;

	note(r, row->grown.error);
	if (r->error || !r->spool)
		return;
	if (is_held_back(r, bytes))
		note(r, last_rows_put(&r->last, bytes, n));
	else
		note(r, spool_put(r->spool, bytes, n));
}

void recorder_begin(struct recorder *r, enum recording_table table)
{
	row_begin(&r->row, table);
	ROW_ADD(&r->row, row_integer((int64_t)++r->seq), row_integer((int64_t)monotonic_ns()));
}

void recorder_fact(struct recorder *r, const char *name, struct row_column value)
{
	if (value.tag == ROW_NULL)
		return;
	row_begin(&r->other, REC_RUN);
	ROW_ADD(&r->other, row_string(name), value);
	recorder_put(r, &r->other);
}

void recorder_run(struct recorder *r, const struct view_run *run)
{
	const struct {
		const char *name;
		struct row_column value;
	} facts[] = {
#define RUN_TEXT(member, ...) {#member, row_string(run->member)},
#include "runtime/view/run_texts.def"
		{"pid",
		 run->scope && run->scope->pid ? row_integer(run->scope->pid) : row_string(NULL)},
		{"resets", run->resets ? row_integer(1) : row_string(NULL)},
		{"start", row_integer((int64_t)run->start)},
		{"monotonic", row_integer((int64_t)run->monotonic)},
		{"facts", row_string(run->facts)},
		{"boot", run->facts ? row_integer((int64_t)run->boot) : row_string(NULL)},
		{"tai", run->facts ? row_integer((int64_t)run->tai) : row_string(NULL)},
		{"print_maps", row_integer(r->plan->config.print_maps_on_exit)},
		{"spans", row_integer(out_format_has_spans(r->plan))},
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		recorder_fact(r, facts[i].name, facts[i].value);
	for (uint32_t i = 0; i < run->n_labels; i++)
		recorder_fact(r,
			      arena_printf(r->arena, RECORDING_LABEL "%.*s",
					   (int)run->labels[i].name_len, run->labels[i].name),
			      row_string(run->labels[i].value));
}

/* ---- types ------------------------------------------------------------------------------- */

uint32_t recorder_type(struct recorder *r, const struct type *t)
{
	for (size_t i = 0; i < r->types.n; i++)
		if (r->types.items[i] == t)
			return (uint32_t)i + 1;
	note(r, vec_push(&r->types, t));
	row_begin(&r->other, REC_TYPES);
	ROW_ADD(&r->other, row_integer((int64_t)r->types.n), row_string(type_str(r->arena, t)));
	type_json_put(row_open_json(&r->other), NULL, t);
	row_close_text(&r->other);
	recorder_put(r, &r->other);
	return (uint32_t)r->types.n;
}

void recorder_types(struct recorder *r, const struct type *const *types, uint32_t n, size_t step)
{
	struct json *j = row_open_json(&r->row);

	json_open(j, NULL, '[');
	for (uint32_t i = 0; i < n; i++) {
		json_put_unsigned(j, NULL, recorder_type(r, *types));
		types = (const struct type *const *)((const char *)types + step);
	}
	json_close(j, ']');
	row_close_text(&r->row);
}

/* ---- calls ------------------------------------------------------------------------------- */

static void put_piece(struct json *j, const struct format_piece *p)
{
	json_open(j, NULL, '{');
	json_put_bytes(j, "text", p->text, p->text_len);
#define FIELD(name, usual, ...)        \
	if ((int64_t)p->name != usual) \
		json_put_signed(j, #name, p->name);
#include "runtime/recording/piece_fields.def"
	json_close(j, '}');
}

/* Text that the runtime has made is one string. */
static const struct format_piece whole_text = {
	.text = "", .conv = 's', .width = -1, .precision = -1, .origin = FORMAT_FROM_SCRIPT};

static const struct type *const text_type = &(struct type){.kind = TY_STRING, .size = 1};

static void put_pieces(struct recorder *r, const struct format_piece *pieces, uint32_t n)
{
	struct json *j = row_open_json(&r->row);

	json_open(j, NULL, '[');
	for (uint32_t i = 0; i < n; i++)
		put_piece(j, &pieces[i]);
	json_close(j, ']');
	row_close_text(&r->row);
}

static bool is_planned(const struct recorder *r, const struct plan_event *e)
{
	return e >= r->plan->events && e < r->plan->events + r->plan->n_events;
}

static bool is_same(const struct recorded_call *a, const struct recorded_call *b)
{
	return a->kind == b->kind && a->span.start == b->span.start && a->span.end == b->span.end &&
	       a->type == b->type && a->has_pieces == b->has_pieces;
}

/* Line and text of a call, as far as the script itself has it. */
static void put_place(struct recorder *r, const struct span *span)
{
	const struct source *s = r->plan->source;

	bool is_known = s && s->n_lines && span->end > span->start;
	bool has_text = is_known && span->end <= s->len;

	ROW_ADD(&r->row,
		is_known ? row_integer(source_place(s, span->start).line) : row_string(NULL),
		has_text ? row_bytes(s->text + span->start, span->end - span->start)
			 : row_string(NULL));
}

/* The row of a new call; `e` is NULL for print(). */
static void put_call(struct recorder *r, const struct recorded_call *c, const struct plan_event *e)
{
	row_begin(&r->row, REC_CALLS);
	ROW_ADD(&r->row, row_integer((int64_t)r->calls.n), row_string(plan_event_names[c->kind]));
	put_place(r, &c->span);
	if (e && c->has_pieces)
		recorder_types(r, e->n_fields ? &e->fields->type : NULL, e->n_fields,
			       sizeof(*e->fields));
	else
		recorder_types(r, c->type ? &c->type : &text_type, 1, 0);
	put_pieces(r, c->has_pieces ? e->pieces : &whole_text,
		   c->has_pieces ? e->n_pieces
		   : e		 ? 1
				 : 0);
	recorder_put(r, &r->row);
}

static uint32_t add_call(struct recorder *r, const struct recorded_call *c,
			 const struct plan_event *e)
{
	note(r, vec_push(&r->calls, *c));
	put_call(r, c, e);
	return (uint32_t)r->calls.n;
}

static uint32_t number_call(struct recorder *r, const struct recorded_call *c,
			    const struct plan_event *e)
{
	for (size_t i = 0; i < r->calls.n; i++)
		if (is_same(&r->calls.items[i], c))
			return (uint32_t)i + 1;
	return add_call(r, c, e);
}

uint32_t recorder_call(struct recorder *r, const struct plan_event *e)
{
	struct recorded_call c = {.kind = e->kind, .span = e->span, .has_pieces = is_planned(r, e)};

	return number_call(r, &c, e);
}

uint32_t recorder_print(struct recorder *r, const struct type *t)
{
	struct recorded_call c = {.kind = PE_PRINT_VALUE, .type = t};

	return number_call(r, &c, NULL);
}

static bool has_values(const struct recorded_call *c, const struct view_span *s)
{
	bool is = c->values && c->values->n_pieces == s->n_values;

	for (uint32_t i = 0; is && i < s->n_values; i++)
		is = c->values->fields[i].type == s->values[i].type &&
		     text_is(s->pieces[i].text, s->pieces[i].text_len, c->values->pieces[i].text);
	return is;
}

/* A copy: the names of a merged result are of a recording that is closed before this ends. */
static const struct plan_event *copy_values(struct recorder *r, const struct view_span *s)
{
	struct plan_event *e = arena_new_of(r->arena, struct plan_event);

	e->kind = PE_SPAN;
	e->n_fields = e->n_pieces = s->n_values;
	e->fields = arena_alloc(r->arena, s->n_values * sizeof(*e->fields));
	e->pieces = arena_alloc(r->arena, s->n_values * sizeof(*e->pieces));
	for (uint32_t i = 0; i < s->n_values; i++) {
		e->fields[i].type = s->values[i].type;
		e->pieces[i] = s->pieces[i];
		e->pieces[i].text =
			arena_strndup(r->arena, s->pieces[i].text, s->pieces[i].text_len);
		e->pieces[i].field = i;
	}
	return e;
}

uint32_t recorder_span(struct recorder *r, const struct view_span *s)
{
	const struct recorded_call *known = FIND(r->calls.items, r->calls.n, has_values(item, s));
	struct recorded_call c = {.kind = PE_SPAN, .has_pieces = true};

	if (known)
		return (uint32_t)(known - r->calls.items) + 1;
	c.values = copy_values(r, s);
	return add_call(r, &c, c.values);
}

/* ---- stacks ------------------------------------------------------------------------------ */

HASH_INTEGER_FUNCTIONS(recorded_stacks, struct recorded_stack, uint64_t, hash_none, e->hash,
		       e->number)

/* "main;work;read": names from the outermost on, as in folded stacks. */
static void put_folded(struct text *t, const struct view_stack *s)
{
	for (uint32_t i = s->n; i-- > 0;) {
		const struct view_frame *f = &s->frames[i];

		if (f->name) {
			text_string(t, f->name);
			if (view_frame_is_run(f) && f->file)
				text_printf(t, " (%s)", text_base_name(f->file));
		} else {
			text_char(t, '[');
			text_string(t, f->module ? text_base_name(f->module) : "unknown");
			text_char(t, ']');
		}
		text_string(t, i ? ";" : "");
	}
}

/* The number of a build ID; 0: not known. */
static uint32_t number_build(struct recorder *r, const char *build_id)
{
	char **known =
		build_id ? FIND(r->builds.items, r->builds.n, strcmp(*item, build_id) == 0) : NULL;

	if (known || !build_id)
		return known ? (uint32_t)(known - r->builds.items) + 1 : 0;
	note(r, vec_push(&r->builds, arena_strdup(r->arena, build_id)));
	row_begin(&r->other, REC_BUILDS);
	ROW_ADD(&r->other, row_integer((int64_t)r->builds.n), row_string(build_id));
	recorder_put(r, &r->other);
	return (uint32_t)r->builds.n;
}

static void put_frame(struct recorder *r, uint32_t stack, uint32_t depth,
		      const struct view_frame *f)
{
	struct row *row = &r->other;
	uint32_t build = number_build(r, f->build_id);

	row_begin(row, REC_FRAMES);
	ROW_ADD(row, row_integer(stack), row_integer(depth), row_integer((int64_t)f->ip),
		row_string(f->name), row_integer((int64_t)f->offset), row_string(f->module),
		row_string(f->file), row_integer(f->line), row_integer(f->is_inlined),
		row_integer(f->is_caller), build ? row_integer(build) : row_string(NULL),
		f->linked ? row_integer((int64_t)f->linked) : row_string(NULL));
	recorder_put(r, row);
}

static void put_stack(struct recorder *r, uint32_t number, const struct view_stack *s)
{
	struct row *row = &r->other;

	row_begin(row, REC_STACKS);
	ROW_ADD(row, row_integer(number), row_integer(s->is_user), row_string(s->cut),
		row_integer(s->is_lost));
	row_open_text(row);
	put_folded(&row->grown.text, s);
	row_close_text(row);
	recorder_put(r, row);
	for (uint32_t i = 0; i < s->n; i++)
		put_frame(r, number, i, &s->frames[i]);
}

static uint32_t number_stack(struct stack_numbers *numbers, const struct view_stack *s)
{
	struct recorder *r = (struct recorder *)numbers;
	struct recorded_stack *found, new = {.hash = view_stack_hash(s)};

	if (!s->n && !s->is_lost && !s->cut)
		return 0;
	found = recorded_stacks_find(&r->stacks, new.hash);
	if (found)
		return found->number;
	new.number = ++r->n_stacks;
	note(r, recorded_stacks_insert(&r->stacks, new));
	put_stack(r, new.number, s);
	return new.number;
}

/* ---- the whole --------------------------------------------------------------------------- */

void recorder_init(struct recorder *r, const struct plan *plan)
{
	*r = (struct recorder){.numbers.number = number_stack, .plan = plan, .arena = arena_new()};
	row_init(&r->row);
	row_init(&r->other);
}

void recorder_free(struct recorder *r)
{
	text_grown_free(&r->row.grown);
	text_grown_free(&r->other.grown);
	last_rows_free(&r->last);
	vec_free(&r->types);
	vec_free(&r->calls);
	vec_free(&r->builds);
	hash_free(&r->stacks);
	arena_free(r->arena);
}
