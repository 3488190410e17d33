/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See live_table.h.
 */
#include "runtime/output/live_table.h"
#include "runtime/base/hash.h"
#include "parser/base/arena.h"
#include "runtime/view/format.h"
#include "runtime/view/view_compare.h"

/* ---- texts --------------------------------------------------------------------------------- */

/* Lines as one: " < " between frames, which begin with blanks. */
static const char *in_one_line(struct arena *a, const char *text, size_t n)
{
	size_t size = 1, at = 0;
	char *out;

	for (size_t i = 0; i < n; i++)
		size += text[i] == '\n' ? 3 : 1;
	out = arena_alloc(a, size);
	for (const char *end = text + n; text < end;) {
		size_t len;

		text += strspn(text, " \t\n");
		len = strcspn(text, "\n");
		if (!len)
			break;
		if (at)
			at = (size_t)(stpcpy(out + at, " < ") - out);
		memcpy(out + at, text, len);
		at += len;
		text += len;
	}
	return out;
}

/* Text that has several lines is kept in full, too. */
static void fill_cell(struct live_cell *c, struct arena *a, struct text *t)
{
	text_char(t, '\0');
	t->n--;
	while (t->n && t->bytes[t->n - 1] == '\n')
		t->bytes[--t->n] = '\0';
	c->full = memchr(t->bytes, '\n', t->n) ? arena_strdup(a, t->bytes + (*t->bytes == '\n'))
					       : NULL;
	c->text = c->full ? in_one_line(a, t->bytes, t->n) : arena_strndup(a, t->bytes, t->n);
}

static uint64_t id_of(const struct live_row *r, uint32_t n_columns)
{
	uint64_t hash = 0;

	for (uint32_t i = 1; i < n_columns; i++)
		hash = hash_mix_string(hash, r->cells[i].text);
	return hash;
}

static void fill_row(struct live_table *t, struct live_row *r, const struct view_map *m,
		     const struct view_row *from, struct text *text, uint64_t time_unit)
{
	r->cells = arena_alloc(t->arena, t->n_columns * sizeof(*r->cells));
	for (uint32_t i = 0; i < t->n_columns; i++) {
		text->n = 0;
		text->time_unit = i ? SHOW_NUMBER : time_unit;
		format_view(text, i ? &from->keys[i - 1] : &from->value);
		if (!i && m->whole)
			format_share(text, &from->value, m->whole);
		fill_cell(&r->cells[i], t->arena, text);
	}
	r->id = id_of(r, t->n_columns);
}

/* ---- ranks --------------------------------------------------------------------------------- */

/* Rows to sort by a column. */
struct ranking {
	const struct view_row **rows;
	uint32_t column;
};

static const struct view *view_of(const struct view_row *r, uint32_t column)
{
	return column ? &r->keys[column - 1] : &r->value;
}

static int by_column(const void *x, const void *y, void *ctx)
{
	const uint32_t *a = x, *b = y;
	const struct ranking *r = ctx;

	return view_compare(view_of(r->rows[*a], r->column), view_of(r->rows[*b], r->column));
}

static void rank_column(struct live_table *t, struct ranking *r, uint32_t *sorted)
{
	uint32_t rank = 0;

	for (uint32_t i = 0; i < t->n_rows; i++)
		sorted[i] = i;
	qsort_r(sorted, t->n_rows, sizeof(*sorted), by_column, r);
	for (uint32_t i = 0; i < t->n_rows; i++) {
		if (i && by_column(&sorted[i - 1], &sorted[i], r))
			rank++;
		t->rows[sorted[i]].cells[r->column].rank = rank;
	}
}

static int by_value_down(const void *x, const void *y)
{
	const struct view_row *const *a = x, *const *b = y;

	return view_compare(&(*b)->value, &(*a)->value);
}

/* ---- reading ------------------------------------------------------------------------------- */

static void restart(struct live_table *t)
{
	arena_free(t->arena);
	t->arena = arena_new();
	t->rows = NULL;
	t->n_rows = t->n_left_out = 0;
}

int live_table_read(struct live_table *t, const struct view_map *m)
{
	const struct view_row **from = calloc(m->n_rows + 1, sizeof(*from));
	uint32_t *sorted = calloc(m->n_rows + 1, sizeof(*sorted));
	uint64_t time_unit = format_map_unit(m);
	struct ranking ranking = {.rows = from};
	struct text_grown text;

	restart(t);
	t->n_columns = m->n_keys + 1;
	t->is_block = m->n_rows && format_is_block(m->rows[0].value.type);
	if (t->column >= t->n_columns)
		t->column = 0;
	if (from && sorted) {
		for (uint32_t i = 0; i < m->n_rows; i++)
			from[i] = &m->rows[i];
		t->n_rows = m->n_rows < LIVE_ROWS ? m->n_rows : LIVE_ROWS;
		t->n_left_out = m->n_rows - t->n_rows;
		if (t->n_left_out)
			qsort(from, m->n_rows, sizeof(*from), by_value_down);
		t->rows = arena_alloc(t->arena, (t->n_rows + 1) * sizeof(*t->rows));
		text_grown_init(&text);
		text.text.is_terminal = true;
		for (uint32_t i = 0; i < t->n_rows; i++)
			fill_row(t, &t->rows[i], m, from[i], &text.text, time_unit);
		text_grown_free(&text);
		for (; ranking.column < t->n_columns; ranking.column++)
			rank_column(t, &ranking, sorted);
	}
	free(from);
	free(sorted);
	return t->rows ? 0 : -ENOMEM;
}

void live_table_empty(struct live_table *t)
{
	restart(t);
	t->order.n = 0;
}

/* ---- what the user chooses ----------------------------------------------------------------- */

static int by_rank(const void *x, const void *y, void *ctx)
{
	const uint32_t *a = x, *b = y;
	const struct live_table *t = ctx;
	uint32_t one = t->rows[*a].cells[t->column].rank, other = t->rows[*b].cells[t->column].rank;

	if (one == other)
		return *a < *b ? -1 : 1;
	return (one < other) == t->ascends ? -1 : 1;
}

static bool passes(const struct live_table *t, const struct live_row *r, const char *filter)
{
	return FIND(r->cells, t->n_columns, strcasestr(item->text, filter));
}

int live_table_arrange(struct live_table *t, const char *filter)
{
	t->order.n = 0;
	if (vec_reserve(&t->order, t->n_rows + 1))
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_rows; i++)
		if (!*filter || passes(t, &t->rows[i], filter))
			t->order.items[t->order.n++] = i;
	qsort_r(t->order.items, t->order.n, sizeof(*t->order.items), by_rank, t);
	if (t->selected >= t->order.n)
		t->selected = t->order.n ? (uint32_t)t->order.n - 1 : 0;
	if (t->top > t->selected)
		t->top = t->selected;
	return 0;
}

bool live_table_is_open(const struct live_table *t, const struct live_row *r)
{
	return FIND(t->open.items, t->open.n, *item == r->id);
}

void live_table_toggle(struct live_table *t)
{
	uint64_t id = t->selected < t->order.n ? t->rows[t->order.items[t->selected]].id : 0;
	uint64_t *open = FIND(t->open.items, t->open.n, *item == id);

	if (open)
		*open = t->open.items[--t->open.n];
	else if (t->selected < t->order.n)
		(void)vec_push(&t->open, id); /* without memory it stays folded */
}

static uint32_t count_lines(const char *text)
{
	uint32_t n = 1;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

uint32_t live_table_height(const struct live_table *t, const struct live_row *r)
{
	bool is_open = live_table_is_open(t, r);
	uint32_t n = 1;

	for (uint32_t i = 0; i < t->n_columns; i++)
		if (r->cells[i].full && (is_open || (!i && t->is_block)))
			n += count_lines(r->cells[i].full);
	return n;
}

void live_table_free(struct live_table *t)
{
	arena_free(t->arena);
	vec_free(&t->order);
	vec_free(&t->open);
}
