/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in lines of -f jsonl: see lines.h. They go to a file until the writer is there.
 */
#include "runtime/recording/lines_impl.h"
#include "parser/base/limits.h"
#include "parser/base/read_text.h"
#include "runtime/output/type_json.h"
#include "runtime/recording/recording.h"
#include "runtime/recording/row_views.h"
#include "runtime/view/format.h"

static const struct type *type_of_json(const json_t *j)
{
	return json_is_integer(j)   ? type_int(8, true)
	       : json_is_real(j)    ? &type_double
	       : json_is_boolean(j) ? &type_bool
				    : merge_text_type;
}

/* The call that printed the row, as far as the line tells. */
static bool read_call(struct arena *a, const json_t *line, struct plan_event *e, struct view *views)
{
	json_t *row = json_object_get(line, "row"), *value;
	const char *name;

	*e = (struct plan_event){.kind = PE_ROW};
	if (!row || json_object_size(row) > LIMIT_CALL_ARGS)
		return false;
	e->fields = arena_alloc(a, LIMIT_CALL_ARGS * sizeof(*e->fields));
	e->pieces = arena_alloc(a, LIMIT_CALL_ARGS * sizeof(*e->pieces));
	json_object_foreach(row, name, value)
	{
		const struct type *t = type_of_json(value);
		uint32_t i = e->n_fields++;

		e->fields[i].type = t;
		e->pieces[e->n_pieces++] = merge_column(name, i);
		if (t->kind == TY_STRING && !json_is_string(value))
			value = json_string(json_dumps(value, JSON_ENCODE_ANY) ?: "");
		if (!value_json_read(a, t, value, NULL, &views[i]))
			return false;
	}
	return row_views_fit(e);
}

/* A line does not tell what of its text the script wrote: all is escaped, and ends of lines within
 * it become blanks. */
static int pass_text(const json_t *line, enum plan_event_kind kind, struct out *pass)
{
	const json_t *json = json_object_get(line, "text");
	size_t len = 0;
	char *text = escape_copy(ESCAPE_LINES, json_string_value(json) ?: "",
				 json_string_length(json), &len);
	struct format_piece piece = {.text = text ?: "",
				     .text_len = (uint32_t)len,
				     .is_recorded = true};
	struct plan_event e = {.kind = kind, .pieces = &piece, .n_pieces = 1};
	struct view_message m = {.kind = kind,
				 .text = piece.text,
				 .len = piece.text_len,
				 .file = line_text(line, "file") ?: "",
				 .line = (uint32_t)line_number(line, "line"),
				 .first = (uint32_t)line_number(line, "column"),
				 .end = (uint32_t)line_number(line, "end_column")};
	int err;

	for (size_t i = 0; text && i + 1 < len; i++)
		if (text[i] == '\n')
			text[i] = ' ';
	err = kind == PE_WARNF || kind == PE_ERRORF ? pass->message(pass, &m)
						    : pass->printf_event(pass, &e, NULL);
	free(text);
	return err;
}

static int pass_row(struct arena *a, const json_t *line, struct out *pass)
{
	struct view views[LIMIT_CALL_ARGS];
	struct plan_event e;

	return read_call(a, line, &e, views) ? pass->row(pass, &e, views) : 0;
}

/* print() of a value: as its JSON. */
static int pass_value(struct arena *a, const json_t *line, struct out *pass)
{
	const json_t *value = json_object_get(line, "value");
	const char *text = json_string_value(value) ?: json_dumps(value, JSON_ENCODE_ANY);
	struct view v = merge_text_view(text ?: "");

	return pass->value(pass, &v);
}

static int pass_span(const json_t *line, struct out *pass)
{
	struct view_span s = {.name = line_text(line, "name"),
			      .kind = VIEW_SPAN_USER,
			      .pid = (uint32_t)line_number(line, "pid"),
			      .tid = (uint32_t)line_number(line, "tid"),
			      .comm = line_text(line, "comm"),
			      .start = line_number(line, "start_ns"),
			      .length = line_number(line, "duration_ns"),
			      .tracer = line_number(line, "tracer_ns"),
			      .is_open = json_is_true(json_object_get(line, "open")),
			      .is_left = json_is_true(json_object_get(line, "left")),
			      .is_cut = json_is_true(json_object_get(line, "cut"))};

	return s.name && s.comm ? pass->span(pass, &s) : 0;
}

static const char *const line_types[] = {
#define EVENT(id, name, json, ...) [PE_##id] = json,
#include "parser/lang/event_kinds.def"
};

static int pass_event(struct arena *a, const json_t *line, struct out *pass)
{
	const char *type = line_text(line, "type");
	uint32_t kind = recording_find(line_types, PE_KIND_COUNT, type);

	switch (kind) {
	case PE_ROW: return pass_row(a, line, pass);
	case PE_PRINT_VALUE: return pass_value(a, line, pass);
	case PE_SPAN: return pass_span(line, pass);
	default:
		return kind < PE_KIND_COUNT ? pass_text(line, (enum plan_event_kind)kind, pass) : 0;
	}
}

/* Events go to a file until the writer is there. */
int lines_keep_event(struct lines *l, struct arena *a, const json_t *line, const char *text,
		     size_t len)
{
	struct out *to = merge_collect(l->merge);
	struct view views[LIMIT_CALL_ARGS];
	struct plan_event e;

	if (json_object_get(line, "row") && read_call(a, line, &e, views))
		merge_rows(l->merge, &(struct plan){.events = &e, .n_events = 1});
	if (json_object_get(line, "start_ns"))
		to->span(to, NULL);
	return fwrite(text, 1, len, l->events) == len && putc('\n', l->events) != EOF ? 0 : -1;
}

static void count_copies(struct lines *l)
{
	char *text;
	size_t len;

	rewind(l->events);
	while ((text = read_text(l->events, '\n', LINE_MOST, &len))) {
		struct arena *a = arena_new();
		const struct line_run *run = line_run_of(l, a, json_read(a, text, len));

		if (run && run->n_copies)
			lines_count_copy(l, run, text, len);
		arena_free(a);
		free(text);
	}
}

int lines_pass(struct lines *l, struct out *pass)
{
	const struct line_run *last = NULL;
	char *text;
	size_t len;
	int err = 0;

	if (l->has_copies)
		count_copies(l);
	rewind(l->events);
	while (!err && (text = read_text(l->events, '\n', LINE_MOST, &len))) {
		struct arena *a = arena_new();
		const json_t *line = json_read(a, text, len);
		const struct line_run *run = line_run_of(l, a, line);

		if (run && run != last)
			err = (last ? pass->end(pass) : 0) ?: pass->begin(pass, &run->run);
		last = run;
		err = err ?: lines_is_copy(l, run, text, len) ? err : pass_event(a, line, pass);
		arena_free(a);
		free(text);
	}
	return err ?: last ? pass->end(pass) : 0;
}
