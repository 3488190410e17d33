/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of aggregations: stats and quantiles as records, histograms as lines of buckets with bars.
 * Bar and column widths are those of bpftrace.
 */
#include "runtime/view/agg.h"
#include "runtime/view/format.h"

enum {
	HEADER_WIDTH = 16,
	TIME_HEADER_WIDTH = 28,
	OWN_UNIT_WIDTH = 20,
	MOST_EMPTY_LINES = 4,
	COUNT_WIDTH = 8,
	BAR_WIDTH = 52,
	HEADER_BYTES = 96
};

void format_number(struct text *t, uint64_t x, bool is_signed)
{
	if (t->time_unit != SHOW_NUMBER) {
		format_time(t, t->time_unit, x, is_signed && (int64_t)x < 0);
		format_time_unit(t, t->time_unit);
	} else if (is_signed) {
		text_signed(t, (int64_t)x);
	} else {
		text_unsigned(t, x);
	}
}

void format_share(struct text *t, const struct view *v, uint64_t whole)
{
	double part = v->type->is_signed ? (double)(int64_t)v->integer : (double)v->integer;

	text_printf(t, ", %.1f %%", 100 * part / (double)whole);
}

void txt_stats(struct text *t, const struct view *v)
{
	text_string(t, "{ .count = ");
	text_unsigned(t, v->stats.count);
	text_string(t, ", .average = ");
	format_number(t, v->stats.average, v->type->is_signed);
	text_string(t, ", .total = ");
	format_number(t, v->stats.total, v->type->is_signed);
	text_string(t, " }");
}

void txt_quantiles(struct text *t, const struct view *v)
{
	text_string(t, "{ .count = ");
	text_unsigned(t, v->histogram.total);
	for (int i = 0; i < SHOWN_QUANTILES; i++) {
		int64_t x = agg_quantile(v, agg_shown_quantiles[i].per_mille);

		text_string(t, ", .");
		text_string(t, agg_shown_quantiles[i].name);
		text_string(t, " = ");
		if (x < 0)
			text_string(t, "<0");
		else
			format_number(t, (uint64_t)x, false);
	}
	text_string(t, " }");
}

/* ---- histograms -------------------------------------------------------------------------- */

/* Edge j of hist's buckets: plain to 2 << k, then with the suffix of its power of two. */
static int log_label(char *out, size_t size, uint32_t j, uint32_t k)
{
	static const char suffixes[] = " KMGTPE";
	uint32_t power, unit;

	if (j <= 2u << k)
		return snprintf(out, size, "%u", j);
	power = (j >> k) - 1;
	unit = power / 10;
	j = ((1u << k) + (j & ((1u << k) - 1)));
	return unit ? snprintf(out, size, "%llu%c", (unsigned long long)j << power % 10,
			       suffixes[unit])
		    : snprintf(out, size, "%llu", (unsigned long long)j << power);
}

/* Bucket `i`, from 1 on. Below 0 the edges are mirrored, and so are the brackets. */
static void log_range(char *out, uint32_t i, uint32_t k, bool is_below_0)
{
	char from[24], to[24];

	log_label(from, sizeof(from), i - 1, k);
	log_label(to, sizeof(to), i, k);
	if (i <= 2u << k)
		snprintf(out, HEADER_BYTES, "[%s%s]", is_below_0 ? "-" : "", from);
	else if (is_below_0)
		snprintf(out, HEADER_BYTES, "(-%s, -%s]", to, from);
	else
		snprintf(out, HEADER_BYTES, "[%s, %s)", from, to);
}

static void log_header(char *out, const struct type *type, uint32_t i)
{
	if (i == 0)
		snprintf(out, HEADER_BYTES, "(..., 0)");
	else
		log_range(out, i, (uint32_t)type->scale[0], false);
}

static void signed_header(char *out, const struct type *type, uint32_t i)
{
	uint32_t middle = agg_middle_bucket(type);

	log_range(out, i < middle ? middle - i + 1 : i - middle + 1, (uint32_t)type->scale[0],
		  i < middle);
}

/* If the step is a multiple of 1024, edges are shown with K or M where they can be. */
static const char *linear_label(char *out, size_t size, int64_t x, int64_t step)
{
	if (step % 1024 == 0 && x && x % (1 << 20) == 0)
		snprintf(out, size, "%lldM", (long long)x >> 20);
	else if (step % 1024 == 0 && x && x % (1 << 10) == 0)
		snprintf(out, size, "%lldK", (long long)x >> 10);
	else
		snprintf(out, size, "%lld", (long long)x);
	return out;
}

static void linear_header(char *out, const struct type *type, uint32_t i)
{
	int64_t step = type->scale[2], from = agg_bucket_begin(type, i);
	char a[24], b[24];

	if (i == 0)
		snprintf(out, HEADER_BYTES, "(..., %s)",
			 linear_label(a, sizeof(a), type->scale[0], step));
	else if (i + 1 == agg_buckets(type))
		snprintf(out, HEADER_BYTES, "[%s, ...)", linear_label(a, sizeof(a), from, step));
	else if (step == 1)
		snprintf(out, HEADER_BYTES, "[%lld]", (long long)from);
	else
		snprintf(out, HEADER_BYTES, "[%s, %s)", linear_label(a, sizeof(a), from, step),
			 linear_label(b, sizeof(b), from + step, step));
}

/* A bucket of times: "[1.049, 2.097) ms", or "[1.05 ms, 2.10 ms)" if each bound has its unit. */
static void time_header(char *out, uint64_t unit, const struct type *type, uint32_t i)
{
	struct text t = text_in_array(out, HEADER_BYTES);
	bool is_first = i == 0 && agg_rows[type->agg].buckets != BUCKETS_SIGNED;
	bool is_last = i + 1 == agg_buckets(type);
	int64_t from = is_first ? 0 : agg_bucket_begin(type, i);
	int64_t to = is_last ? 0 : agg_bucket_begin(type, i + 1);

	text_string(&t, is_first ? "(..." : "[");
	if (!is_first)
		format_time(&t, unit, (uint64_t)from, from < 0);
	text_string(&t, ", ");
	if (is_last)
		text_string(&t, "...");
	else
		format_time(&t, unit, (uint64_t)to, to < 0);
	text_string(&t, ")");
	format_time_unit(&t, unit);
	t.bytes[t.n] = '\0';
}

static void put_header(char *out, const struct type *type, uint32_t bucket)
{
	switch (agg_rows[type->agg].buckets) {
	case BUCKETS_NONE:
	case BUCKETS_SERIES: break; /* they have none */
	case BUCKETS_LOG: log_header(out, type, bucket); return;
	case BUCKETS_LINEAR: linear_header(out, type, bucket); return;
	case BUCKETS_SIGNED: signed_header(out, type, bucket); return;
	}
}

static void put_line(struct text *t, const struct type *type, uint32_t bucket, uint64_t n,
		     uint64_t most)
{
	bool has_unit = t->time_unit != SHOW_NUMBER;
	int width = !has_unit			    ? HEADER_WIDTH
		    : t->time_unit == SHOW_OWN_UNIT ? OWN_UNIT_WIDTH
						    : TIME_HEADER_WIDTH;
	char header[HEADER_BYTES];
	size_t bar = most ? (size_t)((float)n / (float)most * BAR_WIDTH) : 0;

	if (has_unit)
		time_header(header, t->time_unit, type, bucket);
	else
		put_header(header, type, bucket);
	text_printf(t, "%-*s%*llu |", width, header, COUNT_WIDTH, (unsigned long long)n);
	text_fill(t, '@', bar);
	text_fill(t, ' ', BAR_WIDTH - bar);
	text_string(t, "|\n");
}

/* Empty buckets. Of times with units, whose buckets begin at 1 ns, many are one line. */
static void put_gap(struct text *t, const struct view *v, uint64_t begin, uint64_t end,
		    uint64_t most)
{
	if (t->time_unit == SHOW_OWN_UNIT && end - begin > MOST_EMPTY_LINES) {
		text_string(t, "...\n");
		return;
	}
	for (uint64_t i = begin; i < end; i++)
		put_line(t, v->type, (uint32_t)i, 0, most);
}

/* From the first to the last bucket with a count, including the empty ones between. */
void txt_histogram(struct text *t, const struct view *v)
{
	struct agg_range range = agg_shown_buckets(v);
	uint32_t first = range.begin, n = range.end;
	uint64_t most = 0;

	for (uint32_t i = first; i < n; i++)
		if (v->histogram.buckets[i].count / v->histogram.divisor > most)
			most = v->histogram.buckets[i].count / v->histogram.divisor;
	for (uint32_t i = first; i < n; i++) {
		const struct view_bucket *b = &v->histogram.buckets[i];

		put_gap(t, v, i > first ? b[-1].index + 1 : b->index, b->index, most);
		put_line(t, v->type, (uint32_t)b->index, b->count / v->histogram.divisor, most);
	}
}

void txt_number(struct text *t, const struct view *v)
{
	format_number(t, v->integer, v->type->is_signed);
}

static agg_text_fn *const hooks[] = {
#define AGG_ROW(id, name_u, name_s, layout, readable, size, scale, counted, view, compare, divide, \
		text_, ...)                                                                        \
	[AGG_##id] = text_,
#include "parser/lang/aggs.def"
};

_Static_assert(sizeof(hooks) / sizeof(*hooks) == AGG_KIND_COUNT, "one hook for each kind");

bool format_is_block(const struct type *t)
{
	return t->kind == TY_AGG && (hooks[t->agg] == txt_histogram || hooks[t->agg] == txt_series);
}

bool format_is_number(const struct type *t)
{
	return t->kind == TY_INT || (t->kind == TY_AGG && hooks[t->agg] == txt_number);
}

void format_agg(struct text *t, const struct view *v)
{
	hooks[v->type->agg](t, v);
}
