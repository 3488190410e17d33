/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number and string literals (literal.h). A number is decimal with `_` between digits, 0x hex, 0b
 * binary, octal with a leading 0, decimal with an exponent (5e3), or decimal with a C suffix (u ul
 * ull l ll, in either case) or a unit of time (ns us ms s m h d), which converts it to nanoseconds.
 * All are unsigned 64-bit integers; a number that does not fit is an error.
 * lexer.l passes the whole run of letters, digits and `_`, so each mistake in a number gives one
 * message here.
 */
#include "parser/lang/literal.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/text.h"
#include "parser/base/time_unit.h"
#include <stdlib.h>
#include <strings.h>

/* The suffixes of C, and the largest number with each. */
static const struct suffix {
	const char *text;
	uint64_t most;
} suffixes[] = {
	{"", UINT64_MAX},    {"u", UINT32_MAX}, {"ul", UINT64_MAX}, {"ull", UINT64_MAX},
	{"l", INT64_MAX},    {"ll", INT64_MAX}, {"U", UINT32_MAX},  {"UL", UINT64_MAX},
	{"ULL", UINT64_MAX}, {"L", INT64_MAX},	{"LL", INT64_MAX},
};

/* A number being parsed: its text, and where errors go. */
struct number {
	struct diags *diags;
	const char *text;
	uint32_t len;
	struct span span;
};

__attribute__((cold)) static uint64_t overflow(const struct number *n, uint64_t most)
{
	diag_error(n->diags, n->span, "bad-number",
		   "the number %.*s is too large: at most %llu fits", (int)n->len, n->text,
		   (unsigned long long)most);
	return most;
}

/* Read digits of `base` from `from` up to `end`, skipping `_` between them. */
static bool read_digits(const struct number *n, uint32_t from, uint32_t end, unsigned base,
			uint64_t *value)
{
	*value = 0;
	for (uint32_t i = from; i < end; i++) {
		if (n->text[i] == '_')
			continue;
		if (__builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, text_hex_digit(n->text[i]), value))
			return false;
	}
	return true;
}

static uint32_t skip_digits(const struct number *n, uint32_t from, const char *allowed)
{
	while (from < n->len && strchr(allowed, n->text[from]))
		from++;
	return from;
}

/* The hint for an invalid suffix, chosen by common mistakes. */
static const char *suffix_hint(const char *suffix, uint32_t len)
{
	uint32_t zeros = len ? (uint32_t)strspn(suffix + 1, "0") : 0;

	if (suffix[0] == 'e' || suffix[0] == 'E')
		return "an exponent is an e and decimal digits: 5e3";
	if (suffix[0] == '.' && 1 + zeros >= len)
		return "leave out the point and what is behind it";
	if (suffix[0] == '.' && 1 + strspn(suffix + 1, "0123456789") >= len)
		return "floating point is not supported: multiply first, x * 15 / 10 for x * 1.5";
	if (suffix[0] == '.')
		return "floating point is not supported; use a smaller unit: 1500ms for 1.5s";
	if (strchr("kKMGT", suffix[0]) && (len == 1 || suffix[len - 1] == 'B'))
		return "write 10e3 for ten thousand, 10 * 1024 for 10 KiB";
	if (len <= 3 && strchr("uUlL", suffix[0]))
		return "suffixes are u ul ull l ll";
	return "units of time are ns us ms s m h d, suffixes u ul ull l ll";
}

/* `0.5ms`: write 500us. */
static bool hint_smaller_unit(const struct number *n)
{
	static const char *const units[] = {"ns", "us", "ms", "s"};
	const char *text, *unit;
	char *end;
	double value;

	if (!n->diags) /* a part of a C item, which another parser reads */
		return false;
	text = arena_strndup(n->diags->arena, n->text, n->len);
	value = strtod(text, &end);
	unit = end;
	for (size_t i = 1; i < sizeof(units) / sizeof(*units) && strchr(text, '.'); i++)
		if (strcmp(unit, units[i]) == 0 && value > 0 && value < 1e6) {
			uint64_t smaller = (uint64_t)(value * 1000 + 0.5);

			return diag_hint(n->diags, "write %llu%s", (unsigned long long)smaller,
					 units[i - 1]),
			       true;
		}
	return false;
}

static uint64_t bad_suffix(const struct number *n, uint32_t from)
{
	struct span s = {n->span.start + from, n->span.end};

	if (n->text[from] == '.')
		diag_error(n->diags, n->span, "bad-number",
			   "numbers are whole: '%.*s' has a fraction", (int)n->len, n->text);
	else
		diag_error(n->diags, s, "bad-number", "invalid integer suffix '%.*s'",
			   (int)(n->len - from), n->text + from);
	if (!hint_smaller_unit(n))
		diag_hint(n->diags, "%s", suffix_hint(n->text + from, n->len - from));
	return 0;
}

/* 5e3, 10e3: the offset of the 'e', or 0. */
static uint32_t exponent_at(const struct number *n)
{
	uint32_t at = skip_digits(n, 0, "0123456789_");

	if (at + 1 >= n->len || n->text[at] != 'e' ||
	    skip_digits(n, at + 1, "0123456789_") != n->len)
		return 0;
	return at;
}

static uint64_t read_exponent(const struct number *n, uint32_t at)
{
	uint64_t value, exponent;

	if (!read_digits(n, 0, at, 10, &value) || !read_digits(n, at + 1, n->len, 10, &exponent))
		return overflow(n, UINT64_MAX);
	for (; exponent && value; exponent--)
		if (__builtin_mul_overflow(value, 10, &value))
			return overflow(n, UINT64_MAX);
	return value;
}

/* The largest number with these letters after it, 0 if they mean nothing. *scale: nanoseconds of a
 * unit of time, else 1. */
static uint64_t suffix_most(const char *text, size_t len, uint64_t *scale)
{
	const struct suffix *row;

	*scale = time_unit_ns(text, len);
	if (*scale)
		return UINT64_MAX;
	*scale = 1;
	row = TEXT_ROW(suffixes, text, text, len);
	return row ? row->most : 0;
}

static uint64_t read_decimal(const struct number *n)
{
	uint32_t end = skip_digits(n, 0, "0123456789_");
	uint64_t value, scale, most = suffix_most(n->text + end, n->len - end, &scale);

	if (!most)
		return bad_suffix(n, end);
	if (!read_digits(n, 0, end, 10, &value) || __builtin_mul_overflow(value, scale, &value) ||
	    value > most)
		return overflow(n, most / scale);
	return value;
}

static uint64_t read_octal(const struct number *n)
{
	uint32_t end = skip_digits(n, 0, "01234567_");
	uint64_t value;

	if (end < n->len && (n->text[end] == '8' || n->text[end] == '9')) {
		diag_error(n->diags, n->span, "bad-number",
			   "'%.*s' begins with 0, so it is octal, and has the digit %c",
			   (int)n->len, n->text, n->text[end]);
		diag_hint(n->diags, "leave out the leading 0 for a decimal number");
		return 0;
	}
	if (end < n->len)
		return bad_suffix(n, end);
	return read_digits(n, 0, end, 8, &value) ? value : overflow(n, UINT64_MAX);
}

/* 0x…, 0b… */
static uint64_t read_prefixed(const struct number *n, unsigned base, const char *digits)
{
	uint32_t end = skip_digits(n, 2, digits);
	uint64_t value;

	if (n->len == 2) {
		diag_error(n->diags, n->span, "bad-number", "no digits after '%.2s'", n->text);
		return 0;
	}
	if (end < n->len)
		return bad_suffix(n, end);
	return read_digits(n, 2, end, base, &value) ? value : overflow(n, UINT64_MAX);
}

uint64_t literal_number(struct diags *d, const char *text, struct span span)
{
	const struct number n = {d, text, span.end - span.start, span};

	if (text[n.len - 1] == '_') {
		diag_error(d, span, "bad-number", "trailing underscore in integer literal");
		return 0;
	}
	if (n.len > 1 && text[0] == '0' && (text[1] | 0x20) == 'x')
		return read_prefixed(&n, 16, "0123456789abcdefABCDEF_");
	if (n.len > 1 && text[0] == '0' && (text[1] | 0x20) == 'b')
		return read_prefixed(&n, 2, "01_");
	if (n.len > 1 && text[0] == '0' && strchr("0123456789_", text[1]))
		return read_octal(&n);
	if (exponent_at(&n))
		return read_exponent(&n, exponent_at(&n));
	return read_decimal(&n);
}

/* ---- strings ---- */

/* Read up to `most` digits of `base` at *at and move past them. Returns their value. */
static unsigned escape_digits(const char **at, unsigned base, unsigned most)
{
	unsigned value = 0;

	for (unsigned i = 0; i < most; i++, (*at)++) {
		int digit = text_hex_digit(**at);

		if (digit < 0 || (unsigned)digit >= base)
			break;
		value = value * base + (unsigned)digit;
	}
	return value;
}

__attribute__((cold)) static char bad_escape(struct diags *d, struct span span, const char *escape,
					     const char *why)
{
	diag_error(d, span, "bad-escape", "invalid escape character '%.*s'%s",
		   (int)(span.end - span.start), escape, why);
	diag_hint(d,
		  "escapes are \\n \\t \\r \\\" \\\\ \\ooo and \\xhh; write \\\\ for a backslash");
	return '?';
}

/* Read the escape at *at (a backslash), whose offset is `offset`, and move past it. Returns the
 * character. */
static char read_escape(struct diags *d, const char **at, uint32_t offset)
{
	static const char plain[] = "n\nt\tr\r\"\"\\\\";
	const char *escape = *at, *known;
	unsigned value;
	char c = escape[1];

	*at += 2;
	for (known = plain; *known; known += 2)
		if (*known == c)
			return known[1];
	if (c >= '0' && c <= '7') {
		*at = escape + 1;
		value = escape_digits(at, 8, 3);
	} else if (c == 'x' || c == 'X') {
		value = escape_digits(at, 16, 2);
		if (*at == escape + 2)
			return bad_escape(d, (struct span){offset, offset + 2}, escape,
					  ": no hex digit follows");
	} else {
		while (((unsigned char)**at & 0xc0) == 0x80) /* the rest of a UTF-8 character */
			(*at)++;
		return bad_escape(d, (struct span){offset, offset + (uint32_t)(*at - escape)},
				  escape, "");
	}
	if (value > 255)
		return bad_escape(d, (struct span){offset, offset + (uint32_t)(*at - escape)},
				  escape, ": a byte is at most 255, \\377");
	return (char)value;
}

const char *literal_string(struct arena *a, struct diags *d, const char *text, struct span span,
			   uint32_t *len)
{
	const char *at = text + 1, *end = text + (span.end - span.start) - 1;
	char *copy = arena_alloc(a, (size_t)(end - at) + 1), *to = copy;

	while (at < end) {
		if (*at == '\\')
			*to++ = read_escape(d, &at, span.start + (uint32_t)(at - text));
		else
			*to++ = *at++;
	}
	*len = (uint32_t)(to - copy);
	return copy;
}

bool literal_word_number(struct arena *a, const char *word, uint64_t *value)
{
	struct diags quiet = {.arena = a};

	if (word[0] < '0' || word[0] > '9')
		return false;
	*value = literal_number(&quiet, word, (struct span){0, (uint32_t)strlen(word)});
	return !quiet.n_errors;
}

bool literal_word_bool(const char *word, bool *value)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {
		{"true", true},	  {"on", true},	  {"yes", true}, {"1", true},
		{"false", false}, {"off", false}, {"no", false}, {"0", false},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(words[i].word, word) == 0) {
			*value = words[i].value;
			return true;
		}
	return false;
}
