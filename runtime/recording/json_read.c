/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader of JSON: see json_read.h. Recursive, to a depth that is limited.
 */
#include "runtime/recording/json_read.h"
#include "runtime/output/out.h"
#include "parser/base/text.h"
#include "parser/base/arena.h"
#include <ctype.h>
#include <string.h>

/* The largest row of sonde is a tseries() of 1,000,000 intervals, with three values each. */
enum { DEPTH_MOST = 64, VALUES_MOST = 4000000 };
_Static_assert(sizeof(struct json) == 24, "a row has many");

struct reader {
	struct arena *arena;
	const char *at, *end;
	uint32_t depth, n_values;
};

static bool read_value(struct reader *r, struct json *out);

static void skip_blanks(struct reader *r)
{
	while (r->at < r->end &&
	       (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r'))
		r->at++;
}

static bool take(struct reader *r, char c)
{
	skip_blanks(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* Digits, with a sign if it is negative. Behind them *end is set. */
static bool read_digits(const char *at, const char *end, uint64_t *out, const char **behind)
{
	bool is_negative = at < end && *at == '-';
	uint64_t x = 0;
	const char *first = at += is_negative;

	for (; at < end && isdigit((unsigned char)*at); at++)
		if (__builtin_mul_overflow(x, 10, &x) ||
		    __builtin_add_overflow(x, (uint64_t)(*at - '0'), &x))
			return false;
	*behind = at;
	if (at == first || (is_negative && x > (uint64_t)INT64_MAX + 1))
		return false;
	*out = is_negative ? -x : x;
	return true;
}

/* Four digits behind \u: sonde writes it for control characters only, and others as they are. */
static bool read_code(struct reader *r, char **out)
{
	uint32_t code = 0;

	if (r->end - r->at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		int digit = text_hex_digit(*r->at++);

		if (digit < 0)
			return false;
		code = code << 4 | (uint32_t)digit;
	}
	if (code < 0x80) {
		*(*out)++ = (char)code;
	} else if (code < 0x800) {
		*(*out)++ = (char)(0xc0 | code >> 6);
		*(*out)++ = (char)(0x80 | (code & 0x3f));
	} else {
		*(*out)++ = (char)(0xe0 | code >> 12);
		*(*out)++ = (char)(0x80 | (code >> 6 & 0x3f));
		*(*out)++ = (char)(0x80 | (code & 0x3f));
	}
	return true;
}

static bool read_escape(struct reader *r, char **out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (r->at == r->end)
		return false;
	if (*r->at == 'u')
		return r->at++, read_code(r, out);
	found = memchr(from, *r->at++, sizeof(from) - 1);
	if (!found)
		return false;
	*(*out)++ = to[found - from];
	return true;
}

/* The quote has been read. The text is never longer than what stands for it. */
static bool read_string(struct reader *r, const char **text, uint32_t *len)
{
	const char *quote = r->at;
	char *out, *first;

	while (quote < r->end && *quote != '"')
		quote += *quote == '\\' ? 2 : 1;
	if (quote >= r->end || quote - r->at > INT32_MAX)
		return false;
	first = out = arena_alloc(r->arena, (size_t)(quote - r->at) + 1);
	while (r->at < quote)
		if (*r->at != '\\')
			*out++ = *r->at++;
		else if (r->at++, !read_escape(r, &out))
			return false;
	r->at = quote + 1;
	*text = first;
	*len = (uint32_t)(out - first);
	return true;
}

static bool read_name(struct reader *r, struct json *item)
{
	uint32_t len;

	return take(r, '"') && read_string(r, &item->name, &len) && take(r, ':');
}

/* The number of values up to the closing bracket, of a list or object with at least one. */
static uint32_t count_items(const struct reader *r)
{
	uint32_t n = 1, depth = 0;

	for (const char *at = r->at; at < r->end; at++) {
		if (*at == '"')
			for (at++; at < r->end && *at != '"'; at++)
				at += *at == '\\';
		else if (*at == '[' || *at == '{')
			depth++;
		else if ((*at == ']' || *at == '}') && depth-- == 0)
			break;
		else if (*at == ',' && !depth)
			n++;
	}
	return n;
}

/* The bracket has been read. The items are allocated at once: a list that grows would take twice as
 * much. */
static bool read_items(struct reader *r, struct json *out, char close)
{
	uint32_t most;

	if (take(r, close))
		return true;
	most = count_items(r);
	if (most > VALUES_MOST - r->n_values)
		return false;
	r->n_values += most;
	out->items = arena_alloc(r->arena, most * sizeof(*out->items));
	do {
		struct json item = {0};

		if (out->n == most || (out->kind == JSON_OBJECT && !read_name(r, &item)) ||
		    !read_value(r, &item))
			return false;
		out->items[out->n++] = item;
	} while (take(r, ','));
	return take(r, close);
}

static bool read_word(struct reader *r, struct json *out)
{
	static const struct {
		const char *word;
		enum json_kind kind;
	} words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i].word);

		if ((size_t)(r->end - r->at) < len || memcmp(r->at, words[i].word, len) != 0)
			continue;
		r->at += len;
		out->kind = words[i].kind;
		return true;
	}
	return false;
}

static bool read_value(struct reader *r, struct json *out)
{
	bool ok;

	skip_blanks(r);
	if (r->at == r->end || r->depth == DEPTH_MOST)
		return false;
	switch (*r->at) {
	case '"':
		r->at++;
		out->kind = JSON_STRING;
		return read_string(r, &out->text, &out->len);
	case '[':
	case '{':
		out->kind = *r->at == '[' ? JSON_LIST : JSON_OBJECT;
		r->depth++;
		r->at++;
		ok = read_items(r, out, out->kind == JSON_LIST ? ']' : '}');
		r->depth--;
		return ok;
	case 'n':
	case 'f':
	case 't': return read_word(r, out);
	default: out->kind = JSON_NUMBER; return read_digits(r->at, r->end, &out->number, &r->at);
	}
}

const struct json *json_read(struct arena *a, const char *text, size_t len)
{
	struct reader r = {.arena = a, .at = text, .end = text + len};
	struct json *out = arena_new_of(a, struct json);

	if (!read_value(&r, out))
		return NULL;
	skip_blanks(&r);
	return r.at == r.end ? out : NULL;
}

const struct json *json_member(const struct json *j, const char *name)
{
	for (uint32_t i = 0; j && j->kind == JSON_OBJECT && i < j->n; i++)
		if (strcmp(j->items[i].name, name) == 0)
			return &j->items[i];
	return NULL;
}

bool json_number(const struct json *j, uint64_t *out)
{
	const char *behind;

	if (j && j->kind == JSON_NUMBER)
		return *out = j->number, true;
	return j && j->kind == JSON_STRING &&
	       read_digits(j->text, j->text + j->len, out, &behind) && behind == j->text + j->len;
}

const char *json_text(const struct json *j)
{
	return j && j->kind == JSON_STRING ? j->text : NULL;
}
