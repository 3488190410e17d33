/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a recording: see show.h. The items of all tables have numbers of one sequence; a cursor of
 * each table is at its next item, and the one with the lowest number comes next.
 */
#include "runtime/recording/show.h"
#include "parser/base/text.h"
#include "runtime/output/out.h"
#include "runtime/output/out_format.h"
#include "runtime/view/call_tree.h"
#include "parser/base/limits.h"
#include "parser/base/pattern.h"
#include <string.h>

struct show {
	struct recording *r;
	const struct show_filter *filter;
	struct out *out;
	struct arena *arena; /* for one item, or some */
	uint32_t n_items;    /* in it */
	sqlite3_stmt *rows;
	bool has_ended;
};

static int64_t number(sqlite3_stmt *s, int column)
{
	return sqlite3_column_int64(s, column);
}

/* ---- items ------------------------------------------------------------------------------- */

static bool read_views(struct show *w, const json_t *list, const struct plan_event *e,
		       struct view *views)
{
	if (!json_is_array(list) || json_array_size(list) != e->n_fields)
		return false;
	for (uint32_t i = 0; i < json_array_size(list); i++)
		if (!value_json_read(w->arena, e->fields[i].type, json_array_get(list, i),
				     &w->r->lookup, &views[i]))
			return false;
	return true;
}

static const struct plan_event *find_call(const struct recording *r, int64_t call)
{
	return call > 0 && call <= r->n_calls ? &r->plan.events[call - 1] : NULL;
}

static int show_event(struct show *w, sqlite3_stmt *s)
{
	int64_t call = number(s, 2);
	const struct plan_event *e = NULL;
	struct view views[LIMIT_CALL_ARGS];

	if (w->filter->no_events)
		return 0;
	e = find_call(w->r, call);
	if (!e || e->kind == PE_SPAN || !read_views(w, recording_json(w->arena, s, 3), e, views) ||
	    (e->kind == PE_PRINT_VALUE && !e->n_fields))
		return recording_damaged(w->r, REC_EVENTS, number(s, 0));
	return out_event(w->out, e, views);
}

/* A name, which may be any bytes up to the first NUL. */
static const char *name_of(sqlite3_stmt *s, int column)
{
	const char *text = recording_text(s, column);

	return text ? text : "";
}

static bool is_wanted(const struct show_filter *f, const struct view_span *s)
{
	return (!f->tid || s->tid == f->tid) && s->length >= f->min_ns + s->tracer &&
	       (!f->function || pattern_matches(f->function, s->name));
}

/* False: they are not valid. */
static bool read_span_values(struct show *w, sqlite3_stmt *s, struct view_span *span)
{
	int64_t call = w->r->form > 3 ? number(s, 15) : 0;
	const struct plan_event *e = find_call(w->r, call);
	struct view *views;

	if (!call)
		return true;
	if (!e || e->kind != PE_SPAN || e->n_pieces != e->n_fields)
		return false;
	views = arena_alloc(w->arena, (e->n_fields + 1) * sizeof(*views));
	span->pieces = e->pieces;
	span->values = views;
	span->n_values = e->n_fields;
	return read_views(w, recording_json(w->arena, s, 16), e, views);
}

static int show_span(struct show *w, sqlite3_stmt *s)
{
	const char *kind = recording_text(s, 5);
	uint32_t index =
		kind ? recording_find(recording_spans, VIEW_SPAN_KINDS, kind) : VIEW_SPAN_KINDS;
	struct view_span span = {
		.pid = (uint32_t)number(s, 1),
		.tid = (uint32_t)number(s, 2),
		.comm = name_of(s, 3),
		.name = name_of(s, 4),
		.kind = (enum view_span_kind)index,
		.start = (uint64_t)number(s, 6),
		.length = (uint64_t)number(s, 7),
		.is_call = number(s, 8) != 0,
		.is_open = number(s, 9) == 1,
		.is_left = number(s, 9) == RECORDING_LEFT,
		.is_cut = number(s, 10) != 0,
		.is_outermost = number(s, 11) != 0,
		.tracer = (uint64_t)number(s, 12),
	};

	if (w->r->form > 2) {
		span.arguments = recording_text(s, 13);
		span.result = recording_text(s, 14);
	}
	if (!read_span_values(w, s, &span) || index == VIEW_SPAN_KINDS ||
	    span.start > INT64_MAX / 2 || span.length > INT64_MAX / 2 || span.tracer > span.length)
		return recording_damaged(w->r, REC_SPANS, number(s, 0));
	return !is_wanted(w->filter, &span) ? 0 : w->out->span(w->out, &span);
}

static int show_message(struct show *w, sqlite3_stmt *s)
{
	const char *kind = recording_text(s, 2);
	struct view_message m = {
		.kind = kind ? recording_find(plan_event_names, PE_KIND_COUNT, kind)
			     : PE_KIND_COUNT,
		.text = name_of(s, 3),
		.file = name_of(s, 4),
		.line = (uint32_t)number(s, 5),
		.first = (uint32_t)number(s, 6),
		.end = (uint32_t)number(s, 7),
		.helper = recording_text(s, 8),
		.result = number(s, 9),
		.excerpt = recording_text(s, 10),
	};

	if (m.kind == PE_KIND_COUNT)
		return recording_damaged(w->r, REC_MESSAGES, number(s, 0));
	m.len = (uint32_t)sqlite3_column_bytes(s, 3);
	return w->filter->no_events ? 0 : w->out->message(w->out, &m);
}

static int show_mark(struct show *w, sqlite3_stmt *s)
{
	const char *what = name_of(s, 2);

	if (strcmp(what, "end") == 0) {
		w->has_ended = true;
		return w->out->end(w->out);
	}
	if (strcmp(what, "attached") != 0)
		return recording_damaged(w->r, REC_MARKS, number(s, 0));
	return w->filter->quiet ? 0 : w->out->attached(w->out, (uint32_t)number(s, 3));
}

static int show_loss(struct show *w, sqlite3_stmt *s)
{
	struct view_loss l = {
		.probe = name_of(s, 1),
		.cause = name_of(s, 2),
		.n = (uint64_t)number(s, 3),
		.what = name_of(s, 4),
		.help = recording_text(s, 5),
	};

	return w->out->lost(w->out, &l);
}

/* ---- maps -------------------------------------------------------------------------------- */

static bool read_map_row(struct show *w, sqlite3_stmt *s, const struct plan_event *keys,
			 const struct type *value, struct view_row *out)
{
	const json_t *j = recording_json(w->arena, s, 1);

	out->keys = arena_alloc(w->arena, (keys->n_fields + 1) * sizeof(*out->keys));
	return read_views(w, recording_json(w->arena, s, 0), keys, out->keys) && j &&
	       value_json_read(w->arena, value, j, &w->r->lookup, &out->value);
}

enum { PART_ROWS = 256 };

/* Maps that are added up come in parts, so that memory is used again. */
static int show_part(struct show *w, struct view_map *m)
{
	int err = w->out->map(w->out, m);

	m->rows = NULL;
	m->n_rows = 0;
	arena_free(w->arena);
	w->arena = arena_new();
	return err;
}

static int read_rows(struct show *w, int64_t print, const struct plan_event *keys,
		     const struct type *value, struct view_map *m)
{
	struct view_row row;
	int got;

	sqlite3_bind_int64(w->rows, 1, print);
	while ((got = recording_step(w->r, w->rows)) > 0) {
		if (!value || !read_map_row(w, w->rows, keys, value, &row)) {
			got = recording_damaged(w->r, REC_MAP_ROWS, print);
			break;
		}
		arena_push(w->arena, m->rows, m->n_rows, row);
		if (w->filter->last_maps && m->n_rows == PART_ROWS && (got = show_part(w, m)))
			break;
	}
	sqlite3_reset(w->rows);
	return got;
}

/* Writers keep the name, as it is part of the plan. */
static const char *map_name(const struct recording *r, const char *name)
{
	const struct plan_map *m = TEXT_ITEM(r->plan.maps, r->plan.n_maps, name, name);

	return m ? m->name : "";
}

/* NULL: not known. */
static const char *const *read_key_names(struct show *w, sqlite3_stmt *s, size_t n)
{
	struct arena *a = w->filter->last_maps ? w->r->arena : w->arena;
	const json_t *list = recording_json(a, s, 9);
	const char **names = arena_alloc(a, (n + 1) * sizeof(*names));

	if (!json_is_array(list) || json_array_size(list) != n)
		return NULL;
	for (size_t i = 0; i < n; i++)
		names[i] = json_string_value(json_array_get(list, i)) ?: "";
	return names;
}

static int show_map(struct show *w, sqlite3_stmt *s)
{
	struct arena *a = w->filter->last_maps ? w->r->arena : w->arena;
	const json_t *list = recording_json(a, s, 7);
	const struct type **types = recording_types(w->r, a, list);
	struct view_map m = {
		.name = map_name(w->r, name_of(s, 2)),
		.time = (uint64_t)number(s, 1),
		.is_time = number(s, 3) != 0,
		.time_unit = (uint64_t)number(s, 4),
		.whole = (uint64_t)number(s, 5),
		.delimiter = recording_text(s, 6),
	};
	struct plan_event keys = {0};
	bool has_stack = false;

	if (w->r->form > 3)
		m.key_names = read_key_names(w, s, json_array_size(list));

	if (!types || m.time_unit > TIME_UNIT_NS)
		return recording_damaged(w->r, REC_PRINTS, number(s, 0));
	keys.n_fields = m.n_keys = (uint32_t)json_array_size(list);
	keys.fields = arena_alloc(a, (json_array_size(list) + 1) * sizeof(*keys.fields));
	for (uint32_t i = 0; i < json_array_size(list); i++) {
		keys.fields[i].type = types[i];
		has_stack |= stack_key_has_stack(types[i]);
	}
	if (w->filter->no_maps || (w->filter->only_stacks && !has_stack))
		return 0;
	if (read_rows(w, number(s, 0), &keys, recording_type(w->r, (uint64_t)number(s, 8)), &m))
		return -1;
	w->n_items = UINT32_MAX; /* it may be large */
	return w->out->map(w->out, &m);
}

/* ---- all --------------------------------------------------------------------------------- */

/* Columns are in the order of tables.def; the number is the first. */
static const struct {
	const char *sql;
	int (*show)(struct show *w, sqlite3_stmt *s);
} tables[] = {
	{"SELECT * FROM events ORDER BY seq", show_event},
	{"SELECT * FROM spans ORDER BY seq", show_span},
	{"SELECT * FROM prints ORDER BY seq", show_map},
	{"SELECT * FROM messages ORDER BY seq", show_message},
	{"SELECT * FROM marks ORDER BY seq", show_mark},
	{"SELECT * FROM losses ORDER BY seq", show_loss},
};

enum { TABLES = sizeof(tables) / sizeof(*tables), ITEMS = 256 };

static void renew_arena(struct show *w)
{
	if (w->n_items < ITEMS)
		return;
	arena_free(w->arena);
	w->arena = arena_new();
	w->n_items = 0;
}

/* The table whose next item comes next; TABLES: there is none. */
static int lowest(sqlite3_stmt *const *s)
{
	int found = TABLES;

	for (int i = 0; i < TABLES; i++)
		if (s[i] && (found == TABLES || number(s[i], 0) < number(s[found], 0)))
			found = i;
	return found;
}

/* Go to the next item. At the end the cursor becomes NULL. */
static int advance(struct show *w, sqlite3_stmt **s)
{
	int got = recording_step(w->r, *s);

	if (got > 0)
		return 0;
	sqlite3_finalize(*s);
	*s = NULL;
	return got;
}

static const char last_prints[] =
	"SELECT * FROM prints WHERE seq IN (SELECT max(seq) FROM prints GROUP BY map) ORDER BY seq";

static int show_all(struct show *w, sqlite3_stmt **s)
{
	bool has_last = w->filter->last_maps && !w->r->run.resets;
	int err = 0, i;

	for (i = 0; i < TABLES && !err; i++) {
		s[i] = recording_prepare(w->r, has_last && tables[i].show == show_map
						       ? last_prints
						       : tables[i].sql);
		err = s[i] ? advance(w, &s[i]) : -1;
	}
	while (!err && (i = lowest(s)) < TABLES) {
		err = tables[i].show(w, s[i]);
		w->n_items += w->n_items < UINT32_MAX;
		renew_arena(w);
		err = err ?: advance(w, &s[i]);
	}
	return err || w->has_ended ? err : w->out->end(w->out);
}

int recording_show(struct recording *r, const struct show_filter *f, struct out *out)
{
	struct show w = {.r = r, .filter = f, .out = out, .arena = arena_new()};
	sqlite3_stmt *s[TABLES] = {NULL};
	int err = 0;

	w.rows = recording_prepare(r,
				   "SELECT keys, value FROM map_rows WHERE print = ? ORDER BY row");
	if (out->begin)
		err = out->begin(out, &r->run);
	err = err ?: w.rows ? show_all(&w, s) : -1;
	for (int i = 0; i < TABLES; i++)
		sqlite3_finalize(s[i]);
	sqlite3_finalize(w.rows);
	arena_free(w.arena);
	return err;
}

/* Spans and sums of durations are; other maps are not. */
static int find_unit(struct recording *r, bool *is_time)
{
	sqlite3_stmt *s = recording_prepare(r, "SELECT count(*) FROM prints WHERE NOT is_time");
	int got = s ? recording_step(r, s) : -1;

	*is_time = got > 0 && number(s, 0) == 0;
	sqlite3_finalize(s);
	return got > 0 ? 0 : -1;
}

int recording_fold(const char *path, FILE *f, bool *is_time)
{
	const struct show_filter filter = {.no_events = true, .only_stacks = true, .quiet = true};
	struct recording r;
	struct out *out = NULL;
	int err = recording_open(&r, path);

	if (!err && !recording_load(&r) && !find_unit(&r, is_time))
		out = out_format_new(OUT_FOLDED, f, &r.plan, NULL);
	err = -1;
	if (out) {
		err = recording_show(&r, &filter, out);
		err = err ?: out_finish(out);
		out->close(out);
	}
	recording_close(&r);
	return err ? -1 : 0;
}
