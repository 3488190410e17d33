/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON as recordings have it: numbers are integers of 64 bits. Texts come from a file that
 * anybody may have made, so everything is checked.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum json_kind {
	JSON_NULL,
	JSON_FALSE,
	JSON_TRUE,
	JSON_NUMBER,
	JSON_STRING,
	JSON_LIST,
	JSON_OBJECT,
};

struct json {
	enum json_kind kind;
	union {
		uint32_t len; /* of a string */
		uint32_t n;   /* of items */
	};
	const char *name; /* of a member of an object */
	union {
		uint64_t number;    /* of a negative one the two's complement */
		const char *text;   /* a string: with a NUL at its end */
		struct json *items; /* of a list or an object, in their order */
	};
};

/* The value in the `len` bytes; NULL if they are no such JSON, or of more than 4,000,000 values. */
const struct json *json_read(struct arena *a, const char *text, size_t len);
/* The member `name` of an object, or NULL. `j` may be NULL or of another kind. */
const struct json *json_member(const struct json *j, const char *name);
/* A number, or a string that is one. False if it is neither. `j` may be NULL. */
bool json_number(const struct json *j, uint64_t *out);
/* The text of a string; NULL if it is none. `j` may be NULL. */
const char *json_text(const struct json *j);
/* True only for the word true. */
static inline bool json_is_true(const struct json *j)
{
	return j && j->kind == JSON_TRUE;
}
