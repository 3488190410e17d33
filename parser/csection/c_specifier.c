/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words before the names of a C declaration: integer types in any order of their words, typedef
 * names, struct, union and enum, qualifiers. Typedefs that a script uses without defining them come
 * from the kernel.
 */
#include "parser/csection/c_parse.h"
#include "parser/base/arena.h"

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
	WORD_NONE,
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
	{"__inline", WORD_STORAGE},
	{"__inline__", WORD_STORAGE},
	{"_Noreturn", WORD_STORAGE},
	{"__asm__", WORD_STORAGE},
	{"asm", WORD_STORAGE},
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

static enum word next_word(const struct c_parser *p)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (c_token_is_word(c_next(p), words[i].text))
			return words[i].word;
	return WORD_NONE;
}

bool c_is_qualifier(const struct c_parser *p)
{
	return next_word(p) == WORD_QUALIFIER;
}

bool c_is_storage(const struct c_parser *p)
{
	return next_word(p) == WORD_STORAGE;
}

/* The typedef that the next token names, or NULL. */
static const struct type *find_typedef(struct c_parser *p)
{
	const struct c_token *t = c_next(p);

	return t->kind == CT_NAME ? c_types_find(p->types, C_TYPEDEF, c_token_name(p->arena, t))
				  : NULL;
}

bool c_begins_type(struct c_parser *p)
{
	return next_word(p) != WORD_NONE || c_token_is_word(c_next(p), "__attribute__") ||
	       find_typedef(p);
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

/* False: the word ends the type, or is an error. */
static bool take_word(struct c_parser *p, struct c_declared *d, struct counts *counts)
{
	enum word word = next_word(p);
	const struct c_token *t = c_next(p);

	if (c_token_is_word(t, "__attribute__")) {
		c_attributes(p, &d->attributes);
		return true;
	}
	if (word == WORD_NONE) {
		if (d->type || counts->n_numbers || !(d->type = find_typedef(p)))
			return false;
	} else if (word == WORD_STORAGE) {
		c_error(p, t->span, "c-syntax",
			"'%.*s': only types can be defined here, not variables or functions",
			(int)t->len, t->text);
	} else if (word >= WORD_STRUCT && (d->type || (counts->n_numbers && word < WORD_VOID))) {
		c_error(p, t->span, "c-syntax", "a second type: a ';' is missing before it");
	}
	p->at++;
	if (word == WORD_STRUCT || word == WORD_UNION || word == WORD_ENUM) {
		c_enter(p);
		d->type = word == WORD_ENUM ? c_enumeration(p) : c_aggregate(p, word == WORD_UNION);
		c_leave(p);
	} else if (word != WORD_NONE) {
		d->is_typedef |= word == WORD_TYPEDEF;
		counts->n[word]++;
		counts->n_numbers += word >= WORD_VOID;
	}
	return true;
}

static void unknown_type(struct c_parser *p)
{
	const struct c_token *t = c_next(p);
	const struct c_macro *m =
		t->kind == CT_NAME ? preprocess_find(p->pre, t->text, t->len) : NULL;

	if (t->kind != CT_NAME)
		c_unexpected(p, "c-syntax", "a type");
	else if (m && m->is_function)
		c_error(p, t->span, "macro-call", "%s is a macro with parameters: write %s(…)",
			m->name, m->name);
	else if (m)
		p->is_wrong = true; /* it refers to itself, which was reported */
	else
		c_error(p, t->span, "c-type", "unknown type '%.*s'",
			(int)(t->len > 80 ? 80 : t->len), t->text);
}

struct c_declared c_specifiers(struct c_parser *p)
{
	struct c_declared d = {.span = c_next(p)->span};
	struct counts counts = {0};

	while (take_word(p, &d, &counts))
		;
	d.span = span_join(d.span, p->tokens[p->at ? p->at - 1 : 0].span);
	if (!d.type && !counts.n_numbers) {
		unknown_type(p);
	} else if (!d.type) {
		d.type = number_type(p, counts.n);
		d.is_plain_char = counts.n[WORD_CHAR] && counts.n_numbers == 1;
		if (!d.type)
			c_error(p, d.span, "c-type", "these words are not a type of C");
	}
	if (!d.type)
		d.type = &type_void;
	return d;
}
