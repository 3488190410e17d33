/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer of bars: text, but the rows of maps whose values are numbers are in columns, each with
 * a bar whose length shows its value beside the largest.
 */
#include "runtime/output/out_file.h"
#include "runtime/output/out.h"

enum { KEY_COLUMNS = 40, KEY_BYTES = 512, BAR_COLUMNS = 32 };

struct bar_row {
	char key[KEY_BYTES];
	uint32_t columns;
	uint64_t value; /* without its sign */
	bool is_negative;
};

/* Does text show these values as numbers? */
static bool has_numbers(const struct view_map *m)
{
	const struct type *t = m->n_rows && m->n_keys ? m->rows[0].value.type : NULL;

	return t && format_is_number(t);
}

/* The key on a line of at most KEY_COLUMNS characters. */
static void make_key(const struct view_map *m, const struct view_row *row, struct bar_row *out)
{
	struct text t = text_in_array(out->key, KEY_BYTES);
	uint32_t n = 0, end = 0;

	format_keys(&t, row, m->n_keys);
	for (uint32_t i = 0; i < t.n; i++) /* a stack has lines */
		if (out->key[i] != '\n' || (end && i + 1 < t.n))
			out->key[end++] = out->key[i] == '\n' ? ';' : out->key[i];
	for (uint32_t i = 0; i < end; i++) {
		if ((out->key[i] & 0xc0) == 0x80)
			continue;
		if (++out->columns > KEY_COLUMNS) {
			out->columns = KEY_COLUMNS;
			end = i;
		}
	}
	for (n = end; n && out->key[n - 1] == ' '; n--)
		out->columns--;
	out->key[n < KEY_BYTES ? n : KEY_BYTES - 1] = '\0';
}

static void put_bar(struct text *t, const struct bar_row *row, uint64_t most)
{
	double share = most ? (double)row->value / (double)most : 0;
	uint32_t n = (uint32_t)(share * BAR_COLUMNS + 0.5);

	text_string(t, "|");
	text_fill(t, '@', n);
	text_fill(t, ' ', BAR_COLUMNS - n);
	text_string(t, "|\n");
}

static void put_number(struct text *t, const struct bar_row *row)
{
	if (row->is_negative)
		text_char(t, '-');
	format_number(t, row->value, false);
}

/* How many columns the number takes. */
static uint32_t number_columns(const struct text *like, const struct bar_row *row)
{
	char bytes[64];
	struct text t = text_in_array(bytes, sizeof(bytes));

	t.time_unit = like->time_unit;
	put_number(&t, row);
	return (uint32_t)t.n;
}

static void put_rows(struct text *t, const struct bar_row *rows, uint32_t n)
{
	uint32_t key_columns = 0, columns = 0;
	uint64_t most = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = number_columns(t, &rows[i]);

		key_columns = rows[i].columns > key_columns ? rows[i].columns : key_columns;
		columns = number > columns ? number : columns;
		most = rows[i].value > most ? rows[i].value : most;
	}
	for (uint32_t i = 0; i < n; i++) {
		text_string(t, rows[i].key);
		text_fill(t, ' ',
			  key_columns - rows[i].columns + 2 + columns -
				  number_columns(t, &rows[i]));
		put_number(t, &rows[i]);
		text_char(t, ' ');
		put_bar(t, &rows[i], most);
	}
}

static int bars_map(struct out *o, const struct view_map *m)
{
	struct out_file *w = (struct out_file *)o;
	struct bar_row *rows = has_numbers(m) ? calloc(m->n_rows, sizeof(*rows)) : NULL;

	if (!rows)
		return out_text_map(o, m);
	for (uint32_t i = 0; i < m->n_rows; i++) {
		const struct view *v = &m->rows[i].value;

		make_key(m, &m->rows[i], &rows[i]);
		rows[i].is_negative = v->type->is_signed && (int64_t)v->integer < 0;
		rows[i].value = rows[i].is_negative ? -v->integer : v->integer;
	}
	text_name(&w->text, m->name);
	text_string(&w->text, ":\n");
	w->text.time_unit = format_map_unit(m);
	put_rows(&w->text, rows, m->n_rows);
	w->text.time_unit = SHOW_NUMBER;
	text_char(&w->text, '\n');
	free(rows);
	return out_file_done(w);
}

struct out *out_bars_new(FILE *f, const struct plan *plan, const char *word)
{
	struct out *o = out_text_new(f, plan, word);

	if (o)
		o->map = bars_map;
	return o;
}
