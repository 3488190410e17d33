/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What surrounds a name in a C declaration: '*', '[N]', parameters, parentheses. Inner parentheses
 * are read after what follows them, since that belongs to the type first: in int (*x)[4] the array
 * is what x points to.
 */
#include "parser/csection/c_parse.h"

/* Only pointers to functions are values. */
static const struct type type_function = {.kind = TY_VOID,
					  .size = 0,
					  .align = 1,
					  .name = "function"};

void c_complete(struct c_parser *p, const struct type *t, struct span s)
{
	while (t->kind == TY_ARRAY)
		t = t->to;
	if (t == &type_function)
		c_error(p, s, "c-type", "a function is not a value: use a pointer to it");
	else if (t->kind == TY_VOID && !t->size)
		c_error(p, s, "c-type", "this has the type void");
	else if (t->kind == TY_STRUCT && !layout_complete(t))
		c_error(p, s, "c-type", "the size of %s is unknown: it is not defined before this",
			type_str(p->arena, t));
}

/* [N] from the left to the right, after a '['; arrays are made from the right to the left. */
static void read_array(struct c_parser *p, struct c_declared *d, bool is_first)
{
	struct span s = c_next(p)->span;
	bool is_flexible = c_take(p, ']');
	struct c_value n = {0};
	uint64_t size;

	if (!is_flexible) {
		n = c_evaluate(p);
		c_expect(p, ']', "']'");
	} else if (!is_first) {
		c_error(p, s, "c-type", "only the first [] can be empty");
	}
	if ((int64_t)n.bits < 0 && !n.is_unsigned)
		c_error(p, s, "c-type", "an array cannot have %lld elements", (long long)n.bits);
	if (c_take(p, '[')) {
		c_enter(p);
		read_array(p, d, false);
		c_leave(p);
	}
	c_complete(p, d->type, s);
	if (__builtin_mul_overflow(n.bits, (uint64_t)d->type->size, &size) || size > LIMIT_C_BYTES)
		c_error(p, s, "limit-c-type", "a type can have at most %d bytes", LIMIT_C_BYTES);
	d->is_flexible = is_flexible;
	d->type = d->is_plain_char && n.bits ? type_chars(p->arena, (uint32_t)n.bits)
					     : type_array(p->arena, d->type, (uint32_t)n.bits);
	d->is_plain_char = false;
}

/* What follows the name: an array, or the parameters of a function. */
static void read_suffix(struct c_parser *p, struct c_declared *d)
{
	if (c_take(p, '[')) {
		read_array(p, d, true);
	} else if (c_take(p, '(')) {
		d->type = &type_function;
		c_skip(p, '(');
	}
}

static bool is_inner(const struct c_parser *p)
{
	const struct c_token *t = c_next(p);

	return c_token_is(t, '(') && (c_token_is(t + 1, '*') || c_token_is(t + 1, '(') ||
				      c_token_is(t + 1, '^') || t[1].kind == CT_NAME);
}

static void read_declarator(struct c_parser *p, struct c_declared *d)
{
	uint32_t inside, after;

	c_enter(p);
	while (c_take(p, '*')) {
		d->type = type_pointer(p->arena, d->type, SPACE_NONE);
		d->is_plain_char = false;
		while (c_is_qualifier(p))
			p->at++;
	}
	c_attributes(p, &d->attributes);
	if (is_inner(p)) {
		inside = ++p->at;
		c_skip(p, '(');
		read_suffix(p, d);
		after = p->at;
		p->at = inside;
		read_declarator(p, d);
		c_expect(p, ')', "')'");
		p->at = after;
	} else {
		d->span = c_next(p)->span;
		d->name = c_take_name(p);
		read_suffix(p, d);
	}
	c_leave(p);
}

struct c_declared c_declarator(struct c_parser *p, const struct c_declared *base)
{
	struct c_declared d = *base;

	read_declarator(p, &d);
	c_attributes(p, &d.attributes);
	return d;
}

const struct type *c_type_name(struct c_parser *p)
{
	struct c_declared d = c_specifiers(p);

	d = c_declarator(p, &d);
	if (d.name)
		c_error(p, d.span, "c-syntax", "expected a type, found the name %s", d.name);
	return d.type;
}
