// SPDX-License-Identifier: Apache-2.0
/*
 * Rows as an aligned table: see table_text.h.
 */
#include "runtime/output/table_text.h"
#include "runtime/base/terminal.h"
#include "runtime/view/format.h"
#include <ctype.h>

enum {
	WIDEST = 40, /* a longer value does not make its column wider */
	STEP = 4,    /* a column grows by so much, so that headers are rare */
	SCREEN = 24, /* lines of a terminal that does not say */
};

/* Numbers are aligned at their last digit. */
static bool is_number(const struct plan_event *e, uint32_t i)
{
	const struct type *t = e->fields[i].type;
	enum type_shape shape = type_shape(t);

	return (shape == SHAPE_INT && !t->enumeration) || shape == SHAPE_FLOAT ||
	       shape == SHAPE_AGG;
}

/* Characters of UTF-8. */
static uint32_t columns_of(const char *s, size_t n)
{
	uint32_t columns = 0;

	for (size_t i = 0; i < n; i++)
		columns += (s[i] & 0xc0) != 0x80;
	return columns;
}

void table_text_init(struct table_text *w, int fd, bool is_terminal)
{
	text_grown_init(&w->cells);
	w->fd = is_terminal ? fd : -1;
}

/* A stack has lines: a;b;c, without the blanks before. */
static void join_lines(struct text *t, size_t first)
{
	size_t to = first;

	for (size_t i = first; i < t->n; i++) {
		char c = t->bytes[i];
		bool is_begin = to == first || t->bytes[to - 1] == ';';

		if (c == '\n' && !is_begin)
			t->bytes[to++] = ';';
		else if (c != '\n' && !(is_begin && isspace((unsigned char)c)))
			t->bytes[to++] = c;
	}
	t->n = to > first && t->bytes[to - 1] == ';' ? to - 1 : to;
}

void table_text_cell(struct text *t, uint32_t time_unit, const struct view *v)
{
	size_t first = t->n;

	if (time_unit)
		format_time(t, time_unit, v->integer,
			    v->type->is_signed && (int64_t)v->integer < 0);
	else
		format_view(t, v);
	if (type_shape(v->type) == SHAPE_STACK || type_shape(v->type) == SHAPE_PARTS)
		join_lines(t, first);
}

/* LATENCY(ms): a name that is a word is in capitals, others are as they were written. */
static void put_title(struct text *t, const struct format_piece *p)
{
	uint32_t n = p->text_len - (p->time_unit ? sizeof("_ns") - 1 : 0);
	bool is_word = true;

	for (uint32_t i = 0; i < n; i++)
		is_word &= isalnum((unsigned char)p->text[i]) || p->text[i] == '_';
	for (uint32_t i = 0; is_word && i < n; i++)
		text_char(t, (char)toupper((unsigned char)p->text[i]));
	if (!is_word)
		text_escaped(t, ESCAPE_NAME, p->text, n);
	if (p->time_unit)
		text_printf(t, "(%s)", format_unit(p->time_unit));
}

/* A row or a header as text: where each cell ends in `cells`, and how wide it is. */
struct cell {
	size_t end;
	uint32_t columns;
};

/* The cell that was appended to `cells` is complete. */
static void end_cell(struct table_text *w, struct cell *cells, uint32_t i, size_t first)
{
	const struct text *t = &w->cells.text;

	cells[i].end = t->n;
	cells[i].columns = first < t->n ? columns_of(t->bytes + first, t->n - first) : 0;
}

static void put_line(struct table_text *w, struct text *t, const struct plan_event *e,
		     const struct cell *cells, size_t first)
{
	for (uint32_t i = 0; i < e->n_pieces; first = cells[i++].end) {
		uint32_t width = w->widths[i], columns = cells[i].columns;
		uint32_t pad = width > columns ? width - columns : 0;
		bool is_right = is_number(e, i);

		text_fill(t, ' ', (i > 0) + (is_right ? pad : 0));
		if (cells[i].end > first)
			text_put(t, w->cells.text.bytes + first, cells[i].end - first);
		if (!is_right && i + 1 < e->n_pieces)
			text_fill(t, ' ', pad);
	}
	text_char(t, '\n');
}

static void put_header(struct table_text *w, struct text *t, const struct plan_event *e)
{
	struct cell cells[LIMIT_CALL_ARGS];
	size_t first = w->cells.text.n;

	for (uint32_t i = 0; i < e->n_pieces; i++) {
		size_t begin = w->cells.text.n;

		put_title(&w->cells.text, &e->pieces[i]);
		end_cell(w, cells, i, begin);
		if (cells[i].columns > w->widths[i])
			w->widths[i] = cells[i].columns;
	}
	if (!w->cells.error)
		put_line(w, t, e, cells, first);
	w->cells.text.n = first;
	w->lines = 0;
	w->screen = w->fd < 0 ? UINT32_MAX : (uint32_t)terminal_lines(w->fd, SCREEN) - 1;
}

/* True if a column becomes wider. */
static bool widen(struct table_text *w, const struct plan_event *e, const struct cell *cells)
{
	bool is_wider = false;

	for (uint32_t i = 0; i < e->n_pieces; i++) {
		uint32_t n = cells[i].columns;

		if (n <= w->widths[i] || n > WIDEST || (i + 1 == e->n_pieces && !is_number(e, i)))
			continue;
		w->widths[i] = (n + STEP - 1) / STEP * STEP;
		is_wider = true;
	}
	return is_wider;
}

/* Widths as the plan has them; times have three digits behind the point. */
static void begin_table(struct table_text *w, const struct plan_event *e)
{
	enum { TIME = 10 };

	w->table = e->table + 1;
	for (uint32_t i = 0; i < e->n_pieces; i++)
		w->widths[i] = e->pieces[i].time_unit	? TIME
			       : e->pieces[i].width > 0 ? (uint32_t)e->pieces[i].width
							: 0;
}

int table_text_row(struct table_text *w, struct text *t, const struct plan_event *e,
		   const struct view *fields)
{
	bool is_new = w->table != e->table + 1, is_wider;
	struct cell cells[LIMIT_CALL_ARGS];

	w->cells.text.n = 0;
	w->cells.text.is_terminal = t->is_terminal;
	for (uint32_t i = 0; i < e->n_pieces; i++) {
		size_t first = w->cells.text.n;

		table_text_cell(&w->cells.text, e->pieces[i].time_unit, &fields[i]);
		end_cell(w, cells, i, first);
	}
	if (w->cells.error)
		return w->cells.error;
	if (is_new)
		begin_table(w, e);
	is_wider = widen(w, e, cells);
	if (is_new || (is_wider && w->fd >= 0) || w->lines + 1 >= w->screen)
		put_header(w, t, e);
	if (!w->cells.error)
		put_line(w, t, e, cells, 0);
	w->lines++;
	return w->cells.error;
}
