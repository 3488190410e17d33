/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of a recording as bytes, on its way from the writer to the database: its length, its table
 * and its columns one after the other, each with a tag. Both ends are in this process.
 */
#pragma once
#include "runtime/base/json.h"
#include "runtime/recording/schema.h"

enum row_tag { ROW_NULL, ROW_INTEGER, ROW_TEXT };

/* The head of each row. */
struct row_head {
	uint32_t bytes; /* with the head */
	uint32_t table; /* enum recording_table */
};

/* A row that is being written. Columns are appended in their order; the bytes grow as needed. */
struct row {
	struct text_grown grown;
	struct json json; /* writes to it */
	size_t open;	  /* where the length of an open text is */
};

/* It is freed by text_grown_free(). */
void row_init(struct row *r);
void row_begin(struct row *r, enum recording_table table);
void row_integer(struct row *r, int64_t x);
/* NULL is SQL's NULL. */
void row_string(struct row *r, const char *s);
void row_bytes(struct row *r, const char *bytes, size_t n);
/* A text that is appended to row->grown.text between these two. */
void row_open_text(struct row *r);
/* Likewise JSON. */
struct json *row_open_json(struct row *r);
void row_close_text(struct row *r);
/* The row is complete. Returns its bytes, of which there are row->grown.text.n. */
const char *row_end(struct row *r);

/* Reading. A column of `*at`, which moves behind it. */
struct row_column {
	enum row_tag tag;
	int64_t integer;
	const char *text;
	uint32_t len;
};
void row_next(const char **at, struct row_column *out);
