/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ names: see cpp_name.h. Two things make them hard to split: operators are named "()", "<" and
 * "->", and the parameters of an enclosing function are in the middle of the name:
 * "f(int)::{lambda(long)#1}::operator()(long) const".
 */
#include "parser/attach/cpp_name.h"
#include "parser/base/text.h"
#include <ctype.h>

enum { DEPTH_MOST = 64 }; /* of brackets; deeper names are not split */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* ---- operators ----------------------------------------------------------------------------- */

#define OPERATOR "operator"

static bool is_operator(const char *text, const char *at)
{
	size_t len = strlen(OPERATOR);

	return strncmp(at, OPERATOR, len) == 0 && !is_word(at[len]) &&
	       (at == text || !is_word(at[-1]));
}

const char *cpp_name_operator(const char *text)
{
	const char *at = strstr(text, OPERATOR);

	while (at && !is_operator(text, at))
		at = strstr(at + 1, OPERATOR);
	return at;
}

/* The position after new, delete and their [], else `s`. */
static const char *skip_allocation(const char *s)
{
	static const char *const words[] = {"new", "delete", "co_await"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t len = strlen(words[i]);

		if (strncmp(s, words[i], len) == 0 && !is_word(s[len]))
			return s + len + (strncmp(s + len, "[]", 2) == 0 ? 2 : 0);
	}
	return s;
}

/* The position after the operator whose "operator" is at `at`. The type in "operator bool" is not
 * skipped. */
static const char *skip_operator(const char *at)
{
	static const char *const longer[] = {"<=>", "->*", "<<=", ">>=", "()", "[]", "->",
					     "++",  "--",  "<<",  ">>",	 "<=", ">=", "==",
					     "!=",  "&&",  "||",  "+=",	 "-=", "*=", "/=",
					     "%=",  "^=",  "&=",  "|="};
	const char *s = at + strlen(OPERATOR), *const * found;

	s += strspn(s, " ");
	found = TEXT_PREFIX(longer, s);
	if (found)
		return s + strlen(*found);
	if (*s && strchr("+-*/%^&|~!=<>,", *s))
		return s + 1;
	if (strncmp(s, "\"\"", 2) != 0)
		return skip_allocation(s);
	for (s += 2 + strspn(s + 2, " "); is_word(*s); s++)
		;
	return s;
}

bool cpp_name_in_operator(const char *text, const char *at)
{
	for (const char *o = cpp_name_operator(text); o && o < at;) {
		const char *end = skip_operator(o);

		if (at < end)
			return true;
		o = cpp_name_operator(end);
	}
	return false;
}

/* ---- brackets ------------------------------------------------------------------------------ */

static char closing(char c)
{
	switch (c) {
	case '(': return ')';
	case '<': return '>';
	case '{': return '}';
	case '[': return ']';
	default: return '\0';
	}
}

/* Open brackets, each as the character that closes it. */
struct brackets {
	char open[DEPTH_MOST];
	unsigned n;
};

/* Count a character. A '<' that is still open when another bracket closes was a comparison, and so
 * is a '>' inside "()". False: too deep. */
static bool step(struct brackets *b, const char *c)
{
	char last = b->n ? b->open[b->n - 1] : '\0';

	if (closing(*c)) {
		if (b->n == DEPTH_MOST)
			return false;
		b->open[b->n++] = closing(*c);
	} else if (*c == '>') {
		b->n -= last == '>' && c[-1] != '-';
	} else if (*c == ')' || *c == '}' || *c == ']') {
		while (b->n > 1 && b->open[b->n - 1] == '>' && *c != '>')
			b->n--;
		b->n -= b->open[b->n - 1] == *c;
	}
	return true;
}

/* The position after the bracket that closes the one at `at`, or NULL. */
static const char *skip_brackets(const char *text, const char *at)
{
	struct brackets b = {.n = 0};

	for (const char *c = at; *c;) {
		if (is_operator(text, c)) {
			c = skip_operator(c);
			continue;
		}
		if (!step(&b, c))
			return NULL;
		c++;
		if (!b.n)
			return c;
	}
	return NULL;
}

/* ---- the name ------------------------------------------------------------------------------ */

struct cpp_name cpp_name_split(const char *text)
{
	const char *parameters = NULL; /* since the last "::" */
	const char *arguments = NULL, *arguments_end = NULL;
	const char *c = text;
	struct cpp_name out;

	while (*c) {
		const char *end = closing(*c) ? skip_brackets(text, c) : NULL;

		if (is_operator(text, c)) {
			c = skip_operator(c);
			continue;
		}
		if (strncmp(c, "::", 2) == 0)
			parameters = NULL;
		else if (*c == '(')
			parameters = c;
		else if (*c == '<' && end && !parameters) {
			arguments = c;
			arguments_end = end;
		}
		c = end ? end : c + 1;
	}
	out.name = (size_t)((parameters ? parameters : c) - text);
	out.plain = out.name;
	if (arguments && arguments > text && arguments_end == text + out.name)
		out.plain = (size_t)(arguments - text);
	while (out.plain < out.name && out.plain && text[out.plain - 1] == ' ')
		out.plain--;
	return out;
}
