/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching of patterns: see pattern.h. A pattern without alternatives is matched in one pass with
 * one backtracking position. One with alternatives moves a set of positions through the name, so
 * that its cost is bounded by the product of the lengths, however the alternatives nest.
 */
#include "parser/base/pattern.h"
#include "parser/base/arena.h"
#include <string.h>

enum {
	NAME_MOST = 8192, /* bytes: longer names match no pattern with alternatives */
	DEPTH_MOST = 4,	  /* of alternatives in alternatives; deeper ones are literal */
};

/* ---- alternatives -------------------------------------------------------------------------- */

/* Skip a bracketed part, of which `at` is the first character; `end` when nothing closes it. */
static const char *skip_brackets(const char *at, const char *end)
{
	unsigned depth = 0;

	for (const char *c = at; c < end; c++) {
		depth += strchr("({[<", *c) != NULL;
		if (strchr(")}]", *c) || (*c == '>' && c[-1] != '-'))
			depth--;
		if (!depth)
			return c + 1;
	}
	return end;
}

/* The '}' of alternatives that begin at `at`, a '{'; NULL when it is a literal brace. */
static const char *alternatives_end(const char *at, const char *end)
{
	bool has_comma = false;

	for (const char *c = at + 1; c < end;) {
		if (*c == '}')
			return has_comma ? c : NULL;
		has_comma |= *c == ',';
		c = strchr("({[<", *c) ? skip_brackets(c, end) : c + 1;
	}
	return NULL;
}

/* The ',' or '}' behind the alternative that begins at `at`. */
static const char *alternative_end(const char *at, const char *close)
{
	while (at < close && *at != ',')
		at = strchr("({[<", *at) ? skip_brackets(at, close) : at + 1;
	return at;
}

bool pattern_has_alternatives(const char *pattern)
{
	const char *end = pattern + strlen(pattern);

	for (const char *c = strchr(pattern, '{'); c; c = strchr(c + 1, '{'))
		if (alternatives_end(c, end))
			return true;
	return false;
}

bool pattern_is(const char *text)
{
	return strpbrk(text, "*?") || pattern_has_alternatives(text);
}

/* ---- matching ------------------------------------------------------------------------------ */

/* On a mismatch only the last '*' takes one character more: linear in practice. */
static bool matches_plain(const char *pattern, const char *s)
{
	const char *star = NULL, *from = NULL;

	while (*s) {
		if (*pattern == '*') {
			star = pattern++;
			from = s;
		} else if (*pattern == *s || *pattern == '?') {
			pattern++;
			s++;
		} else if (star) {
			pattern = star + 1;
			s = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

/* Positions in a name at which the rest of a pattern may continue. */
struct positions {
	const char *name;
	size_t len;
	bool at[NAME_MOST + 1];
};

static void take_any(struct positions *p)
{
	for (size_t i = 1; i <= p->len; i++)
		p->at[i] |= p->at[i - 1];
}

static void take_character(struct positions *p, char c)
{
	for (size_t i = p->len; i > 0; i--)
		p->at[i] = p->at[i - 1] && (c == '?' || p->name[i - 1] == c);
	p->at[0] = false;
}

/* Move the positions through the pattern up to `end`. */
static void advance(struct positions *p, const char *pattern, const char *end, unsigned depth)
{
	while (pattern < end) {
		const char *close = *pattern == '{' && depth < DEPTH_MOST
					    ? alternatives_end(pattern, end)
					    : NULL;
		struct positions before;

		if (!close) {
			if (*pattern == '*')
				take_any(p);
			else
				take_character(p, *pattern);
			pattern++;
			continue;
		}
		before = *p;
		memset(p->at, 0, sizeof(p->at));
		while (pattern < close) {
			const char *next = alternative_end(pattern + 1, close);
			struct positions branch = before;

			advance(&branch, pattern + 1, next, depth + 1);
			for (size_t i = 0; i <= p->len; i++)
				p->at[i] |= branch.at[i];
			pattern = next;
		}
		pattern = close + 1;
	}
}

static bool matches_alternatives(const char *pattern, const char *s)
{
	struct positions p = {.name = s, .len = strlen(s)};

	if (p.len > NAME_MOST)
		return false;
	p.at[0] = true;
	advance(&p, pattern, pattern + strlen(pattern), 0);
	return p.at[p.len];
}

bool pattern_matches(const char *pattern, const char *s)
{
	if (strchr(pattern, '{') && pattern_has_alternatives(pattern))
		return matches_alternatives(pattern, s);
	return matches_plain(pattern, s);
}

/* ---- letters ------------------------------------------------------------------------------- */

char *pattern_letters(struct arena *a, const char *pattern)
{
	char *letters = arena_strdup(a, pattern), *to = letters;
	const char *end = pattern + strlen(pattern), *first_end = NULL, *close = NULL;

	for (const char *c = pattern; *c; c++) {
		if (*c == '{' && !close) {
			close = alternatives_end(c, end);
			first_end = close ? alternative_end(c + 1, close) : NULL;
			if (close)
				continue;
		}
		if (c == first_end) {
			c = close;
			first_end = close = NULL;
		} else if (*c != '*' && *c != '?') {
			*to++ = *c;
		}
	}
	*to = '\0';
	return letters;
}
