/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The samples of a map: see metric.h. Values become those of a `struct metric_kind`. The first
 * --max-keys keys of a map are kept as long as the run lasts, so that a series never becomes part
 * of `other` and back.
 */
#include "runtime/metrics/metric.h"
#include "parser/base/arena.h"
#include "runtime/base/log.h"
#include "runtime/view/format.h"
#include <inttypes.h>

/* ---- text ---------------------------------------------------------------------------------- */

void metric_put_label(struct text *t, const char *bytes, size_t n)
{
	static const char unknown[] = "\xef\xbf\xbd"; /* U+FFFD */

	for (size_t i = 0, len; i < n; i += len ?: 1) {
		len = utf8_length(bytes + i, n - i);
		if (bytes[i] == '\n')
			text_string(t, "\\n");
		else if (bytes[i] == '"' || bytes[i] == '\\')
			text_put(t, (const char[]){'\\', bytes[i]}, 2);
		else
			text_put(t, len ? bytes + i : unknown, len ?: strlen(unknown));
	}
}

/* An integer, or in a unit of which it is 10^-decimals, without zeros at the end. */
static void put_number(struct text *t, uint64_t x, bool is_signed, uint32_t decimals)
{
	bool is_negative = is_signed && (int64_t)x < 0;
	uint64_t scale = 1;
	char digits[16];

	for (uint32_t i = 0; i < decimals; i++)
		scale *= 10;
	x = is_negative ? -x : x;
	text_string(t, is_negative ? "-" : "");
	text_unsigned(t, x / scale);
	if (x % scale == 0)
		return;
	snprintf(digits, sizeof(digits), ".%0*" PRIu64, (int)decimals, x % scale);
	for (size_t n = strlen(digits); digits[n - 1] == '0'; n--)
		digits[n - 1] = '\0';
	text_string(t, digits);
}

/* `name_ending{labels` and, if it has one more label, its name and the quote before its value. */
static void begin_sample(struct samples *s, const char *ending, const char *label)
{
	text_string(s->to, s->metric->name);
	text_string(s->to, ending);
	if (!s->n_labels && !label)
		return;
	text_char(s->to, '{');
	text_put(s->to, s->labels, s->n_labels);
	if (!label)
		return;
	text_string(s->to, s->n_labels ? "," : "");
	text_string(s->to, label);
	text_string(s->to, "=\"");
}

/* The rest of a sample. */
static void end_sample(struct samples *s, bool has_label, uint64_t x, bool is_signed,
		       uint32_t decimals)
{
	text_string(s->to, has_label ? "\"} " : s->n_labels ? "} " : " ");
	put_number(s->to, x, is_signed, decimals);
	text_char(s->to, '\n');
}

/* A sample of the metric's unit. */
static void put_sample(struct samples *s, const char *ending, uint64_t x, bool is_signed)
{
	begin_sample(s, ending, NULL);
	end_sample(s, false, x, is_signed, s->metric->decimals);
}

static void put_count(struct samples *s, uint64_t n)
{
	begin_sample(s, "_count", NULL);
	end_sample(s, false, n, false, 0);
}

/* ---- kinds of metrics ---------------------------------------------------------------------- */

static void put_integer(struct samples *s, const struct view *v)
{
	put_sample(s, s->metric->kind->ending, v->integer, v->type->is_signed);
}

static void put_real(struct samples *s, const struct view *v)
{
	begin_sample(s, "", NULL);
	text_printf(s->to, "%s%.17Lg\n", s->n_labels ? "} " : " ", view_real(v));
}

static void put_average(struct samples *s, const struct view *v)
{
	put_sample(s, "_sum", v->stats.total, v->type->is_signed);
	put_count(s, v->stats.count);
}

static void put_quantiles(struct samples *s, const struct view *v)
{
	for (int i = 0; i < SHOWN_QUANTILES; i++) {
		begin_sample(s, "", "quantile");
		put_number(s->to, agg_shown_quantiles[i].per_mille, false, 3);
		end_sample(s, true, (uint64_t)agg_quantile(v, agg_shown_quantiles[i].per_mille),
			   true, s->metric->decimals);
	}
	put_sample(s, "_sum", v->histogram.sum, v->type->is_signed);
	put_count(s, v->histogram.total);
}

/* The largest value of a bucket: `le`. */
static int64_t last_value(const struct type *t, uint32_t bucket)
{
	return agg_bucket_begin(t, bucket + 1) - 1;
}

/* The limits of all buckets that some row has had, and of the one before these, where the first of
 * them begins. With limits below 0 there is no sum (OpenMetrics). */
static void put_histogram(struct samples *s, const struct view *v)
{
	const struct metric *m = s->metric;
	uint32_t first = m->first_bucket, end = m->end_bucket;
	bool has_negative = first < end && last_value(v->type, first) < 0;
	uint64_t below = 0;

	first -= first && first < end && last_value(v->type, first - 1) >= 0;
	end -= end == agg_buckets(v->type);
	for (uint32_t i = first, k = 0; i < end; i++) {
		for (; k < v->histogram.n && v->histogram.buckets[k].index <= i; k++)
			below += v->histogram.buckets[k].count;
		begin_sample(s, "_bucket", "le");
		put_number(s->to, (uint64_t)last_value(v->type, i), true, m->decimals);
		end_sample(s, true, below, false, 0);
	}
	begin_sample(s, "_bucket", "le");
	text_string(s->to, "+Inf");
	end_sample(s, true, v->histogram.total, false, 0);
	if (has_negative)
		return;
	put_sample(s, "_sum", v->histogram.sum, v->type->is_signed);
	put_count(s, v->histogram.total);
}

/* A time series is none: Prometheus makes its own. */
static const struct metric_kind real = {"gauge", "", put_real};
static const struct metric_kind kinds[] = {
	[METRIC_NONE] = {NULL, NULL, NULL},
	[METRIC_COUNTER] = {"counter", "_total", put_integer},
	[METRIC_GAUGE] = {"gauge", "", put_integer},
	[METRIC_AVERAGE] = {"summary", "", put_average},
	[METRIC_QUANTILES] = {"summary", "", put_quantiles},
	[METRIC_HISTOGRAM] = {"histogram", "", put_histogram},
};

_Static_assert(sizeof(kinds) / sizeof(*kinds) == METRIC_COUNT, "one for each");

const struct metric_kind *metric_kind_of(const struct type *t)
{
	enum type_shape shape = type_shape(t);
	enum agg_metric metric = METRIC_NONE;

	if (shape == SHAPE_FLOAT)
		return &real;
	if (shape == SHAPE_BOOL || shape == SHAPE_INT)
		metric = METRIC_GAUGE;
	else if (shape == SHAPE_AGG)
		metric = agg_rows[t->agg].metric;
	if (metric == METRIC_COUNTER && t->is_signed) /* the sum can fall */
		metric = METRIC_GAUGE;
	return metric ? &kinds[metric] : NULL;
}

/* ---- rows ---------------------------------------------------------------------------------- */

HASH_FUNCTIONS(metric_keys, struct metric_key, const char *, hash_string(key), strcmp(a, b) == 0,
	       e->labels, e->labels)

static void put_labels(struct text_grown *g, const struct metric *m, const struct view *keys,
		       struct text_grown *scratch)
{
	g->text.n = 0;
	text_string(&g->text, m->common);
	for (uint32_t i = 0; i < m->n_keys; i++) {
		const char *bytes;
		size_t n;

		scratch->text.n = 0;
		if (keys)
			format_view(&scratch->text, &keys[i]);
		else
			text_string(&scratch->text, "other");
		bytes = scratch->text.bytes;
		n = scratch->text.n;
		for (; n && *bytes == '\n'; bytes++) /* of a stack */
			n--;
		n -= n && bytes[n - 1] == '\n';
		text_string(&g->text, m->labels[i]);
		text_string(&g->text, "=\"");
		metric_put_label(&g->text, bytes, n);
		text_string(&g->text, "\",");
	}
	g->text.n -= g->text.n > 0; /* the last comma */
	text_char(&g->text, '\0');
	g->text.n--;
}

/* Is the row one of its own? No labels come twice in a round. */
static bool take_key(struct metric *m, const char *labels, uint32_t max_keys)
{
	struct metric_key *key = metric_keys_find(&m->keys, labels), new;
	bool is_first = !key || key->round != m->round;

	if (key) {
		key->round = m->round;
		return is_first;
	}
	if (m->keys.n >= max_keys) {
		if (!m->is_over)
			log_warning("%s: over %u keys: later ones are added up as \"other\"; "
				    "write --max-keys N for more",
				    m->map, max_keys);
		m->is_over = true;
		return false;
	}
	new = (struct metric_key){strdup(labels), m->round};
	if (new.labels && metric_keys_insert(&m->keys, new) == 0)
		return true;
	free(new.labels);
	return false;
}

/* The row of all keys that have none. */
struct other {
	struct arena *arena; /* NULL: there is no such row */
	struct view view;
};

static void other_begin(struct other *o, const struct view *v)
{
	size_t n;

	o->arena = arena_new();
	o->view = *v;
	if (!agg_has_buckets(v->type))
		return;
	n = v->histogram.n * sizeof(*v->histogram.buckets);
	o->view.histogram.buckets = memcpy(arena_alloc(o->arena, n + 1), v->histogram.buckets, n);
}

static void other_add(struct other *o, const struct view *v)
{
	if (!o->arena)
		other_begin(o, v);
	else if (v->type->kind == TY_AGG)
		agg_add(o->arena, &o->view, v);
	else if (type_shape(v->type) == SHAPE_FLOAT)
		view_set_real(&o->view, view_real(&o->view) + view_real(v));
	else
		o->view.integer += v->integer;
}

static void note_buckets(struct metric *m, const struct view_map *v)
{
	for (uint32_t i = 0; agg_has_buckets(v->rows->value.type) && i < v->n_rows; i++) {
		struct agg_range r = agg_shown_buckets(&v->rows[i].value);
		const struct view_bucket *b = v->rows[i].value.histogram.buckets;

		if (r.begin == r.end)
			continue;
		if (b[r.begin].index < m->first_bucket)
			m->first_bucket = (uint32_t)b[r.begin].index;
		if (b[r.end - 1].index >= m->end_bucket)
			m->end_bucket = (uint32_t)b[r.end - 1].index + 1;
	}
}

int metric_put_map(struct metric *m, struct text *to, const struct view_map *v, uint32_t max_keys)
{
	struct text_grown labels, of_other, scratch;
	struct other other = {.arena = NULL};
	int err;

	text_grown_init(&labels);
	text_grown_init(&of_other);
	text_grown_init(&scratch);
	put_labels(&of_other, m, NULL, &scratch);
	note_buckets(m, v);
	m->round++;
	for (uint32_t i = v->n_rows; i-- > 0;) { /* the largest are the last */
		struct samples s = {to, m};
		bool is_other;

		put_labels(&labels, m, v->rows[i].keys, &scratch);
		s.labels = labels.text.bytes;
		s.n_labels = labels.text.n;
		is_other = m->n_keys && strcmp(s.labels, of_other.text.bytes) == 0;
		if (!is_other && take_key(m, s.labels, max_keys))
			m->kind->put(&s, &v->rows[i].value);
		else
			other_add(&other, &v->rows[i].value);
	}
	if (other.arena)
		m->kind->put(&(struct samples){to, m, of_other.text.bytes, of_other.text.n},
			     &other.view);
	err = labels.error ?: of_other.error ?: scratch.error;
	text_grown_free(&labels);
	text_grown_free(&of_other);
	text_grown_free(&scratch);
	if (other.arena)
		arena_free(other.arena);
	return err;
}
