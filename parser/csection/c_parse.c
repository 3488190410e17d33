/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of C's type definitions, by recursive descent: declarations, attributes.
 * c_specifier.c reads types, c_declarator.c what is around a name, c_aggregate.c the bodies of
 * structs, unions and enums, c_expr.c expressions. After an error the parser continues after the
 * next ';' outside of brackets.
 */
#include "parser/csection/c_parse.h"

const struct c_token *c_next(const struct c_parser *p)
{
	static const struct c_token end = {.kind = CT_END};

	return p->is_wrong ? &end : &p->tokens[p->at];
}

bool c_take(struct c_parser *p, int punct)
{
	if (!c_token_is(c_next(p), punct))
		return false;
	p->at++;
	return true;
}

bool c_take_word(struct c_parser *p, const char *word)
{
	if (!c_token_is_word(c_next(p), word))
		return false;
	p->at++;
	return true;
}

const char *c_take_name(struct c_parser *p)
{
	const struct c_token *t = c_next(p);

	if (t->kind != CT_NAME)
		return NULL;
	p->at++;
	return c_token_name(p->arena, t);
}

void c_error(struct c_parser *p, struct span span, const char *tag, const char *fmt, ...)
{
	va_list ap;

	if (p->is_wrong)
		return;
	va_start(ap, fmt);
	diag_error(p->diags, span, tag, "%s", arena_vprintf(p->arena, fmt, ap));
	va_end(ap);
	p->is_wrong = true;
}

void c_unexpected(struct c_parser *p, const char *tag, const char *what)
{
	const struct c_token *t = c_next(p);

	if (t->kind == CT_END)
		c_error(p, t->span, tag, "expected %s%s", what,
			p->types ? " at the end of this definition" : "");
	else
		c_error(p, t->span, tag, "expected %s, found '%.*s'", what,
			(int)(t->len > 40 ? 40 : t->len), t->text);
}

void c_expect(struct c_parser *p, int punct, const char *text)
{
	if (!c_take(p, punct))
		c_unexpected(p, "c-syntax", text);
}

void c_enter(struct c_parser *p)
{
	if (p->depth++ >= LIMIT_C_NESTING)
		c_error(p, c_next(p)->span, "limit-nesting",
			"nested too deeply: more than %d levels", LIMIT_C_NESTING);
}

void c_leave(struct c_parser *p)
{
	p->depth--;
}

void c_skip(struct c_parser *p, int open)
{
	int close = open == '(' ? ')' : '}';

	for (uint32_t depth = 1; depth; p->at++) {
		const struct c_token *t = c_next(p);

		if (t->kind == CT_END ||
		    (open == '(' && (c_token_is(t, ';') || c_token_is(t, '{')))) {
			c_unexpected(p, "c-syntax", open == '(' ? "')'" : "'}'");
			return;
		}
		depth += c_token_is(t, open);
		depth -= c_token_is(t, close);
	}
}

/* ---- attributes ---- */

/* __packed__ is packed. */
static bool is_attribute(const struct c_token *t, const char *name)
{
	uint32_t n = (uint32_t)strlen(name);

	return c_token_is_word(t, name) || (t->len == n + 4 && memcmp(t->text, "__", 2) == 0 &&
					    memcmp(t->text + 2, name, n) == 0);
}

static void read_aligned(struct c_parser *p, struct c_attributes *a)
{
	struct span s = c_next(p)->span;
	uint64_t n = 16; /* the largest alignment that the processor needs */

	if (c_take(p, '(')) {
		n = c_evaluate(p).bits;
		c_expect(p, ')', "')'");
	}
	if (n < 1 || n > LIMIT_C_ALIGN || (n & (n - 1)))
		c_error(p, s, "c-type", "an alignment is a power of two up to %d", LIMIT_C_ALIGN);
	else if (n > a->align)
		a->align = (uint32_t)n;
}

static void read_attribute(struct c_parser *p, struct c_attributes *a)
{
	static const char *const refused[] = {"mode", "vector_size", "ms_struct",
					      "scalar_storage_order"};
	const struct c_token *t = c_next(p);

	if (t->kind != CT_NAME) {
		if (!c_token_is(t, ',') && !c_token_is(t, ')'))
			c_unexpected(p, "c-syntax", "an attribute");
		return;
	}
	p->at++;
	if (is_attribute(t, "aligned")) {
		read_aligned(p, a);
		return;
	}
	a->is_packed |= is_attribute(t, "packed");
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (is_attribute(t, refused[i]))
			c_error(p, t->span, "c-type", "the attribute %.*s is not supported",
				(int)t->len, t->text);
	if (c_take(p, '('))
		c_skip(p, '(');
}

void c_attributes(struct c_parser *p, struct c_attributes *a)
{
	while (c_take_word(p, "__attribute__") || c_take_word(p, "__attribute")) {
		c_expect(p, '(', "'(('");
		c_expect(p, '(', "'(('");
		do
			read_attribute(p, a);
		while (c_take(p, ','));
		c_expect(p, ')', "'))'");
		c_expect(p, ')', "'))'");
	}
}

/* ---- declarations ---- */

/* The type with the alignment that its typedef asks for. */
static const struct type *align_typedef(struct c_parser *p, const struct c_declared *d)
{
	struct type *aligned;

	if (!d->attributes.align)
		return d->type;
	if ((d->type->kind != TY_INT && d->type->kind != TY_POINTER) || d->attributes.align > 8)
		c_error(p, d->span, "c-type",
			"only integers and pointers can have an alignment here, up to 8");
	aligned = arena_new_of(p->arena, struct type);
	*aligned = *d->type;
	aligned->align = d->attributes.align;
	return aligned;
}

static void add_typedef(struct c_parser *p, const struct c_declared *d)
{
	const struct type *type = align_typedef(p, d);
	const struct type *old = c_types_own(p->types, C_TYPEDEF, d->name);
	struct type_layout *l = type->kind == TY_STRUCT ? type->layout : NULL;

	if (old && !type_equal(old, type))
		c_error(p, d->span, "c-type", "%s is already defined as another type", d->name);
	if (p->is_wrong)
		return;
	if (l && !l->tag && !l->alias)
		l->alias = d->name;
	if (!old)
		c_types_add(p->types, C_TYPEDEF, d->name, type);
}

/* _Static_assert(VALUE); _Static_assert(VALUE, "text"); */
static void read_assertion(struct c_parser *p)
{
	struct span s = c_next(p)->span;
	const struct c_token *text = NULL;
	uint64_t value;

	c_expect(p, '(', "'('");
	value = c_evaluate(p).bits;
	if (c_take(p, ',')) {
		text = c_next(p);
		if (text->kind != CT_STRING)
			c_unexpected(p, "c-syntax", "a text in double quotes");
		p->at++;
	}
	c_expect(p, ')', "')'");
	c_expect(p, ';', "';'");
	if (value)
		return;
	c_error(p, s, "c-type", "this is false%s%.*s", text ? ": " : "", text ? (int)text->len : 0,
		text ? text->text : "");
	diag_hint(p->diags, "%s", "");
}

static void read_declaration(struct c_parser *p)
{
	struct c_declared base, d;

	if (c_take_word(p, "_Static_assert") || c_take_word(p, "static_assert")) {
		read_assertion(p);
		return;
	}
	base = c_specifiers(p);
	if (c_take(p, ';'))
		return;
	do {
		d = c_declarator(p, &base);
		if (!d.name)
			c_unexpected(p, "c-syntax", base.is_typedef ? "a name" : "';'");
		else if (!base.is_typedef)
			c_error(p, d.span, "c-syntax",
				"only types can be defined here, not variables or functions");
		else
			add_typedef(p, &d);
	} while (c_take(p, ','));
	c_expect(p, ';', "';'");
}

/* Skip past the next ';' outside of brackets, or past a function's body, from token `at` on. */
static void recover(struct c_parser *p, uint32_t at)
{
	bool is_function = false;
	uint32_t depth = 0;

	p->is_wrong = false;
	for (p->at = at; c_next(p)->kind != CT_END; p->at++) {
		const struct c_token *t = c_next(p);
		bool ends = c_token_is(t, '}') && depth == 1 && is_function;

		if ((c_token_is(t, ';') && !depth) || ends) {
			p->at++;
			return;
		}
		if (c_token_is(t, '{') && !depth)
			is_function = p->at && c_token_is(t - 1, ')');
		depth += c_token_is(t, '{');
		depth -= c_token_is(t, '}') && depth;
	}
}

/* The name that the declaration of a function or variable declares; NULL: it has a body before it,
 * which may be that of a struct. */
static const struct c_token *declared_name(struct c_parser *p)
{
	const struct c_token *name = NULL, *t;
	uint32_t before = p->at;

	for (; (t = c_next(p))->kind != CT_END && !c_token_is(t, ';'); p->at++) {
		if (c_token_is_word(t, "__attribute__") && c_token_is(t + 1, '(')) {
			p->at += 2;
			c_skip(p, '(');
			p->at--;
			continue;
		}
		if (c_token_is(t, '{'))
			name = NULL;
		if (c_token_is(t, '{') || c_token_is(t, '(') || c_token_is(t, '=') ||
		    c_token_is(t, '['))
			break;
		if (t->kind == CT_NAME)
			name = t;
	}
	p->at = before;
	return name;
}

/* Functions and variables, which a script cannot use. Those of headers are skipped in silence. */
static bool is_skipped(struct c_parser *p)
{
	const struct c_token *name;

	if (!c_is_storage(p))
		return false;
	if (p->is_header)
		return true;
	name = declared_name(p);
	if (!name)
		return false;
	diag_warning(p->diags, name->span, "c-code",
		     "functions and variables of C are skipped: a script cannot use '%.*s'",
		     (int)name->len, name->text);
	return diag_hint(p->diags, "write %s",
			 c_token_is(name + 1, '(')
				 ? "macro name(x) { … } or fn name($x : int64) : int64 { … }"
				 : "a #define, or a map, @name, which BEGIN sets"),
	       true;
}

void c_parse(struct c_parser *p)
{
	while (c_next(p)->kind != CT_END) {
		uint32_t before = p->at;

		if (c_take(p, ';'))
			continue;
		p->is_wrong = is_skipped(p);
		if (!p->is_wrong)
			read_declaration(p);
		if (p->is_wrong)
			recover(p, before);
	}
}
