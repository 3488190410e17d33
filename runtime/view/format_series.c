/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of time series: a line for each interval, from the first that has a value to the newest of
 * the map, with a point between the smallest and the largest value. The form is that of bpftrace.
 */
#include "runtime/view/agg.h"
#include "runtime/view/format.h"
#include <time.h>

enum { GRAPH_WIDTH = 53, MIN_WIDTH = 21, TIME_BYTES = 64, VALUE_BYTES = 24 };

/* The unit of the times, by the length of the intervals. */
static const struct unit {
	uint64_t ns;
	const char *name; /* in the heading */
	uint32_t name_width;
	uint32_t digits; /* behind the seconds */
} units[] = {
	{1000000000, "", 0, 0},
	{1000000, ".ms", 3, 3},
	{1000, ".μs", 3, 6},
	{1, ".ns", 3, 9},
};

struct graph {
	struct text *t;
	const struct unit *unit;
	bool is_signed;
	uint64_t min, max;
	uint32_t margin;
};

static bool is_less(const struct graph *g, uint64_t a, uint64_t b)
{
	return g->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

/* The column of a value, 0 to GRAPH_WIDTH - 1. */
static uint32_t column(const struct graph *g, uint64_t value)
{
	double range = (double)(g->max - g->min);

	return (uint32_t)((GRAPH_WIDTH - 1) * ((double)(value - g->min) / range));
}

static void value_text(const struct graph *g, char *out, uint64_t value)
{
	if (g->is_signed)
		snprintf(out, VALUE_BYTES, "%lld", (long long)value);
	else
		snprintf(out, VALUE_BYTES, "%llu", (unsigned long long)value);
}

/* The smallest value at the left end of the graph, the largest at its right end. */
static void put_ends(const struct graph *g)
{
	char min[VALUE_BYTES], max[VALUE_BYTES];

	value_text(g, min, g->min);
	value_text(g, max, g->max);
	text_fill(g->t, ' ', g->margin);
	text_printf(g->t, "%-*s%*s\n", MIN_WIDTH, min, GRAPH_WIDTH - MIN_WIDTH, max);
}

static void put_frame(const struct graph *g, char corner)
{
	text_char(g->t, corner);
	text_fill(g->t, '_', GRAPH_WIDTH - 2);
	text_char(g->t, corner);
	text_char(g->t, '\n');
}

static void put_heading(const struct graph *g)
{
	uint32_t width = (uint32_t)strlen("hh:mm:ss") + g->unit->name_width;

	put_ends(g);
	text_string(g->t, "hh:mm:ss");
	text_string(g->t, g->unit->name);
	text_fill(g->t, ' ', g->margin - width);
	put_frame(g, '|');
}

static void put_time(const struct graph *g, uint64_t ns)
{
	time_t seconds = (time_t)(ns / 1000000000);
	char text[TIME_BYTES];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	text_string(g->t, text);
	if (g->unit->digits)
		text_printf(g->t, ".%0*llu", (int)g->unit->digits,
			    (unsigned long long)(ns % 1000000000 / g->unit->ns));
	text_char(g->t, ' ');
}

/* `value` may be NULL: the interval has none. A dot marks 0 where values are on both sides. */
static void put_line(const struct graph *g, uint64_t ns, const uint64_t *value)
{
	char line[GRAPH_WIDTH + 1], text[VALUE_BYTES] = "-";

	memset(line, ' ', GRAPH_WIDTH);
	line[0] = line[GRAPH_WIDTH - 1] = '|';
	line[GRAPH_WIDTH] = '\0';
	if (g->is_signed && (int64_t)g->min < 0 && (int64_t)g->max > 0)
		line[column(g, 0)] = '.';
	if (value) {
		line[column(g, *value)] = '*';
		value_text(g, text, *value);
	}
	put_time(g, ns);
	text_printf(g->t, "%s %s\n", line, text);
}

static void find_range(struct graph *g, const struct view *v)
{
	const struct view_bucket *b = v->histogram.buckets;

	g->min = g->max = b->count;
	for (uint32_t i = 1; i < v->histogram.n; i++) {
		g->min = is_less(g, b[i].count, g->min) ? b[i].count : g->min;
		g->max = is_less(g, g->max, b[i].count) ? b[i].count : g->max;
	}
	if (g->max <= INT64_MAX)
		g->is_signed = true; /* a range around 0 begins below it */
	if (g->min != g->max)
		return;
	if (g->is_signed ? (int64_t)g->min != INT64_MIN : g->min != 0)
		g->min--;
	if (g->max != (g->is_signed ? INT64_MAX : UINT64_MAX))
		g->max++;
}

void txt_series(struct text *t, const struct view *v)
{
	struct graph g = {.t = t, .is_signed = v->type->is_signed, .unit = units};
	const struct view_bucket *b = v->histogram.buckets, *end = b + v->histogram.n;
	uint64_t interval_ns = (uint64_t)v->type->scale[0];

	if (b == end) {
		text_string(t, "<no data>\n");
		return;
	}
	while (interval_ns < g.unit->ns)
		g.unit++;
	g.margin = (uint32_t)strlen("hh:mm:ss ") + (g.unit->digits ? g.unit->digits + 1 : 0);
	find_range(&g, v);
	put_heading(&g);
	for (uint64_t i = b->index; i <= v->histogram.last; i++) {
		bool is_there = b < end && b->index == i;

		put_line(&g, i * interval_ns, is_there ? &b->count : NULL);
		b += is_there;
	}
	text_fill(t, ' ', g.margin);
	put_frame(&g, 'v');
	put_ends(&g);
}
