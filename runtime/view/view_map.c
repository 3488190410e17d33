/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns a snapshot of a map (map_read.c) into rows of views, in the order in which all writers
 * print them: integers and aggregations ascending by value; rows of equal value and all other
 * maps by their keys, first part first. Keys compare as they are shown: integers by their type's
 * sign, strings bytewise, stacks frame by frame.
 */
#include "runtime/view/map_read.h"
#include "runtime/base/vec.h"
#include "runtime/view/agg.h"
#include "runtime/view/format.h"
#include "runtime/view/view_compare.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int compare_rows(const void *x, const void *y, void *arg)
{
	const struct view_row *a = x, *b = y;
	const struct plan_map *m = arg;
	int order = 0;

	if (m->value->kind == TY_INT || m->value->kind == TY_AGG)
		order = view_compare(&a->value, &b->value);
	for (uint32_t i = 0; !order && i < m->n_keys; i++)
		order = view_compare(&a->keys[i], &b->keys[i]);
	return order;
}

/* Integers have 8 bytes in a map's value whatever the width of their type. */
static void make_value(struct view *v, const struct plan_map *m, const void *value,
		       struct stack_source *stacks)
{
	if (map_is_aggregated(m)) {
		agg_view(v, m->value, value);
	} else if (m->value->kind == TY_INT && m->value_size >= sizeof(v->integer)) {
		v->type = m->value;
		memcpy(&v->integer, value, sizeof(v->integer));
	} else {
		view_make(v, m->value, value, stacks);
	}
}

void map_row_views(const struct plan_map *m, const struct map_snapshot *s, uint32_t row,
		   struct stack_source *stacks, struct view *keys)
{
	for (uint32_t i = 0; i < m->n_keys; i++)
		view_make(&keys[i], m->keys[i].type, map_row_key(m, s, row) + m->keys[i].offset,
			  stacks);
}

/* Allocate `n` rows with the views of their keys, and `n_buckets` buckets, in one block. */
static int make_room(struct view_map *out, uint32_t n, uint32_t n_buckets,
		     struct view_bucket **buckets)
{
	size_t row_bytes = sizeof(struct view_row) + out->n_keys * sizeof(struct view);
	struct view *keys;

	out->rows = malloc(n * row_bytes + n_buckets * sizeof(**buckets) + 1);
	if (!out->rows)
		return -ENOMEM;
	keys = (struct view *)(out->rows + n); /* after the rows */
	for (uint32_t i = 0; i < n; i++)
		out->rows[i].keys = keys + (size_t)i * out->n_keys;
	*buckets = (struct view_bucket *)(keys + (size_t)n * out->n_keys);
	out->n_rows = n;
	return 0;
}

/* ---- histograms -------------------------------------------------------------------------- */

/* Without keys: one counter per bucket, side by side, and the sum. */
static int make_dense(const struct plan_map *m, const struct map_snapshot *s, struct view_map *out)
{
	struct view_bucket *buckets;
	uint32_t n = 0;

	if (make_room(out, 1, m->n_words, &buckets))
		return -ENOMEM;
	for (uint32_t i = 0; i < m->n_words - 1; i++)
		if (s->values[i])
			buckets[n++] = (struct view_bucket){i, s->values[i]};
	agg_view_buckets(&out->rows[0].value, m->value, buckets, n);
	out->rows[0].value.histogram.sum = s->values[m->n_words - 1];
	return 0;
}

struct sparse {
	const struct plan_map *map;
	const struct map_snapshot *snapshot;
};

/* The key of the script is between the epoch and the bucket. */
static int compare_key(const struct sparse *sp, uint32_t a, uint32_t b)
{
	return memcmp(map_row_key(sp->map, sp->snapshot, a) + sizeof(uint32_t),
		      map_row_key(sp->map, sp->snapshot, b) + sizeof(uint32_t),
		      sp->map->bucket_offset - sizeof(uint32_t));
}

static int compare_entries(const void *x, const void *y, void *arg)
{
	const uint32_t *a = x, *b = y;
	const struct sparse *sp = arg;
	int order = compare_key(sp, *a, *b);
	uint32_t i = map_row_bucket(sp->map, sp->snapshot, *a),
		 j = map_row_bucket(sp->map, sp->snapshot, *b);

	return order ? order : (i > j) - (i < j);
}

static struct view_bucket bucket_at(const struct sparse *sp, uint32_t row)
{
	const uint64_t *words = map_row_value(sp->map, sp->snapshot, row);

	if (agg_is_series(sp->map->value))
		return (struct view_bucket){words[0], agg_series_value(sp->map->value, words)};
	return (struct view_bucket){map_row_bucket(sp->map, sp->snapshot, row), words[1]};
}

/* The sum of the values in the buckets of rows that are sorted. */
static uint64_t sum_of(const struct sparse *sp, const uint32_t *order, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += *(const uint64_t *)map_row_value(sp->map, sp->snapshot, order[i]);
	return sum;
}

/* Make rows of buckets from entries that are sorted by key and bucket. */
static int make_groups(const struct sparse *sp, const uint32_t *order, struct stack_source *stacks,
		       struct view_map *out)
{
	uint32_t n_entries = sp->snapshot->n_rows, n = 0;
	struct view_bucket *buckets;

	for (uint32_t i = 0; i < n_entries; i++)
		n += i == 0 || compare_key(sp, order[i - 1], order[i]);
	if (make_room(out, n, n_entries, &buckets))
		return -ENOMEM;
	for (uint32_t i = 0, row = 0, begin; i < n_entries; row++) {
		for (begin = i; i < n_entries && !compare_key(sp, order[begin], order[i]); i++)
			buckets[i] = bucket_at(sp, order[i]);
		map_row_views(sp->map, sp->snapshot, order[begin], stacks, out->rows[row].keys);
		agg_view_buckets(&out->rows[row].value, sp->map->value, buckets + begin, i - begin);
		out->rows[row].value.histogram.sum = sum_of(sp, order + begin, i - begin);
	}
	return 0;
}

static int make_sparse(const struct plan_map *m, const struct map_snapshot *s,
		       struct stack_source *stacks, struct view_map *out)
{
	struct sparse sp = {m, s};
	uint32_t *order = malloc(s->n_rows * sizeof(*order));
	int err;

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_rows; i++)
		order[i] = i;
	qsort_r(order, s->n_rows, sizeof(*order), compare_entries, &sp);
	err = make_groups(&sp, order, stacks, out);
	free(order);
	return err;
}

/* ---- tseries ----------------------------------------------------------------------------- */

/* Entries come by their number modulo n: order them by time, and leave out those that are older
 * than n intervals before the newest of all rows, or have no value (0). */
static void finish_series(const struct type *t, struct view_map *out)
{
	uint64_t last = 0, n = (uint64_t)t->scale[1];

	for (uint32_t i = 0; i < out->n_rows; i++) {
		struct view *v = &out->rows[i].value;
		struct view_bucket *all = (struct view_bucket *)v->histogram.buckets;

		qsort(all, v->histogram.n, sizeof(*all), vec_compare_u64); /* by index */
		if (v->histogram.n && all[v->histogram.n - 1].index > last)
			last = all[v->histogram.n - 1].index;
	}
	for (uint32_t i = 0; i < out->n_rows; i++) {
		struct view *v = &out->rows[i].value;

		v->histogram.last = last;
		for (; v->histogram.n && (v->histogram.buckets->index == 0 ||
					  last - v->histogram.buckets->index >= n);
		     v->histogram.n--)
			v->histogram.buckets++;
	}
}

/* ---- all maps ---------------------------------------------------------------------------- */

static int make_rows(const struct plan_map *m, const struct map_snapshot *s,
		     struct stack_source *stacks, struct view_map *out)
{
	struct view_bucket *none;

	if (make_room(out, s->n_rows, 0, &none))
		return -ENOMEM;
	for (uint32_t i = 0; i < s->n_rows; i++) {
		map_row_views(m, s, i, stacks, out->rows[i].keys);
		make_value(&out->rows[i].value, m, map_row_value(m, s, i), stacks);
	}
	return 0;
}

int view_map_make(const struct plan_map *m, const struct map_snapshot *s,
		  struct stack_source *stacks, struct view_map *out)
{
	bool is_histogram = agg_has_buckets(m->value);
	int err;

	*out = (struct view_map){.name = m->name,
				 .is_time = m->is_time,
				 .n_keys = m->n_keys,
				 .key_names = m->key_names};
	if (s->n_rows == 0)
		return 0;
	if (is_histogram)
		err = m->bucket_offset ? make_sparse(m, s, stacks, out) : make_dense(m, s, out);
	else
		err = make_rows(m, s, stacks, out);
	if (!err)
		view_map_sort(out, m);
	return err;
}

void view_map_sort(struct view_map *v, const struct plan_map *m)
{
	if (agg_is_series(m->value))
		finish_series(m->value, v);
	if (v->n_rows > 1)
		qsort_r(v->rows, v->n_rows, sizeof(*v->rows), compare_rows, (void *)m);
}

/* What a count or sum adds to the total of its map. */
static uint64_t weight_of(const struct view *v)
{
	bool is_sum = v->type->kind == TY_INT ||
		      (v->type->kind == TY_AGG && agg_rows[v->type->agg].layout == AL_SUM);

	return !is_sum || (v->type->is_signed && (int64_t)v->integer < 0) ? 0 : v->integer;
}

void view_map_choose(struct view_map *v, const struct config *c, uint64_t divisor)
{
	v->time_unit = divisor > 1 ? TIME_UNIT_NS : c->time_unit;
	v->delimiter = *c->stack_delimiter ? c->stack_delimiter : NULL;
	for (uint32_t i = 0; c->show_percent && v->n_keys && i < v->n_rows; i++)
		v->whole += weight_of(&v->rows[i].value);
	v->whole /= divisor > 1 ? divisor : 1;
}

static void divide_value(struct view *v, uint64_t divisor)
{
	if (v->type->kind == TY_AGG || v->type->kind == TY_INT)
		agg_divide(v, divisor);
}

void view_map_limit(struct view_map *v, uint32_t top, uint64_t divisor)
{
	if (top && top < v->n_rows) {
		memmove(v->rows, v->rows + (v->n_rows - top), top * sizeof(*v->rows));
		v->n_rows = top;
	}
	for (uint32_t i = 0; divisor > 1 && i < v->n_rows; i++)
		divide_value(&v->rows[i].value, divisor);
}

/* Keys of which this many bytes do not have the text are left out. */
enum { KEY_BYTES = 16 * 1024 };

static bool key_has(const struct view_map *v, const struct view_row *row, const char *text,
		    char *bytes)
{
	struct text t = text_in_array(bytes, KEY_BYTES);

	format_keys(&t, row, v->n_keys);
	return memmem(bytes, t.n, text, strlen(text)) != NULL;
}

void view_map_filter(struct view_map *v, const char *text)
{
	char *bytes = malloc(KEY_BYTES);
	uint32_t n = 0;

	for (uint32_t i = 0; bytes && i < v->n_rows; i++)
		if (key_has(v, &v->rows[i], text, bytes))
			v->rows[n++] = v->rows[i];
	v->n_rows = n;
	free(bytes);
}

static int compare_ordered(const void *x, const void *y, void *arg)
{
	const struct view_row *a = x, *b = y;
	const struct plan_map *m = arg;
	uint32_t part = m->order.part;
	int order = 0;

	if (m->order.by == ORDER_TOTAL && agg_has_total(m->value))
		order = agg_compare_totals(&a->value, &b->value);
	else if (m->order.by == ORDER_VALUE || m->order.by == ORDER_TOTAL)
		order = view_compare(&a->value, &b->value);
	else if (part)
		order = view_compare(&a->keys[part - 1], &b->keys[part - 1]);
	for (uint32_t i = 0; !order && i < m->n_keys; i++)
		order = view_compare(&a->keys[i], &b->keys[i]);
	return m->order.is_descending ? -order : order;
}

void view_map_order(struct view_map *v, const struct plan_map *m)
{
	if (m->order.by != ORDER_DEFAULT && v->n_rows > 1)
		qsort_r(v->rows, v->n_rows, sizeof(*v->rows), compare_ordered, (void *)m);
}

void view_map_free(struct view_map *v)
{
	if (!v)
		return;
	free(v->rows);
	*v = (struct view_map){.rows = NULL};
}
