/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads JSON: see json_read.h. The library limits the depth (2,048).
 */
#include "runtime/base/json_read.h"
#include "parser/base/arena.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* The largest row of sonde is a tseries() of 1,000,000 intervals, with three values each. */
enum { VALUES_MOST = 4000000 };

/* Each value but the first follows a ',', '[' or '{', so a shorter text has fewer. */
static bool is_bounded(const char *text, size_t len)
{
	uint32_t n = 0;

	if (len < VALUES_MOST)
		return true;
	for (size_t i = 0; i < len; i++)
		n += text[i] == ',' || text[i] == '[' || text[i] == '{';
	return n < VALUES_MOST;
}

static _Thread_local struct arena *arena; /* of the text that is read */

static void *allocate(size_t n)
{
	return arena_alloc(arena, n);
}

/* The arena is freed as a whole. */
static void release(void *p)
{
}

static void use(struct arena *a)
{
	arena = a;
	json_set_alloc_funcs(allocate, release);
}

const json_t *json_of_integer(struct arena *a, int64_t x)
{
	use(a);
	return json_integer(x);
}

const json_t *json_read(struct arena *a, const char *text, size_t len)
{
	if (!is_bounded(text, len))
		return NULL;
	use(a);
	return json_loadb(text, len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

bool json_number(const json_t *j, uint64_t *out)
{
	const char *text = json_string_value(j);
	bool is_negative = text && *text == '-';
	char *end;

	if (json_is_integer(j))
		return *out = (uint64_t)json_integer_value(j), true;
	if (!text || !isdigit((unsigned char)text[is_negative]))
		return false;
	errno = 0;
	*out = is_negative ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
	return !errno && end == text + json_string_length(j);
}

bool json_numbers(const json_t *list, uint64_t *out)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!json_number(json_array_get(list, i), &out[i]))
			return false;
	return json_is_array(list);
}
