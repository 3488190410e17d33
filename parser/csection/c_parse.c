/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of C's type definitions, by recursive descent: declarations, attributes, constant
 * expressions. c_specifier.c reads types, c_declarator.c what is around a name, c_aggregate.c the
 * bodies of structs, unions and enums. After an error the parser continues after the next ';'
 * outside of brackets.
 */
#include "parser/csection/c_parse.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include <string.h>

const struct c_token *c_next(const struct c_parser *p)
{
	return &p->tokens[p->at];
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

bool c_error(struct c_parser *p, struct span span, const char *tag, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_error(p->diags, span, tag, "%s", arena_vprintf(p->arena, fmt, ap));
	va_end(ap);
	return false;
}

bool c_unexpected(struct c_parser *p, const char *what)
{
	const struct c_token *t = c_next(p);

	if (t->kind == CT_END)
		return c_error(p, t->span, "c-syntax", "expected %s at the end of this definition",
			       what);
	return c_error(p, t->span, "c-syntax", "expected %s, found '%.*s'", what,
		       (int)(t->len > 40 ? 40 : t->len), t->text);
}

bool c_expect(struct c_parser *p, int punct, const char *text)
{
	return c_take(p, punct) || c_unexpected(p, text);
}

bool c_enter(struct c_parser *p)
{
	if (p->depth == LIMIT_C_NESTING)
		return c_error(p, c_next(p)->span, "limit-nesting",
			       "nested too deeply: more than %d levels", LIMIT_C_NESTING);
	p->depth++;
	return true;
}

void c_leave(struct c_parser *p)
{
	p->depth--;
}

/* ---- constant expressions ---- */

/* Run `parse` at the expression's token. */
static bool at_token(struct c_eval *e, bool (*parse)(struct c_parser *p, const struct type **type),
		     const struct type **type)
{
	struct c_parser *p = e->ctx;
	bool is_right;

	p->at = e->at;
	is_right = c_enter(p) && parse(p, type);
	if (is_right)
		c_leave(p);
	e->at = p->at;
	e->is_wrong |= !is_right;
	return is_right;
}

static bool parenthesized_type(struct c_parser *p, const struct type **type)
{
	struct span s = c_next(p)->span;

	if (!c_expect(p, '(', "'('"))
		return false;
	if (!c_begins_type(p))
		return c_unexpected(p, "a type");
	return c_type_name(p, type) && c_complete(p, *type, s) && c_expect(p, ')', "')'");
}

static bool is_type(struct c_eval *e)
{
	struct c_parser *p = e->ctx;

	p->at = e->at;
	return c_begins_type(p);
}

static bool skip_type(struct c_eval *e, uint32_t *size, bool *is_unsigned)
{
	struct span s = e->tokens[e->at].span;
	const struct type *t;

	if (!at_token(e, c_type_name, &t))
		return false;
	if (t->kind != TY_INT && t->kind != TY_BOOL && t->kind != TY_POINTER) {
		e->is_wrong = true;
		return c_error(e->ctx, s, "c-expression", "only casts to integers are constant");
	}
	*size = t->size;
	*is_unsigned = !t->is_signed;
	return true;
}

static bool name_value(struct c_eval *e, struct c_value *out)
{
	struct c_parser *p = e->ctx;
	const struct c_token *t = &e->tokens[e->at];
	const struct c_constant *c;
	const struct c_macro *m;
	const struct type *type;

	if (c_token_is_word(t, "sizeof") || c_token_is_word(t, "_Alignof")) {
		e->at++;
		if (!at_token(e, parenthesized_type, &type))
			return false;
		*out = (struct c_value){c_token_is_word(t, "sizeof") ? type->size : c_align(type),
					true};
		return true;
	}
	c = c_types_constant(p->types, c_token_name(p->arena, t));
	if (c) {
		e->at++;
		*out = (struct c_value){(uint64_t)c->value, false};
		return true;
	}
	m = preprocess_find(p->pre, t->text, t->len);
	e->is_wrong = true;
	if (m && m->is_function)
		return c_error(p, t->span, "macro-call",
			       "%s is a macro with parameters: write %s(…)", m->name, m->name);
	if (m)
		return false; /* it refers to itself, which was reported */
	return c_error(p, t->span, "c-expression", "unknown constant '%.*s'",
		       (int)(t->len > 80 ? 80 : t->len), t->text);
}

bool c_constant(struct c_parser *p, int64_t *value, bool *is_unsigned)
{
	struct c_eval e = {.diags = p->diags,
			   .tokens = p->tokens,
			   .at = p->at,
			   .depth = p->depth,
			   .name = name_value,
			   .is_type = is_type,
			   .skip_type = skip_type,
			   .ctx = p};
	struct c_value v;
	bool is_right = c_evaluate(&e, &v);

	p->at = e.at;
	if (!is_right)
		return false;
	*value = (int64_t)v.bits;
	*is_unsigned = v.is_unsigned;
	return true;
}

/* ---- attributes ---- */

/* __packed__ is packed. */
static bool is_attribute(const struct c_token *t, const char *name, const char *with_underscores)
{
	return c_token_is_word(t, name) || c_token_is_word(t, with_underscores);
}

static bool read_aligned(struct c_parser *p, struct c_attributes *a)
{
	struct span s = c_next(p)->span;
	int64_t n = 16; /* the largest alignment that the processor needs */
	bool is_unsigned;

	if (c_take(p, '(') && (!c_constant(p, &n, &is_unsigned) || !c_expect(p, ')', "')'")))
		return false;
	if (n < 1 || n > LIMIT_C_ALIGN || (n & (n - 1)))
		return c_error(p, s, "c-type", "an alignment is a power of two up to %d",
			       LIMIT_C_ALIGN);
	a->align = (uint32_t)n > a->align ? (uint32_t)n : a->align;
	return true;
}

static bool skip_parentheses(struct c_parser *p)
{
	uint32_t depth = 1;

	for (; depth; p->at++) {
		if (c_next(p)->kind == CT_END)
			return c_unexpected(p, "')'");
		depth += c_token_is(c_next(p), '(');
		depth -= c_token_is(c_next(p), ')');
	}
	return true;
}

static bool read_attribute(struct c_parser *p, struct c_attributes *a)
{
	const struct c_token *t = c_next(p);

	if (t->kind != CT_NAME)
		return c_token_is(t, ',') || c_token_is(t, ')') || c_unexpected(p, "an attribute");
	p->at++;
	if (is_attribute(t, "packed", "__packed__"))
		a->is_packed = true;
	else if (is_attribute(t, "aligned", "__aligned__"))
		return read_aligned(p, a);
	else if (is_attribute(t, "mode", "__mode__") ||
		 is_attribute(t, "vector_size", "__vector_size__") ||
		 is_attribute(t, "ms_struct", "__ms_struct__") ||
		 is_attribute(t, "scalar_storage_order", "__scalar_storage_order__"))
		return c_error(p, t->span, "c-type", "the attribute %.*s is not supported",
			       (int)t->len, t->text);
	return !c_take(p, '(') || skip_parentheses(p);
}

bool c_attributes(struct c_parser *p, struct c_attributes *a)
{
	while (c_take_word(p, "__attribute__") || c_take_word(p, "__attribute")) {
		if (!c_expect(p, '(', "'(('") || !c_expect(p, '(', "'(('"))
			return false;
		do
			if (!read_attribute(p, a))
				return false;
		while (c_take(p, ','));
		if (!c_expect(p, ')', "'))'") || !c_expect(p, ')', "'))'"))
			return false;
	}
	return true;
}

/* ---- declarations ---- */

static const struct type *find_own(const struct c_types *c, const char *name)
{
	for (uint32_t i = 0; i < c->n_names; i++)
		if (c->names[i].is_own && c->names[i].kind == C_TYPEDEF &&
		    strcmp(c->names[i].name, name) == 0)
			return c->names[i].type;
	return NULL;
}

/* The type with the alignment that its typedef asks for. */
static bool align_typedef(struct c_parser *p, struct c_declared *d)
{
	struct type *aligned;

	if (!d->attributes.align)
		return true;
	if ((d->type->kind != TY_INT && d->type->kind != TY_POINTER) || d->attributes.align > 8)
		return c_error(p, d->span, "c-type",
			       "only integers and pointers can have an alignment here, up to 8");
	aligned = arena_new_of(p->arena, struct type);
	*aligned = *d->type;
	aligned->align = d->attributes.align;
	d->type = aligned;
	return true;
}

static bool add_typedef(struct c_parser *p, const struct c_declared *d)
{
	const struct type *old = find_own(p->types, d->name);
	struct type_layout *l = d->type->kind == TY_STRUCT ? d->type->layout : NULL;

	if (old && !type_equal(old, d->type))
		return c_error(p, d->span, "c-type", "%s is already defined as another type",
			       d->name);
	if (l && !l->tag && !l->alias)
		l->alias = d->name;
	if (!old)
		c_types_add(p->types, C_TYPEDEF, d->name, d->type);
	return true;
}

/* _Static_assert(VALUE); _Static_assert(VALUE, "text"); */
static bool read_assertion(struct c_parser *p)
{
	struct span s = c_next(p)->span;
	const struct c_token *text = NULL;
	bool is_unsigned;
	int64_t value;

	if (!c_expect(p, '(', "'('") || !c_constant(p, &value, &is_unsigned))
		return false;
	if (c_take(p, ',')) {
		text = c_next(p);
		if (text->kind != CT_STRING)
			return c_unexpected(p, "a text in double quotes");
		p->at++;
	}
	if (!c_expect(p, ')', "')'") || !c_expect(p, ';', "';'"))
		return false;
	if (value)
		return true;
	return c_error(p, s, "c-type", "this is false%s%.*s", text ? ": " : "",
		       text ? (int)text->len : 0, text ? text->text : "");
}

static bool read_declaration(struct c_parser *p)
{
	struct c_base base = {0};
	struct c_declared d;

	if (c_take_word(p, "_Static_assert") || c_take_word(p, "static_assert"))
		return read_assertion(p);
	if (!c_specifiers(p, &base))
		return false;
	if (c_take(p, ';'))
		return true;
	do {
		d = (struct c_declared){0};
		if (!c_declarator(p, &base, &d))
			return false;
		if (!d.name)
			return c_unexpected(p, base.is_typedef ? "a name" : "';'");
		if (!base.is_typedef)
			return c_error(
				p, d.span, "c-syntax",
				"only types can be defined here, not variables or functions");
		if (!align_typedef(p, &d) || !add_typedef(p, &d))
			return false;
	} while (c_take(p, ','));
	return c_expect(p, ';', "';'");
}

/* Skip past the next ';' outside of brackets, or past a function's body. */
static void recover(struct c_parser *p)
{
	bool is_function = false;
	uint32_t depth = 0;

	for (; c_next(p)->kind != CT_END; p->at++) {
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

static bool begins_code(const struct c_parser *p)
{
	static const char *const words[] = {"extern",	  "static",    "inline",  "__inline",
					    "__inline__", "_Noreturn", "__asm__", "asm"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (c_token_is_word(c_next(p), words[i]))
			return true;
	return false;
}

/* The name that the declaration of a function or variable declares; NULL: it has a body before it,
 * which may be that of a struct. */
static const struct c_token *declared_name(struct c_parser *p)
{
	const struct c_token *name = NULL;
	uint32_t before = p->at;

	for (; c_next(p)->kind != CT_END && !c_token_is(c_next(p), ';'); p->at++) {
		const struct c_token *t = c_next(p);

		if (c_token_is_word(t, "__attribute__") && c_token_is(t + 1, '(')) {
			p->at += 2;
			if (!skip_parentheses(p))
				break;
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

	if (!begins_code(p))
		return false;
	if (p->is_header)
		return true;
	name = declared_name(p);
	if (!name)
		return false;
	diag_warning(p->diags, name->span, "c-code",
		     "functions and variables of C are skipped: a script cannot use '%.*s'",
		     (int)name->len, name->text);
	diag_hint(p->diags, "write %s",
		  c_token_is(name + 1, '(')
			  ? "macro name(x) { … } or fn name($x : int64) : int64 { … }"
			  : "a #define, or a map, @name, which BEGIN sets");
	return true;
}

void c_parse(struct c_parser *p)
{
	while (c_next(p)->kind != CT_END) {
		uint32_t before = p->at;

		if (c_take(p, ';'))
			continue;
		p->depth = 0;
		if (is_skipped(p) || !read_declaration(p)) {
			p->at = before;
			recover(p);
		}
	}
}
