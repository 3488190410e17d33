/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of several runs, on their way to one writer: see merge.h. Lines begin with the name of the
 * host, and rows have it as their first column.
 */
#include "runtime/recording/merge_impl.h"
#include "parser/base/limits.h"
#include "runtime/output/type_json.h"
#include "runtime/view/format.h"

static struct merge *merge_of(struct out *o)
{
	return (struct merge *)((char *)o - offsetof(struct merge, pass));
}

static int pass_begin(struct out *o, const struct view_run *r)
{
	struct merge *m = merge_of(o);

	m->host = arena_strdup(m->arena, r->host ?: "");
	return 0;
}

/* ---- lines ------------------------------------------------------------------------------- */

static void put_host(struct merge *m, struct text *t)
{
	text_name(t, m->host);
	text_string(t, ": ");
}

/* Each line of the `n` bytes begins with the host. */
static void put_lines(struct merge *m, struct text *t, const char *bytes, size_t n)
{
	while (n) {
		const char *end = memchr(bytes, '\n', n);
		size_t len = end ? (size_t)(end - bytes) + 1 : n;

		if (!m->is_in_line)
			put_host(m, t);
		m->is_in_line = !end;
		text_put(t, bytes, len);
		bytes += len;
		n -= len;
	}
}

/* What text has behind an event. */
static const char *const behind[] = {
#define EVENT(id, name, json, text, ...) [PE_##id] = text,
#include "parser/lang/event_kinds.def"
};
_Static_assert(sizeof(behind) / sizeof(*behind) == PE_KIND_COUNT, "one for each kind");

/* What the scratch has as an event of this kind. */
static int pass_lines(struct merge *m, enum plan_event_kind kind)
{
	struct text_grown lines;
	struct format_piece piece = {.is_recorded = true};
	struct plan_event e = {.kind = kind, .pieces = &piece, .n_pieces = 1};
	int err;

	text_grown_init(&lines);
	put_lines(m, &lines.text, m->text.text.bytes, m->text.text.n);
	m->is_in_line &= !*behind[kind];
	text_char(&lines.text, '\0');
	piece.text = lines.text.bytes;
	piece.text_len = (uint32_t)lines.text.n - 1;
	err = lines.error ?: m->to->printf_event(m->to, &e, NULL);
	text_grown_free(&lines);
	return err;
}

static int pass_printf_event(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct merge *m = merge_of(o);

	m->text.text.n = 0;
	format_printf(&m->text.text, e, fields);
	return pass_lines(m, e->kind);
}

static int pass_value(struct out *o, const struct view *v)
{
	struct merge *m = merge_of(o);

	m->text.text.n = 0;
	format_view(&m->text.text, v);
	text_char(&m->text.text, '\n');
	return pass_lines(m, PE_PRINTF);
}

static int pass_message(struct out *o, const struct view_message *v)
{
	struct merge *m = merge_of(o);
	struct view_message with_host = *v;

	m->text.text.n = 0;
	put_host(m, &m->text.text);
	text_put(&m->text.text, v->text, v->len);
	with_host.text = m->text.text.bytes;
	with_host.len = (uint32_t)m->text.text.n;
	return m->to->message(m->to, &with_host);
}

/* ---- rows -------------------------------------------------------------------------------- */

struct format_piece merge_column(const char *name, uint32_t field)
{
	return (struct format_piece){.text = name,
				     .text_len = (uint32_t)strlen(name),
				     .conv = 's',
				     .width = 16,
				     .precision = -1,
				     .field = field,
				     .origin = FORMAT_FROM_MEMORY,
				     .is_recorded = true};
}

/* The call, whose rows have the host first. */
static struct plan_event with_host(struct arena *a, const struct plan_event *e)
{
	struct plan_event new = *e;

	new.fields = arena_alloc(a, (e->n_fields + 1) * sizeof(*new.fields));
	new.pieces = arena_alloc(a, (e->n_pieces + 1) * sizeof(*new.pieces));
	new.fields[0].type = merge_text_type;
	new.pieces[0] = merge_column("host", 0);
	for (uint32_t i = 0; i < e->n_fields; i++)
		new.fields[i + 1].type = type_json_copy(a, e->fields[i].type);
	for (uint32_t i = 0; i < e->n_pieces; i++) {
		new.pieces[i + 1] = e->pieces[i];
		new.pieces[i + 1].field++;
		new.pieces[i + 1].text = arena_strdup(a, e->pieces[i].text);
		if (strcmp(e->pieces[i].text, "host") == 0)
			new.pieces[0] = merge_column("run_host", 0);
	}
	new.n_fields = e->n_fields + 1;
	new.n_pieces = e->n_pieces + 1;
	return new;
}

static bool is_same_call(const struct plan_event *merged, const struct plan_event *e)
{
	bool is = merged->kind == PE_ROW && merged->n_fields == e->n_fields + 1 &&
		  merged->n_pieces == e->n_pieces + 1;

	for (uint32_t i = 0; is && i < e->n_fields; i++)
		is = type_equal(merged->fields[i + 1].type, e->fields[i].type);
	for (uint32_t i = 0; is && i < e->n_pieces; i++)
		is = strcmp(merged->pieces[i + 1].text, e->pieces[i].text) == 0 &&
		     merged->pieces[i + 1].time_unit == e->pieces[i].time_unit;
	return is;
}

static const struct plan_event *merged_call(const struct merge *m, const struct plan_event *e)
{
	return FIND(m->plan.events, m->plan.n_events, is_same_call(item, e));
}

void merge_rows(struct merge *m, const struct plan *p)
{
	for (uint32_t i = 0; i < p->n_events; i++) {
		const struct plan_event *e = &p->events[i];
		struct plan_event new;

		if (e->kind != PE_ROW || e->n_fields >= LIMIT_CALL_ARGS || merged_call(m, e))
			continue;
		new = with_host(m->arena, e);
		new.table = plan_row_table(&m->plan, &new);
		arena_push(m->arena, m->plan.events, m->plan.n_events, new);
	}
}

static int pass_row(struct out *o, const struct plan_event *e, const struct view *fields)
{
	struct merge *m = merge_of(o);
	const struct plan_event *call = merged_call(m, e);
	struct view views[LIMIT_CALL_ARGS + 1];

	if (!call)
		return m->to->row(m->to, e, fields); /* too many columns for one more */
	views[0] = merge_text_view(m->host);
	memcpy(views + 1, fields, e->n_fields * sizeof(*views));
	return m->to->row(m->to, call, views);
}

/* ---- spans, and what has been collected ------------------------------------------------------ */

/* Writers know types by their addresses: one for all runs. */
static const struct type *keep_type(struct merge *m, const struct type *t)
{
	struct merged_type new = {.type = t}, *known;
	struct text_grown text;
	struct json j = {.text = &text.text};

	text_grown_init(&text);
	type_json_put(&j, NULL, t);
	text_char(&text.text, '\0');
	new.json = text.text.bytes;
	known = FIND(m->types.items, m->types.n, strcmp(item->json, new.json) == 0);
	if (!known) {
		new.json = arena_strdup(m->arena, new.json);
		new.type = type_json_copy(m->arena, t);
		m->error = m->error ?: vec_push(&m->types, new);
	}
	text_grown_free(&text);
	return known ? known->type : new.type;
}

static int pass_span(struct out *o, const struct view_span *s)
{
	struct merge *m = merge_of(o);
	struct view views[LIMIT_CALL_ARGS];
	struct view_span with_host = *s;

	for (uint32_t i = 0; i < s->n_values; i++) {
		views[i] = s->values[i];
		views[i].type = keep_type(m, s->values[i].type);
	}
	with_host.values = views;

	m->text.text.n = 0;
	put_host(m, &m->text.text);
	text_string(&m->text.text, s->comm);
	text_char(&m->text.text, '\0');
	with_host.comm = m->text.text.bytes;
	return m->text.error ?: m->to->span(m->to, &with_host);
}

static int no_map(struct out *o, const struct view_map *v)
{
	return 0;
}

static int no_loss(struct out *o, const struct view_loss *l)
{
	return 0;
}

static int no_probes(struct out *o, uint32_t n)
{
	return 0;
}

/* A line that the run did not end ends here. */
static int pass_end(struct out *o)
{
	struct merge *m = merge_of(o);
	bool is_in_line = m->is_in_line;

	m->text.text.n = 0;
	text_char(&m->text.text, '\n');
	return is_in_line ? pass_lines(m, PE_PRINTF) : 0;
}

void merge_pass_init(struct merge *m)
{
	m->pass = (struct out){.begin = pass_begin,
			       .printf_event = pass_printf_event,
			       .row = pass_row,
			       .message = pass_message,
			       .value = pass_value,
			       .map = no_map,
			       .span = pass_span,
			       .attached = no_probes,
			       .lost = no_loss,
			       .end = pass_end};
}

struct out *merge_pass(struct merge *m, struct out *to)
{
	m->to = to;
	return &m->pass;
}
