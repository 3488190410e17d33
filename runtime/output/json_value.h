/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values as JSON, for the writers of JSON.
 */
#pragma once
#include "runtime/base/json.h"
#include "runtime/view/format.h"

struct json_writer {
	struct json json;
	struct text_grown scratch; /* for text that is quoted */
	bool stacks_are_arrays;	   /* of frames; else a stack is a string */
	bool stacks_are_names;	   /* arrays of the names of functions */
};

/* The scratch is freed with text_grown_free(). */
void json_writer_init(struct json_writer *w, struct text *text);
/* Integers that a double cannot hold are strings; tuples and arrays are arrays, records objects. */
void json_put_value(struct json_writer *w, const char *key, const struct view *v);
void json_put_integer(struct json *j, const char *key, const struct view *v);
/* A row as an object: the names of its columns are the members. The name of its table may come
 * first. */
void json_put_row(struct json_writer *w, bool has_table, const char *key,
		  const struct plan_event *e, const struct view *fields);
/* The text of a printf call, as a string. */
void json_put_printf(struct json_writer *w, const char *key, const struct plan_event *e,
		     const struct view *fields);

/* The arguments and the result of a call, if they are known, and what the script gave span(): an
 * object `key`, or if that is NULL members beside them. */
void json_put_call(struct json_writer *w, const char *key, const struct view_span *s);

/* ---- json_agg.c: aggregations */
/* The type of the line for a map with values of this type: "map", "stats" or "hist". */
const char *json_agg_line(const struct type *t);
/* The same of -f jsonl, which can be added to that of another run. */
void json_agg_lines(struct json *j, const char *key, const struct view *v);
/* Write the value of one entry. */
void json_agg_value(struct json *j, const char *key, const struct view *v);
