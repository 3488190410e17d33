/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics in the text forms of OpenMetrics 1.0 and Prometheus 0.0.4. A map is a family of samples,
 * one or more for each of its rows, whose keys are labels.
 */
#pragma once
#include "runtime/base/hash.h"
#include "runtime/base/text_buffer.h"
#include "runtime/base/vec.h"
#include "runtime/view/agg.h"

struct samples;

/* What the values of a map become. */
struct metric_kind {
	const char *type;   /* in the # TYPE line */
	const char *ending; /* of the only sample's name, after the family's; "" */
	void (*put)(struct samples *s, const struct view *v);
};

/* The labels of a row, as text: a key that the metric has. */
struct metric_key {
	char *labels; /* NULL: a free slot */
	uint64_t round;
};

HASH_TABLE(metric_keys, struct metric_key);

/* The metric of a map. */
struct metric {
	const char *map; /* its name */
	uint32_t n_keys;
	const struct metric_kind *kind; /* NULL: the map has no numbers */
	const char *common;		/* of struct metrics */
	char *name, *help, **labels;	/* labels: the name of each part of the key */
	const char *unit;		/* "seconds", "bytes" or NULL */
	uint32_t decimals;		/* of a value as a number of units: 9 for nanoseconds */
	struct metric_keys keys;
	uint64_t round; /* how often the map came */
	bool is_over;	/* there are more keys than --max-keys: this was said */
	/* Histograms: the buckets that some row has had. */
	uint32_t first_bucket, end_bucket;
};

/* Where samples are appended, and the labels of the row. */
struct samples {
	struct text *to;
	struct metric *metric;
	const char *labels;
	size_t n_labels;
};

/* ---- metric_names.c: names, units, labels and help texts */

struct metrics {
	const struct plan *plan;
	char *common; /* labels of each sample, as `a="b",`, or "" */
	VEC(struct metric) all;
};

/* Each sample has these labels, too, before those of its key. 0 or -ENOMEM. */
int metrics_set_labels(struct metrics *m, const struct view_label *labels, uint32_t n);
/* The metric of a map that has rows. NULL without memory. */
struct metric *metrics_find(struct metrics *m, const struct view_map *v);
void metrics_free(struct metrics *m);
/* A word as the name of a metric or label: "bytesRead" is bytes_read. */
void metric_put_name(struct text *t, const char *word, size_t n);

/* ---- metric_values.c */

/* NULL: values of this type are no numbers. */
const struct metric_kind *metric_kind_of(const struct type *t);
/* Append the samples of a map: of at most `max_keys` rows, and the sum of the others. 0 or
 * -ENOMEM. */
int metric_put_map(struct metric *m, struct text *to, const struct view_map *v, uint32_t max_keys);
/* Append text between quotes: with escapes, and as valid UTF-8. */
void metric_put_label(struct text *t, const char *bytes, size_t n);
