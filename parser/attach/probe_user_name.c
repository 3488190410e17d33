/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of user functions: a name or pattern matches symbols and their demangled names. Demangling
 * takes microseconds and a program may have 100,000 symbols, so a word of the pattern is searched
 * first: mangled names contain identifiers unchanged.
 */
#include "parser/base/text.h"
#include "parser/attach/cpp_name.h"
#include "parser/attach/probe_user.h"
#include "parser/attach/rust_name.h"
#include <ctype.h>

enum { NAME_SIZE = 8192 };

const char *user_path_end(const char *text)
{
	for (const char *c = probe_end_of_part(text, ':'); *c; c = probe_end_of_part(c + 2, ':'))
		if (c[1] != ':')
			return c;
	return NULL;
}

const char *user_after_language(const char *function)
{
	static const char *const languages[] = {"cpp:", "rust:"};

	for (size_t i = 0; i < sizeof(languages) / sizeof(*languages); i++) {
		size_t n = strlen(languages[i]);

		if (strncmp(function, languages[i], n) == 0 && function[n] != ':')
			return function + n;
	}
	return function;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (c & 0x80);
}

/* Words that mangling abbreviates or encodes. */
static bool is_abbreviated(const char *word, size_t len)
{
	static const char *const words[] = {
		"std",		 "string",	   "allocator", "basic_string", "istream",
		"ostream",	 "iostream",	   "operator",	"new",		"delete",
		"const",	 "char_traits",	   "anonymous", "namespace",	"basic_istream",
		"basic_ostream", "basic_iostream", "lambda",	"unnamed",	"type"};

	return TEXT_IS_IN(words, word, len);
}

/* The longest identifier that the mangled name must contain. Identifiers in brackets, which hold
 * types, and after "operator", which may precede a type, do not count. */
static const char *longest_word(const struct probe_reader *r, const char *pattern)
{
	const char *best = "", *c = pattern, *end = cpp_name_operator(pattern);
	size_t best_len = 0, len;

	while (*c && c != end && !strchr("(<{[", *c)) {
		for (len = 0; is_word(c[len]); len++)
			;
		if (len > best_len && !is_abbreviated(c, len)) {
			best = c;
			best_len = len;
		}
		c += len + !len;
	}
	return arena_strndup(r->arena, best, best_len);
}

void user_name_query(struct user_matching *m, const char *pattern)
{
	struct cpp_name name = cpp_name_split(pattern);

	m->pattern = pattern;
	m->is_pattern = pattern_is(pattern);
	m->word = longest_word(m->r, pattern);
	m->has_parameters = pattern[name.name];
	m->has_arguments = name.plain < name.name;
}

bool user_name_exact(const struct user_matching *pattern, struct user_matching *name)
{
	if (!pattern->is_pattern || !strpbrk(pattern->pattern, "(<"))
		return false;
	*name = *pattern;
	name->is_pattern = false;
	name->is_exact = true;
	return true;
}

void user_name_keep_exact(struct attach_target *t, uint32_t *n, const char *name)
{
	uint32_t n_kept = 0;

	for (uint32_t i = 0; i < *n; i++)
		if (t[i].symbol && strcmp(t[i].symbol, name) == 0)
			t[n_kept++] = t[i];
	*n = n_kept ? n_kept : *n;
}

bool user_name_is_odd(const struct user_matching *m, const char *path, const char *name)
{
	struct user_symbol f = {0};

	return ((*name >= '0' && *name <= '9') || strchr(name, '+') ||
		pattern_has_alternatives(name)) &&
	       m->r->kernel->user_symbol(m->r->kernel, path, name, &f) == 0;
}

bool user_path_is_pattern(const struct user_matching *m, const char *path)
{
	struct user_symbol f = {0};

	return pattern_is(path) && m->r->kernel->user_symbol(m->r->kernel, path, "", &f) == -ENOENT;
}

bool user_is_cold_part(const char *symbol)
{
	const char *cold = strstr(symbol, ".cold");

	return cold && (!cold[5] || cold[5] == '.' || cold[5] == ']'); /* f() [clone .cold] */
}

static bool demangle(const struct probe_reader *r, const char *symbol, bool with_parameters,
		     char out[NAME_SIZE])
{
	return r->kernel->demangle && symbol[0] == '_' &&
	       r->kernel->demangle(symbol, with_parameters, out, NAME_SIZE);
}

static bool equals(const struct user_matching *m, const char *name)
{
	return m->is_pattern ? pattern_matches(m->pattern, name) : strcmp(m->pattern, name) == 0;
}

/* Cut the "<int>" off "max_of<int>": all instances of a template have one name. */
static bool cut_arguments(const struct user_matching *m, char *name)
{
	struct cpp_name n = cpp_name_split(name);

	if (m->has_parameters || m->has_arguments || n.plain == n.name)
		return false;
	name[n.plain] = '\0';
	return true;
}

/* Reduce to the name that all instances share; Rust methods lose their angle brackets. */
static bool make_plain(const struct user_matching *m, char *name)
{
	bool is_cut = cut_arguments(m, name);

	return (!strchr(m->pattern, '<') && rust_name_plain(name)) || is_cut;
}

bool user_name_matches(const struct user_matching *m, const char *symbol)
{
	char name[NAME_SIZE];

	if (user_is_cold_part(symbol))
		return false;
	if (equals(m, symbol))
		return true;
	if (*m->word && !strstr(symbol, m->word))
		return false;
	if (!demangle(m->r, symbol, m->has_parameters, name))
		return false;
	return equals(m, name) || (make_plain(m, name) && equals(m, name));
}

const char *user_name(const struct probe_reader *r, const char *symbol)
{
	char name[NAME_SIZE];

	if (!demangle(r, symbol, true, name))
		return arena_strdup(r->arena, symbol);
	return arena_strdup(r->arena, name);
}

void user_name_offer(struct user_matching *m, const char *symbol)
{
	char name[NAME_SIZE];

	m->n_offered++;
	if (user_is_cold_part(symbol))
		return;
	if (demangle(m->r, symbol, m->has_parameters, name)) {
		make_plain(m, name);
		symbol = name;
	}
	nearest_offer(&m->nearest, symbol);
}
