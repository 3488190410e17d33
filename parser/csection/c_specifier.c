/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words before the names of a C declaration: integer types in any order of their words, typedef
 * names, struct, union and enum, qualifiers. Typedefs that a script uses without defining them come
 * from the kernel.
 */
#include "parser/csection/c_parse.h"

static const struct type type_int128 = {.kind = TY_VOID,
					.size = 16,
					.align = 16,
					.name = "__int128"};

enum word {
	WORD_NONE,
	WORD_TYPEDEF,
	WORD_STORAGE,
	WORD_STRUCT,
	WORD_UNION,
	WORD_ENUM,
	WORD_TYPE,
};

static const struct word_row {
	const char *text;
	enum word word;
	const struct type *type;
} words[] = {
	{"typedef", WORD_TYPEDEF, NULL},     {"extern", WORD_STORAGE, NULL},
	{"static", WORD_STORAGE, NULL},	     {"inline", WORD_STORAGE, NULL},
	{"__inline", WORD_STORAGE, NULL},    {"__inline__", WORD_STORAGE, NULL},
	{"_Noreturn", WORD_STORAGE, NULL},   {"__asm__", WORD_STORAGE, NULL},
	{"asm", WORD_STORAGE, NULL},	     {"struct", WORD_STRUCT, NULL},
	{"union", WORD_UNION, NULL},	     {"enum", WORD_ENUM, NULL},
	{"void", WORD_TYPE, &type_void},     {"_Bool", WORD_TYPE, &type_bool},
	{"bool", WORD_TYPE, &type_bool},     {"float", WORD_TYPE, &type_float},
	{"double", WORD_TYPE, &type_double}, {"__int128", WORD_TYPE, &type_int128},
};

/* The words of a type other than struct, union, enum and typedef names. */
struct basic {
	struct c_number number;
	const struct type *type;
	uint32_t n_types;
};

static const struct word_row *find_row(const struct c_parser *p)
{
	static const struct word_row none;

	return TEXT_ROW(words, text, c_next(p)->text, c_next(p)->len) ?: &none;
}

bool c_is_qualifier(const struct c_parser *p)
{
	return c_next(p)->kind == CT_NAME && c_types_is_qualifier(c_next(p)->text, c_next(p)->len);
}

bool c_is_storage(const struct c_parser *p)
{
	return find_row(p)->word == WORD_STORAGE;
}

static bool is_number(const struct c_parser *p, struct c_number *n)
{
	return c_next(p)->kind == CT_NAME && c_number_add(n, c_next(p)->text, c_next(p)->len);
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
	return find_row(p)->word != WORD_NONE || c_is_qualifier(p) ||
	       is_number(p, &(struct c_number){0}) || c_token_is_word(c_next(p), "__attribute__") ||
	       find_typedef(p);
}

/* The type that the words mean together; NULL: none. */
static const struct type *basic_type(const struct basic *b)
{
	const struct c_number *n = &b->number;

	if (!b->n_types)
		return c_number_type(n);
	if (b->n_types > 1)
		return NULL;
	if (b->type == &type_double && n->longs == 1 && n->words == 1)
		return &type_long_double;
	if (n->words > (b->type == &type_int128) || n->words > n->signs)
		return NULL;
	return b->type;
}

/* struct, union, enum, or a word that cannot be here. */
static void take_tagged(struct c_parser *p, struct c_declared *d, const struct basic *basic)
{
	enum word word = find_row(p)->word;
	const struct c_token *t = c_next(p);

	if (word == WORD_STORAGE)
		c_error(p, t->span, "c-syntax",
			"'%.*s': only types can be defined here, not variables or functions",
			(int)t->len, t->text);
	else if (d->type || basic->n_types || basic->number.words)
		c_error(p, t->span, "c-syntax", "unexpected type: is a ';' missing before it?");
	p->at++;
	c_enter(p);
	d->type = word == WORD_ENUM ? c_enumeration(p) : c_aggregate(p, word == WORD_UNION);
	c_leave(p);
}

/* False: the next token does not belong to the type. */
static bool take_word(struct c_parser *p, struct c_declared *d, struct basic *basic)
{
	const struct word_row *row = find_row(p);
	struct span s = c_next(p)->span;
	bool is_basic = row->word == WORD_TYPE || is_number(p, &basic->number);

	if (c_token_is_word(c_next(p), "__attribute__")) {
		c_attributes(p, &d->attributes);
		return true;
	}
	if (is_basic && d->type)
		c_error(p, s, "c-syntax", "unexpected type: is a ';' missing before it?");
	if (row->type)
		basic->type = row->type;
	basic->n_types += row->word == WORD_TYPE;
	d->is_typedef |= row->word == WORD_TYPEDEF;
	if (is_basic || row->word == WORD_TYPEDEF || c_is_qualifier(p)) {
		p->at++;
	} else if (row->word != WORD_NONE) {
		take_tagged(p, d, basic);
	} else {
		if (d->type || basic->n_types || basic->number.words ||
		    !(d->type = find_typedef(p)))
			return false;
		p->at++;
	}
	return !p->is_wrong;
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
	struct basic basic = {0};

	while (take_word(p, &d, &basic))
		;
	d.span = span_join(d.span, p->tokens[p->at ? p->at - 1 : 0].span);
	if (!d.type && !basic.n_types && !basic.number.words) {
		unknown_type(p);
	} else if (!d.type) {
		d.type = basic_type(&basic);
		d.is_plain_char = basic.number.size == 1 && basic.number.words == 1;
		if (!d.type)
			c_error(p, d.span, "c-type", "these words are not a type of C");
	}
	if (!d.type)
		d.type = &type_void;
	return d;
}
