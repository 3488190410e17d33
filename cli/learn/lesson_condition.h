/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions of lessons: what a program must have shown. Examples:
 *
 * total of "sleep_long" is 1.9s..2.3s entries at 50ms is 38..42 program has "delta"
 */
#pragma once
#include "cli/learn/lesson_rows.h"
#include <stdbool.h>

enum { MAX_KEYS = 4 };

enum subject {
#define SUBJECT(id, ...) SUBJECT_##id,
#include "cli/learn/lesson_subjects.def"
	SUBJECT_COUNT,
};

/* A measure: a number that is computed from what was shown. */
struct measure {
	enum subject subject;
	/* only rows or lines that contain all of them count */
	const char *keys[MAX_KEYS];
	uint32_t n_keys;
	/* only the bucket with this value counts; or those from it on */
	bool has_at, has_from;
	int64_t at;
};

struct condition {
	const char *text; /* the text in the lesson file */
	struct measure measure;
	int64_t low, high; /* the measure must be between these */
};

/* Read a condition. Returns NULL, or a message, which may be in the arena. */
const char *condition_read(struct arena *a, const char *text, struct condition *out);
/* Read the measure of `$(…)` in a text, which `in UNIT` may follow: *divisor is that unit. Returns
 * as condition_read(). */
const char *measure_read(struct arena *a, const char *text, struct measure *out, int64_t *divisor);
/* The value of a measure, for what the program `text` has shown. */
int64_t measure_value(const struct measure *m, const struct shown *shown, const char *text);
/* What the measure is, such as: the sum of the values of rows with "ls". */
const char *measure_words(struct arena *a, const struct measure *m);
bool condition_holds(const struct condition *c, const struct shown *shown, const char *text);
