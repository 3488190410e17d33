/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shortens demangled names: see demangle.h. One pass copies the name and skips what is left out.
 */
#include "runtime/elf/demangle.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NESTING_MAX = 256 };

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The length of "operator" and the symbol after it, such as operator<<, operator(), operator->; 0
 * if there is none at `at`. Types of conversions (operator bool) are not included. */
static size_t operator_length(const char *begin, const char *at)
{
	static const char word[] = "operator";
	size_t n = sizeof(word) - 1;

	if (strncmp(at, word, n) != 0 || (at > begin && is_word(at[-1])) || is_word(at[n]))
		return 0;
	if (strncmp(at + n, "()", 2) == 0 || strncmp(at + n, "[]", 2) == 0)
		return n + 2;
	return n + strspn(at + n, "<>=!+-*/%^&|~,\"");
}

/* The place after the bracket that closes the one at `at`; NULL if none does. In round brackets,
 * angle brackets are comparisons. */
static const char *behind(const char *begin, const char *at, int depth)
{
	char open = *at, close = open == '<' ? '>' : open == '(' ? ')' : open == '{' ? '}' : ']';

	for (const char *c = at + 1; *c && depth < NESTING_MAX; c++) {
		size_t n = operator_length(begin, c);

		if (n) {
			c += n - 1;
		} else if (*c == close) {
			return c + 1;
		} else if (*c == '-' && c[1] == '>') {
			c++;
		} else if (strchr("({[", *c) || (*c == '<' && open != '(')) {
			c = behind(begin, c, depth + 1);
			if (!c)
				return NULL;
			c--;
		}
	}
	return NULL;
}

static const char *behind_bracket(const char *begin, const char *at)
{
	return behind(begin, at, 0);
}

/* Skip what may follow parameters: const, volatile, & and &&. */
static const char *skip_qualifiers(const char *at)
{
	static const char *const words[] = {" const", " volatile", " noexcept", " &&",
					    " &",     "&&",	   "&"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t n = strlen(words[i]);

		if (strncmp(at, words[i], n) == 0 && !is_word(at[n])) {
			at += n;
			i = (size_t)-1;
		}
	}
	return at;
}

/* Does the round bracket begin parameters? Parameters follow a name; a tuple of Rust, or (anonymous
 * namespace), does not. */
static bool are_parameters(const char *begin, const char *at)
{
	return at > begin && (is_word(at[-1]) || strchr(">})]", at[-1]));
}

/* Is it Rust's "<T as Trait>"? These angle brackets are at the beginning of a name, or of the text
 * in such brackets. */
static bool is_qualified(const char *begin, const char *at)
{
	return at == begin || at[-1] == '<' || at[-1] == ' ' || at[-1] == '&';
}

struct shortener {
	const char *name, *at; /* at: the place that is read next */
	char *to;
	bool keep_templates;
};

static void copy(struct shortener *s, size_t n)
{
	memcpy(s->to, s->at, n);
	s->to += n;
	s->at += n;
}

/* Process the arguments of a template. Returns false if the bracket is not closed. */
static bool take_arguments(struct shortener *s)
{
	const char *end = behind_bracket(s->name, s->at);

	if (!end)
		return false;
	if (s->keep_templates) {
		copy(s, (size_t)(end - s->at));
		return true;
	}
	if (s->at - s->name > 2 && s->at[-1] == ':') /* Rust: f::<T> */
		s->to -= 2;
	s->at = end;
	return true;
}

static bool skip_parameters(struct shortener *s)
{
	const char *end = behind_bracket(s->name, s->at);

	if (end)
		s->at = skip_qualifiers(end);
	return end;
}

/* Copy the shortened name. False if brackets do not balance. */
static bool copy_short(struct shortener *s)
{
	while (*s->at) {
		size_t n = operator_length(s->name, s->at);
		bool is_right = true;

		copy(s, n);
		if (n && s->at[0] == ' ' && s->at[1] == '<') { /* operator< <int> */
			if (s->keep_templates)
				copy(s, 1);
			else
				s->at++;
			is_right = take_arguments(s);
		}
		if (*s->at == '(' && (n || are_parameters(s->name, s->at)))
			is_right &= skip_parameters(s);
		else if (*s->at == '<' && !is_qualified(s->name, s->at))
			is_right &= take_arguments(s);
		else if (!n && *s->at)
			copy(s, 1);
		if (!is_right)
			return false;
	}
	*s->to = '\0';
	return true;
}

void short_name(char *name, bool keep_templates)
{
	char *copied = malloc(strlen(name) + 1);
	struct shortener s = {name, name, copied, keep_templates};

	if (copied && copy_short(&s) && *copied)
		strcpy(name, copied);
	free(copied);
}
