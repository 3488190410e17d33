/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions of lessons: what a program must have shown.
 *
 *	total of "sleep_long" is 1.9s..2.3s
 *	entries at 50ms is 38..42
 *	program has "delta"
 */
#pragma once
#include "cli/learn/lesson_rows.h"
#include <stdbool.h>
#include <stdint.h>

enum { MAX_KEYS = 4 };

enum subject {
#define SUBJECT(id, ...) SUBJECT_##id,
#include "cli/learn/lesson_subjects.def"
#undef SUBJECT
	SUBJECT_COUNT,
};

/* What is measured. */
struct measure {
	enum subject subject;
	const char *keys[MAX_KEYS]; /* only rows or lines that contain all of them */
	uint32_t n_keys;
	bool has_at, has_from; /* only the bucket with this value; and those above it */
	int64_t at;
};

struct condition {
	const char *text; /* as in the file */
	struct measure measure;
	int64_t low, high; /* the measure is between them */
};

/* Read a condition. NULL, or what is wrong, which may be in the arena. */
const char *condition_read(struct arena *a, const char *text, struct condition *out);
/* Read the measure of `$(…)` in a text, with `in UNIT` behind it: *divisor is that unit. */
const char *measure_read(struct arena *a, const char *text, struct measure *out, int64_t *divisor);
/* Its value for what the program `text` has shown. */
int64_t measure_value(const struct measure *m, const struct shown *shown, const char *text);
bool condition_holds(const struct condition *c, const struct shown *shown, const char *text);
