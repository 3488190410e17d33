/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes JSON to a text. Each value has a key, or NULL: in an array, and on the outside. Control
 * characters, also DEL and C1, are escaped; invalid UTF-8 is replaced by U+FFFD, so that the output
 * is always valid JSON.
 */
#pragma once
#include "runtime/base/text_buffer.h"

struct json {
	struct text *text;
	bool has_item;	 /* a comma comes before the next one */
	bool is_compact; /* no blanks after commas and colons */
	bool is_strict;	 /* integers above INT64_MAX are strings: many readers refuse them */
};

/* The key of the next value, which gets none then: bytes that json_escape() has escaped. */
void json_put_escaped_key(struct json *j, const char *bytes, size_t n);
/* '{' or '[', and what closes it. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_put_bytes(struct json *j, const char *key, const char *bytes, size_t n);
/* NULL writes nothing. */
void json_put_string(struct json *j, const char *key, const char *s);
void json_put_unsigned(struct json *j, const char *key, uint64_t x);
void json_put_signed(struct json *j, const char *key, int64_t x);
/* Words of JSON and numbers with a point, of at most 63 characters. */
void json_put_format(struct json *j, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static inline void json_put_bool(struct json *j, const char *key, bool x)
{
	json_put_format(j, key, "%s", x ? "true" : "false");
}
/* The outermost object ends, and its line. */
void json_end_line(struct json *j);
/* Append the bytes escaped, without quotes. */
void json_escape(struct text *t, const char *bytes, size_t n);
