/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words before the names of a C declaration: integer types in any order of their words, typedef
 * names, struct, union and enum, qualifiers. Typedefs that a script uses without defining them come
 * from the kernel.
 */
#include "parser/csection/c_parse.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include <string.h>

enum word {
	WORD_QUALIFIER,
	WORD_TYPEDEF,
	WORD_STORAGE,
	WORD_STRUCT,
	WORD_UNION,
	WORD_ENUM,
	WORD_VOID,
	WORD_BOOL,
	WORD_CHAR,
	WORD_SHORT,
	WORD_INT,
	WORD_LONG,
	WORD_INT128,
	WORD_FLOAT,
	WORD_DOUBLE,
	WORD_SIGNED,
	WORD_UNSIGNED,
	WORD_COUNT,
};

static const struct {
	const char *text;
	enum word word;
} words[] = {
	{"const", WORD_QUALIFIER},
	{"volatile", WORD_QUALIFIER},
	{"restrict", WORD_QUALIFIER},
	{"__restrict", WORD_QUALIFIER},
	{"__const", WORD_QUALIFIER},
	{"__volatile__", WORD_QUALIFIER},
	{"_Atomic", WORD_QUALIFIER},
	{"__extension__", WORD_QUALIFIER},
	{"__user", WORD_QUALIFIER},
	{"__kernel", WORD_QUALIFIER},
	{"__rcu", WORD_QUALIFIER},
	{"__iomem", WORD_QUALIFIER},
	{"__percpu", WORD_QUALIFIER},
	{"typedef", WORD_TYPEDEF},
	{"extern", WORD_STORAGE},
	{"static", WORD_STORAGE},
	{"inline", WORD_STORAGE},
	{"register", WORD_STORAGE},
	{"struct", WORD_STRUCT},
	{"union", WORD_UNION},
	{"enum", WORD_ENUM},
	{"void", WORD_VOID},
	{"_Bool", WORD_BOOL},
	{"bool", WORD_BOOL},
	{"char", WORD_CHAR},
	{"short", WORD_SHORT},
	{"int", WORD_INT},
	{"long", WORD_LONG},
	{"__int128", WORD_INT128},
	{"float", WORD_FLOAT},
	{"double", WORD_DOUBLE},
	{"signed", WORD_SIGNED},
	{"__signed__", WORD_SIGNED},
	{"unsigned", WORD_UNSIGNED},
};

/* How often each word was written. */
struct counts {
	uint32_t n[WORD_COUNT];
	uint32_t n_numbers; /* words from WORD_VOID on */
};

static int word_of(const struct c_token *t)
{
	for (size_t i = 0; t->kind == CT_NAME && i < sizeof(words) / sizeof(words[0]); i++)
		if (c_token_is_word(t, words[i].text))
			return (int)words[i].word;
	return -1;
}

static const struct type *find_typedef(struct c_parser *p, const struct c_token *t)
{
	return c_types_find(p->types, C_TYPEDEF, c_token_name(p->arena, t));
}

bool c_begins_type(struct c_parser *p)
{
	const struct c_token *t = c_next(p);

	if (t->kind != CT_NAME)
		return false;
	return word_of(t) >= 0 || c_token_is_word(t, "__attribute__") || find_typedef(p, t);
}

/* A type whose values sonde cannot compute with: of that size and name. */
static const struct type *opaque(struct c_parser *p, const char *name, uint32_t size)
{
	struct type *t = arena_new_of(p->arena, struct type);

	*t = type_void;
	t->name = name;
	t->size = size;
	t->align = size;
	return t;
}

/* The type that the counted words mean together; NULL: none. */
static const struct type *number_type(struct c_parser *p, const uint32_t *n)
{
	uint32_t n_sign = n[WORD_SIGNED] + n[WORD_UNSIGNED];
	uint32_t n_size = n[WORD_CHAR] + n[WORD_SHORT] + n[WORD_INT128] + (n[WORD_LONG] > 0);
	uint32_t n_other = n[WORD_VOID] + n[WORD_BOOL] + n[WORD_FLOAT];

	if (n_sign > 1 || n[WORD_LONG] > 2 || n[WORD_INT] > 1 || n_other > 1)
		return NULL;
	if (n_other && (n_sign || n_size || n[WORD_INT] || n[WORD_DOUBLE]))
		return NULL;
	if (n[WORD_VOID])
		return &type_void;
	if (n[WORD_BOOL])
		return &type_bool;
	if (n[WORD_FLOAT])
		return opaque(p, "float", 4);
	if (n[WORD_DOUBLE]) {
		if (n[WORD_DOUBLE] > 1 || n_sign || n[WORD_INT] || n_size != n[WORD_LONG])
			return NULL;
		return n[WORD_LONG] ? opaque(p, "long double", 16) : opaque(p, "double", 8);
	}
	if (n_size > 1 || (n[WORD_INT] && (n[WORD_CHAR] || n[WORD_INT128])))
		return NULL;
	if (n[WORD_INT128])
		return opaque(p, "__int128", 16);
	return type_int(n[WORD_CHAR]	? 1
			: n[WORD_SHORT] ? 2
			: n[WORD_LONG]	? 8
					: 4,
			!n[WORD_UNSIGNED]);
}

static bool take_tagged(struct c_parser *p, int word, struct c_base *b)
{
	bool is_right;

	p->at++;
	if (!c_enter(p))
		return false;
	is_right = word == WORD_ENUM ? c_enumeration(p, b) : c_aggregate(p, word == WORD_UNION, b);
	if (is_right)
		c_leave(p);
	return is_right;
}

static bool take_word(struct c_parser *p, int word, struct c_base *b, struct counts *counts)
{
	const struct c_token *t = c_next(p);

	if (word == WORD_STORAGE)
		return c_error(p, t->span, "c-syntax",
			       "'%.*s': only types can be defined here, not variables or functions",
			       (int)t->len, t->text);
	if (word >= WORD_STRUCT && (b->type || (counts->n_numbers && word < WORD_VOID)))
		return c_error(p, t->span, "c-syntax", "a second type: a ';' is missing before it");
	if (word == WORD_STRUCT || word == WORD_UNION || word == WORD_ENUM)
		return take_tagged(p, word, b);
	p->at++;
	b->is_typedef |= word == WORD_TYPEDEF;
	counts->n[word]++;
	counts->n_numbers += word >= WORD_VOID;
	return true;
}

/* The words up to one that does not belong to a type. */
static bool take_words(struct c_parser *p, struct c_base *b, struct counts *counts)
{
	for (;;) {
		const struct c_token *t = c_next(p);
		int word = word_of(t);

		if (c_token_is_word(t, "__attribute__")) {
			if (!c_attributes(p, &b->attributes))
				return false;
		} else if (word >= 0) {
			if (!take_word(p, word, b, counts))
				return false;
		} else if (t->kind == CT_NAME && !b->type && !counts->n_numbers &&
			   (b->type = find_typedef(p, t))) {
			p->at++;
		} else {
			return true;
		}
	}
}

static bool unknown_type(struct c_parser *p, const struct c_token *t)
{
	const struct c_macro *m =
		t->kind == CT_NAME ? preprocess_find(p->pre, t->text, t->len) : NULL;

	if (t->kind != CT_NAME)
		return c_unexpected(p, "a type");
	if (m && m->is_function)
		return c_error(p, t->span, "macro-call",
			       "%s is a macro with parameters: write %s(…)", m->name, m->name);
	if (m)
		return false; /* it refers to itself, which was reported */
	return c_error(p, t->span, "c-type", "unknown type '%.*s'",
		       (int)(t->len > 80 ? 80 : t->len), t->text);
}

bool c_specifiers(struct c_parser *p, struct c_base *b)
{
	struct counts counts = {0};
	const struct c_token *first = c_next(p), *t;

	if (!take_words(p, b, &counts))
		return false;
	t = c_next(p);
	b->span = span_join(first->span, p->tokens[p->at ? p->at - 1 : 0].span);
	if (b->type)
		return true;
	if (!counts.n_numbers)
		return unknown_type(p, t);
	b->type = number_type(p, counts.n);
	b->is_plain_char = counts.n[WORD_CHAR] && counts.n_numbers == 1;
	return b->type || c_error(p, b->span, "c-type", "these words are not a type of C");
}
