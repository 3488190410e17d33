/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws heat maps: see heat_page.h.
 */
#include "runtime/output/heat_page.h"
#include "runtime/view/agg.h"
#include <math.h>
#include <time.h>

/* Units of the drawing. */
enum { WIDTH = 1200, LEFT = 120, RIGHT = 16, HEAD = 104, TITLE = 34, FOOT = 54, HEIGHT = 360 };
/* Cells are at least so large, or several columns or buckets share one. */
enum { COLUMNS_MOST = 530, ROWS_MOST = 60, ROW_MOST = 22 };
/* Between two marks of an axis. */
enum { STEP_X = 100, STEP_Y = 18 };
enum { MAPS_MOST = 16, LETTER = 8 };
#define NS_PER_S 1000000000ull

extern const char sonde_heatmap_css[], sonde_heatmap_js[];

enum {
#define HEAT_COLOUR(id, colour) HEAT_##id,
#include "runtime/output/heat_colours.def"
	SHADES,
};

static const char *const colours[SHADES] = {
#define HEAT_COLOUR(id, colour) [HEAT_##id] = colour,
#include "runtime/output/heat_colours.def"
};

/* A heat map that is drawn: a grid of cells, each of which stands for `per_column` columns and
 * `per_row` buckets. */
struct drawing {
	struct text *text;
	const struct heat_page *page;
	const struct heat_map *map;
	uint32_t first, per_row, per_column; /* first: the lowest bucket */
	uint32_t n_rows, n_columns, y, row_height;
	double column_width;
	uint64_t *grid, most; /* most: in a cell */
};

/* ---- numbers ----------------------------------------------------------------------------- */

/* Shades are equally far apart on a scale of logarithms. The least count that has shade i. */
static uint64_t least_of(uint64_t most, int i)
{
	uint64_t x = (uint64_t)ceil(pow((double)most + 1, (double)i / SHADES));

	return x > (uint64_t)i + 1 || most < SHADES ? x : (uint64_t)i + 1;
}

static int shade_of(uint64_t most, uint64_t count)
{
	int i = SHADES - 1;

	while (i > 0 && count < least_of(most, i))
		i--;
	return i;
}

static void put_edge(struct text *t, const struct heat_map *m, int64_t x)
{
	if (x == INT64_MIN)
		text_string(t, "less");
	else if (m->is_time)
		format_time(t, SHOW_OWN_UNIT, (uint64_t)x, x < 0);
	else if (x < 0)
		text_signed(t, x);
	else
		text_thousands(t, (uint64_t)x);
}

/* The time of day. */
static void put_time(struct text *t, uint64_t ns, bool is_short)
{
	time_t second = (time_t)(ns / NS_PER_S);
	char bytes[32];
	struct tm tm;

	if (!localtime_r(&second, &tm) || !strftime(bytes, sizeof(bytes), "%H:%M:%S", &tm))
		return;
	text_string(t, bytes);
	if (is_short)
		text_printf(t, ".%03u", (unsigned)(ns / 1000000 % 1000));
}

/* When a column begins. */
static uint64_t time_of(const struct heat_page *p, uint32_t column)
{
	return column ? p->times.items[column - 1] : p->began;
}

/* Are columns shorter than a second? */
static bool is_short(const struct heat_page *p)
{
	size_t n = p->times.n;

	return n && p->times.items[n - 1] - p->began < n * NS_PER_S * 9 / 10;
}

/* ---- the grid ---------------------------------------------------------------------------- */

static int make_grid(struct drawing *d)
{
	uint32_t last = 0, n;

	d->first = UINT32_MAX;
	for (size_t i = 0; i < d->map->cells.n; i++) {
		const struct heat_cell *c = &d->map->cells.items[i];

		d->first = c->bucket < d->first ? c->bucket : d->first;
		last = c->bucket > last ? c->bucket : last;
	}
	n = last - d->first + 1;
	d->per_row = (n + ROWS_MOST - 1) / ROWS_MOST;
	d->n_rows = (n + d->per_row - 1) / d->per_row;
	n = (uint32_t)d->page->times.n;
	d->per_column = (n + COLUMNS_MOST - 1) / COLUMNS_MOST;
	d->n_columns = (n + d->per_column - 1) / d->per_column;
	d->grid = calloc((size_t)d->n_rows * d->n_columns, sizeof(*d->grid));
	if (!d->grid)
		return -ENOMEM;
	for (size_t i = 0; i < d->map->cells.n; i++) {
		const struct heat_cell *c = &d->map->cells.items[i];
		uint64_t *to = &d->grid[c->column / d->per_column * d->n_rows +
					(c->bucket - d->first) / d->per_row];

		*to += c->count;
		d->most = *to > d->most ? *to : d->most;
	}
	d->row_height = HEIGHT / d->n_rows < ROW_MOST ? HEIGHT / d->n_rows : ROW_MOST;
	d->column_width = (double)(WIDTH - LEFT - RIGHT) / d->n_columns;
	return 0;
}

static int64_t edge_of(const struct drawing *d, uint32_t row)
{
	uint32_t bucket = d->first + row * d->per_row, n = agg_buckets(d->map->type);

	return agg_bucket_begin(d->map->type, bucket < n ? bucket : n);
}

static uint32_t bottom_of(const struct drawing *d)
{
	return d->y + TITLE + d->n_rows * d->row_height;
}

static uint64_t sum_of_column(const struct drawing *d, uint32_t column)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < d->n_rows; i++)
		sum += d->grid[(size_t)column * d->n_rows + i];
	return sum;
}

static void put_cell(const struct drawing *d, uint32_t column, uint32_t row, uint64_t whole)
{
	uint64_t count = d->grid[(size_t)column * d->n_rows + row];
	uint32_t from = column * d->per_column, end = from + d->per_column;
	const struct heat_page *p = d->page;
	struct text *t = d->text;

	end = end < p->times.n ? end : (uint32_t)p->times.n;
	text_printf(t,
		    "<rect class=\"c\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%u\" "
		    "fill=\"%s\"><title>",
		    LEFT + column * d->column_width, bottom_of(d) - (row + 1) * d->row_height,
		    d->column_width, d->row_height, colours[shade_of(d->most, count)]);
	put_time(t, time_of(p, from), is_short(p));
	text_string(t, " to ");
	put_time(t, time_of(p, end), is_short(p));
	text_string(t, ", ");
	put_edge(t, d->map, edge_of(d, row));
	text_string(t, " to ");
	put_edge(t, d->map, edge_of(d, row + 1));
	text_string(t, ": ");
	text_thousands(t, count);
	text_string(t, " of ");
	text_thousands(t, whole);
	text_printf(t, " (%.2f %%)</title></rect>\n", 100 * (double)count / (double)whole);
}

/* ---- axes -------------------------------------------------------------------------------- */

static void put_y_axis(const struct drawing *d)
{
	uint32_t step = (STEP_Y + d->row_height - 1) / d->row_height;
	struct text *t = d->text;

	for (uint32_t row = 0; row <= d->n_rows; row += step) {
		uint32_t y = bottom_of(d) - row * d->row_height;

		text_printf(
			t, "<path class=\"a\" d=\"M%d %uh5\"/><text class=\"e\" x=\"%d\" y=\"%u\">",
			LEFT - 5, y, LEFT - 8, y + 4);
		put_edge(t, d->map, edge_of(d, row));
		text_string(t, "</text>\n");
	}
	text_printf(t, "<text class=\"m\" transform=\"translate(14 %u) rotate(-90)\">%s</text>\n",
		    d->y + TITLE + d->n_rows * d->row_height / 2,
		    d->map->is_time ? "duration" : "value");
}

static void put_x_axis(const struct drawing *d)
{
	uint32_t step = (uint32_t)ceil(STEP_X / d->column_width), y = bottom_of(d);
	struct text *t = d->text;

	for (uint32_t column = 0; column <= d->n_columns; column += step) {
		double x = LEFT + column * d->column_width;
		uint32_t at = column * d->per_column;

		at = at < d->page->times.n ? at : (uint32_t)d->page->times.n;
		if (x > WIDTH - STEP_X / 2)
			break;
		text_printf(
			t,
			"<path class=\"a\" d=\"M%.2f %uv5\"/><text class=\"m\" x=\"%.2f\" y=\"%u\">",
			x, y, x, y + 18);
		put_time(t, time_of(d->page, at), is_short(d->page));
		text_string(t, "</text>\n");
	}
	text_printf(t, "<text class=\"m\" x=\"%d\" y=\"%u\">time of day</text>\n",
		    LEFT + (WIDTH - LEFT - RIGHT) / 2, y + 36);
	text_printf(t, "<rect class=\"a\" x=\"%d\" y=\"%u\" width=\"%d\" height=\"%u\"/>\n", LEFT,
		    d->y + TITLE, WIDTH - LEFT - RIGHT, d->n_rows * d->row_height);
}

/* "values in a cell" and the shades with their counts, to the right of the title. */
static void put_legend(const struct drawing *d)
{
	struct text *t = d->text;
	uint32_t x = WIDTH - RIGHT, y = d->y + TITLE - 26;
	char bytes[64];

	for (int i = shade_of(d->most, d->most); i >= 0; i--) {
		uint64_t from = least_of(d->most, i),
			 to = i + 1 < SHADES ? least_of(d->most, i + 1) - 1 : d->most;
		struct text label = text_in_array(bytes, sizeof(bytes));

		text_thousands(&label, from);
		text_string(&label, to > from ? "–" : "");
		if (to > from)
			text_thousands(&label, to < d->most ? to : d->most);
		text_terminate(&label);
		if (to < from)
			continue;
		x -= (uint32_t)label.n * LETTER + 24;
		text_printf(t,
			    "<rect x=\"%u\" y=\"%u\" width=\"12\" height=\"12\" fill=\"%s\" "
			    "stroke=\"#888\"/><text x=\"%u\" y=\"%u\">%s</text>\n",
			    x, y, colours[i], x + 16, y + 11, bytes);
	}
	text_printf(t, "<text class=\"e\" x=\"%u\" y=\"%u\">values in a cell:</text>\n", x - 8,
		    y + 11);
}

static void put_map(struct drawing *d)
{
	struct text *t = d->text;

	text_printf(t, "<text class=\"p\" x=\"24\" y=\"%u\">", d->y + TITLE - 15);
	text_xml(t, d->map->name, strlen(d->map->name));
	text_string(t, ": ");
	text_thousands(t, d->map->total);
	text_string(t, " values</text>\n");
	put_legend(d);
	for (uint32_t column = 0; column < d->n_columns; column++) {
		uint64_t whole = sum_of_column(d, column);

		for (uint32_t row = 0; row < d->n_rows; row++)
			if (d->grid[(size_t)column * d->n_rows + row])
				put_cell(d, column, row, whole);
	}
	put_y_axis(d);
	put_x_axis(d);
	d->y = bottom_of(d) + FOOT;
}

/* ---- the page ---------------------------------------------------------------------------- */

/* "COMMAND · 2026-11-29, 60 columns of 1 s", and below it the script. */
static void put_title(struct text *t, const struct heat_page *p)
{
	time_t second = (time_t)(p->began / NS_PER_S);
	uint32_t n = (uint32_t)p->times.n;
	char date[32] = "";
	struct tm tm;

	if (localtime_r(&second, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d", &tm);
	text_string(t, "<text id=\"title\" x=\"8\" y=\"22\">");
	if (p->subject) {
		text_xml(t, p->subject, strlen(p->subject));
		text_string(t, " · ");
	}
	text_printf(t, "%s, %u column%s", date, n, n == 1 ? "" : "s");
	if (n) {
		text_string(t, n == 1 ? " of " : " of about ");
		format_time(t, SHOW_OWN_UNIT, (p->times.items[n - 1] - p->began) / n, false);
	}
	text_string(t, p->maps.n ? "</text>\n" : ", no values</text>\n");
	if (p->script) {
		text_string(t, "<text id=\"script\" x=\"8\" y=\"43\">");
		text_xml(t, p->script, strlen(p->script));
		text_string(t, "</text>\n");
	}
	if (p->maps.n > MAPS_MOST)
		text_printf(
			t,
			"<text x=\"8\" y=\"64\">the %d keys with the most values, of %zu</text>\n",
			MAPS_MOST, p->maps.n);
	text_string(t, "<text id=\"details\" x=\"8\" y=\"86\"></text>\n");
}

static int by_total(const void *x, const void *y)
{
	const struct heat_map *a = x, *b = y;

	return ORDER(b->total, a->total) ?: strcmp(a->name, b->name);
}

static void put_head(struct text *t, const struct heat_page *p, uint32_t height)
{
	text_printf(t,
		    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg "
		    "xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		    "viewBox=\"0 0 %d %u\" role=\"img\" aria-labelledby=\"title\">\n<style>\n",
		    WIDTH, height, WIDTH, height);
	text_string(t, sonde_heatmap_css);
	text_string(t, "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
	put_title(t, p);
}

int heat_page_write(struct heat_page *p, struct text *t)
{
	struct drawing all[MAPS_MOST] = {0};
	size_t n = p->maps.n < MAPS_MOST ? p->maps.n : MAPS_MOST;
	uint32_t y = HEAD;
	int err = 0;

	if (n)
		qsort(p->maps.items, p->maps.n, sizeof(*p->maps.items), by_total);
	for (size_t i = 0; i < n && !err; i++) {
		all[i] = (struct drawing){.text = t, .page = p, .map = &p->maps.items[i], .y = y};
		err = make_grid(&all[i]);
		y = bottom_of(&all[i]) + FOOT;
	}
	if (!err)
		put_head(t, p, y);
	for (size_t i = 0; i < n; i++) {
		if (!err)
			put_map(&all[i]);
		free(all[i].grid);
	}
	if (err)
		return err;
	text_string(t, "<script><![CDATA[\n");
	text_string(t, sonde_heatmap_js);
	text_string(t, "]]></script>\n</svg>\n");
	return 0;
}

void heat_page_free(struct heat_page *p)
{
	for (size_t i = 0; i < p->maps.n; i++) {
		free((char *)p->maps.items[i].name);
		vec_free(&p->maps.items[i].cells);
	}
	vec_free(&p->maps);
	vec_free(&p->times);
	free(p->subject);
	free(p->script);
}
