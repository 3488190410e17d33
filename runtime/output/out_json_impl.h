/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the two writers of JSON share: out_json.c and out_jsonl.c.
 */
#pragma once
#include "runtime/base/hash.h"
#include "runtime/output/json_value.h"
#include "runtime/output/out_file.h"

/* The names that differ between the two. */
struct json_form {
	bool has_data; /* most members are in an object "data"; else each line has a time */
	const char *printed, *value;
	const char *text, *result, *file, *column, *end_column; /* of a message */
	const char *attached, *lost, *what;			/* `what` was lost */
	const char *start, *length, *tracer;			/* of a span */
};

HASH_TABLE(json_names, uint64_t);

struct out_json {
	struct out_file file; /* first */
	const struct json_form *form;
	struct json_writer writer;
	struct text_grown name;	 /* of a row, escaped */
	struct json_names names; /* hashes of those that an object has so far */
	struct view_run run;	 /* of jsonl, as the next */
	uint64_t lines;
};

static inline struct out_json *out_json(struct out *o)
{
	return (struct out_json *)o;
}

/* A tuple that is the only key is the same as several keys. */
static inline bool json_key_is_tuple(const struct view_map *m, const struct view_row *r)
{
	return m->n_keys == 1 && r->keys[0].type->kind == TY_TUPLE;
}

/* Seconds with six digits after the point. */
void json_put_seconds(struct json *j, const char *key, uint64_t ns);
/* Begin an object of this type, at a time (of jsonl), and end it with its line. */
struct json *json_begin_at(struct out *o, const char *type, uint64_t ns);
struct json *json_begin(struct out *o, const char *type);
int json_end(struct out *o);
/* A writer with the hooks of -f json. */
struct out *json_new_writer(FILE *f, const struct json_form *form);
