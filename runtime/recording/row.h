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
/* A column. Where it is read, `text` points into the row. */
struct row_column {
	enum row_tag tag;
	int64_t integer;
	const char *text;
	uint32_t len;
};

static inline struct row_column row_integer(int64_t x)
{
	return (struct row_column){.tag = ROW_INTEGER, .integer = x};
}

static inline struct row_column row_bytes(const char *bytes, size_t n)
{
	return (struct row_column){.tag = ROW_TEXT, .text = bytes, .len = (uint32_t)n};
}

/* NULL is SQL's NULL. */
static inline struct row_column row_string(const char *s)
{
	return s ? row_bytes(s, strlen(s)) : (struct row_column){.tag = ROW_NULL};
}

void row_add_columns(struct row *r, const struct row_column *columns, size_t n);
/* Append columns. */
#define ROW_ADD(r, ...)                                        \
	row_add_columns(r, (struct row_column[]){__VA_ARGS__}, \
			sizeof((struct row_column[]){__VA_ARGS__}) / sizeof(struct row_column))
/* A text that is appended to row->grown.text between these two. */
void row_open_text(struct row *r);
/* Likewise JSON. */
struct json *row_open_json(struct row *r);
void row_close_text(struct row *r);
/* The row is complete. Returns its bytes, of which there are row->grown.text.n. */
const char *row_end(struct row *r);

/* Reading: a column of `*at`, which moves behind it. */
void row_next(const char **at, struct row_column *out);
