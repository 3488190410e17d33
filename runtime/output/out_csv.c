// SPDX-License-Identifier: Apache-2.0
/*
 * The writer of CSV (RFC 4180): rows, maps and spans as tables. A table begins with the names of
 * its columns; an empty line comes before a table that follows another. Values are those of JSON:
 * times in nanoseconds, which the name of the column says. Control characters are escaped as in
 * text, so that each row is one line. Everything else is text on standard error.
 */
#include "runtime/output/out_file.h"
#include "runtime/output/table_text.h"
#include "runtime/view/agg.h"

struct out_csv {
	struct out_file file; /* first */
	struct text_grown cell;
	/* What the last table is of: its columns, or the name of a map; NULL: nothing came yet. */
	const void *of;
	uint32_t table; /* of rows */
	bool has_cell;	/* the line has a value */
};

static struct out_csv *out_csv(struct out *o)
{
	return (struct out_csv *)o;
}

/* ---- values ------------------------------------------------------------------------------ */

static void put_cell(struct out_csv *w, const char *bytes, size_t n)
{
	struct text *t = &w->file.text;
	bool is_quoted = n && (bytes[0] == ' ' || bytes[n - 1] == ' ');

	for (size_t i = 0; i < n && !is_quoted; i++)
		is_quoted = strchr(",\"\r\n", bytes[i]);
	text_string(t, w->has_cell ? "," : "");
	w->has_cell = true;
	if (!is_quoted) {
		text_put(t, bytes, n);
		return;
	}
	text_char(t, '"');
	for (size_t i = 0; i < n; i++) {
		text_string(t, bytes[i] == '"' ? "\"" : "");
		text_char(t, bytes[i]);
	}
	text_char(t, '"');
}

static void put_text(struct out_csv *w, const char *s)
{
	put_cell(w, s, strlen(s));
}

static void put_number(struct out_csv *w, uint64_t x, bool is_signed)
{
	w->cell.text.n = 0;
	format_number(&w->cell.text, x, is_signed);
	put_cell(w, w->cell.text.bytes, w->cell.text.n);
}

static void put_view(struct out_csv *w, const struct view *v)
{
	w->cell.text.n = 0;
	table_text_cell(&w->cell.text, 0, v);
	put_cell(w, w->cell.text.bytes, w->cell.text.n);
}

static void end_line(struct out_csv *w)
{
	text_char(&w->file.text, '\n');
	w->has_cell = false;
}

static int done(struct out_csv *w)
{
	out_file_note(&w->file, w->cell.error);
	return out_file_done(&w->file);
}

/* True if the table is another than that of the last line: its header comes. */
static bool begin_table(struct out_csv *w, const void *of, uint32_t table)
{
	if (w->of == of && w->table == table)
		return false;
	if (w->of)
		end_line(w);
	w->of = of;
	w->table = table;
	return true;
}

/* ---- rows -------------------------------------------------------------------------------- */

static int csv_row(struct out *o, const struct plan_event *e, const struct view *fields)
{
	static const char rows;
	struct out_csv *w = out_csv(o);

	if (begin_table(w, &rows, e->table)) {
		for (uint32_t i = 0; i < e->n_pieces; i++)
			put_text(w, e->pieces[i].text);
		end_line(w);
	}
	for (uint32_t i = 0; i < e->n_pieces; i++)
		put_view(w, &fields[i]);
	end_line(w);
	return done(w);
}

/* ---- maps -------------------------------------------------------------------------------- */

enum value_form { NUMBER, STATS, QUANTILES, BUCKETS, SERIES };

static enum value_form form_of(const struct type *t)
{
	if (t->kind != TY_AGG || (!agg_has_buckets(t) && t->size == sizeof(uint64_t)))
		return NUMBER;
	if (!agg_has_buckets(t))
		return STATS;
	return agg_is_series(t) ? SERIES : format_is_block(t) ? BUCKETS : QUANTILES;
}

/* The columns of a value, beside quantiles; whether they are of the unit that the map has. */
static const struct {
	const char *name;
	bool has_unit;
} columns[][3] = {
	[NUMBER] = {{"value", true}},
	[STATS] = {{"count"}, {"average", true}, {"total", true}},
	[QUANTILES] = {{"count"}},
	[BUCKETS] = {{"min", true}, {"max", true}, {"count"}},
	[SERIES] = {{"begin_ns"}, {"value", true}},
};

static void put_map_header(struct out_csv *w, const struct view_map *m)
{
	enum value_form form = form_of(m->rows->value.type);
	char name[32];

	put_text(w, "map");
	for (uint32_t i = 0; i < m->n_keys; i++) {
		snprintf(name, sizeof(name), "key_%u", i + 1);
		put_text(w, name);
	}
	for (uint32_t i = 0; i < 3 && columns[form][i].name; i++) {
		snprintf(name, sizeof(name), "%s%s", columns[form][i].name,
			 m->is_time && columns[form][i].has_unit ? "_ns" : "");
		put_text(w, name);
	}
	for (int i = 0; form == QUANTILES && i < SHOWN_QUANTILES; i++) {
		snprintf(name, sizeof(name), "%s%s", agg_shown_quantiles[i].name,
			 m->is_time ? "_ns" : "");
		put_text(w, name);
	}
	end_line(w);
}

static void begin_row(struct out_csv *w, const struct view_map *m, const struct view_row *r)
{
	put_text(w, m->name);
	for (uint32_t i = 0; i < m->n_keys; i++)
		put_view(w, &r->keys[i]);
}

/* A bucket that is open to one side has no edge there. */
static void put_bucket(struct out_csv *w, const struct view *v, const struct view_bucket *b)
{
	uint32_t i = (uint32_t)b->index;
	int64_t first = agg_bucket_begin(v->type, i);

	if (first == INT64_MIN)
		put_text(w, "");
	else
		put_number(w, (uint64_t)first, true);
	if (i + 1 < agg_buckets(v->type))
		put_number(w, (uint64_t)agg_bucket_begin(v->type, i + 1) - 1, true);
	else
		put_text(w, "");
	put_number(w, b->count / v->histogram.divisor, false);
}

static void put_buckets(struct out_csv *w, const struct view_map *m, const struct view_row *r,
			bool is_series)
{
	const struct view *v = &r->value;

	for (uint32_t i = 0; i < v->histogram.n; i++) {
		const struct view_bucket *b = &v->histogram.buckets[i];

		if (!is_series && !b->count)
			continue;
		begin_row(w, m, r);
		if (is_series) {
			put_number(w, b->index * (uint64_t)v->type->scale[0], false);
			put_number(w, b->count, v->type->is_signed);
		} else {
			put_bucket(w, v, b);
		}
		end_line(w);
	}
}

static void put_quantiles(struct out_csv *w, const struct view *v)
{
	put_number(w, v->histogram.total, false);
	for (int i = 0; i < SHOWN_QUANTILES; i++)
		put_number(w, (uint64_t)agg_quantile(v, agg_shown_quantiles[i].per_mille), true);
}

static void put_stats(struct out_csv *w, const struct view *v)
{
	put_number(w, v->stats.count, false);
	put_number(w, v->stats.average, v->type->is_signed);
	put_number(w, v->stats.total, v->type->is_signed);
}

static void put_row(struct out_csv *w, const struct view_map *m, const struct view_row *r)
{
	enum value_form form = form_of(r->value.type);

	if (form == BUCKETS || form == SERIES) {
		put_buckets(w, m, r, form == SERIES);
		return;
	}
	begin_row(w, m, r);
	if (form == STATS)
		put_stats(w, &r->value);
	else if (form == QUANTILES)
		put_quantiles(w, &r->value);
	else
		put_view(w, &r->value);
	end_line(w);
}

static int csv_map(struct out *o, const struct view_map *m)
{
	struct out_csv *w = out_csv(o);

	if (!m->n_rows)
		return w->file.error;
	if (begin_table(w, m->name, 0))
		put_map_header(w, m);
	for (uint32_t i = 0; i < m->n_rows; i++)
		put_row(w, m, &m->rows[i]);
	return done(w);
}

/* ---- spans ------------------------------------------------------------------------------- */

static int csv_span(struct out *o, const struct view_span *s)
{
	static const char spans;
	static const char *const names[] = {"span", "pid",	"tid",
					    "comm", "start_ns", "duration_ns"};
	struct out_csv *w = out_csv(o);

	if (begin_table(w, &spans, 0)) {
		for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
			put_text(w, names[i]);
		end_line(w);
	}
	w->cell.text.n = 0;
	text_name(&w->cell.text, s->name);
	put_cell(w, w->cell.text.bytes, w->cell.text.n);
	put_number(w, s->pid, false);
	put_number(w, s->tid, false);
	w->cell.text.n = 0;
	text_name(&w->cell.text, s->comm);
	put_cell(w, w->cell.text.bytes, w->cell.text.n);
	put_number(w, s->start, false);
	if (s->is_left)
		put_text(w, "");
	else
		put_number(w, s->length, false);
	end_line(w);
	return done(w);
}

static void csv_release(struct out *o)
{
	text_grown_free(&out_csv(o)->cell);
}

struct out *out_csv_new(FILE *f, const struct plan *plan, const char *word)
{
	static const struct out hooks = {
		.row = csv_row,
		.map = csv_map,
		.span = csv_span,
		.release = csv_release,
	};
	struct out_csv *w = out_file_beside_text(sizeof(*w), f, &hooks);

	if (!w)
		return NULL;
	text_grown_init(&w->cell);
	return &w->file.out;
}
