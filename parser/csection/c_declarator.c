/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What surrounds a name in a C declaration: '*', '[N]', parameters, parentheses. Inner parentheses
 * are read after what follows them, since that belongs to the type first: in int (*x)[4] the array
 * is what x points to.
 */
#include "parser/csection/c_parse.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"

/* Only pointers to functions are values. */
static const struct type type_function = {.kind = TY_VOID,
					  .size = 0,
					  .align = 1,
					  .name = "function"};

bool c_complete(struct c_parser *p, const struct type *t, struct span s)
{
	if (t == &type_function)
		return c_error(p, s, "c-type", "a function is not a value: use a pointer to it");
	if (t->kind == TY_VOID && !t->size)
		return c_error(p, s, "c-type", "this has the type void");
	if (t->kind == TY_ARRAY)
		return c_complete(p, t->to, s);
	if (t->kind == TY_STRUCT && !layout_complete(t))
		return c_error(p, s, "c-type",
			       "the size of %s is unknown: it is not defined before this",
			       type_str(p->arena, t));
	return true;
}

/* What a declarator is made of, besides its pointers. */
struct parts {
	const struct type *type;
	bool is_plain_char;
	bool is_flexible;
	struct span span;
};

static bool make_array(struct c_parser *p, struct parts *part, uint64_t n)
{
	uint64_t size;

	if (!c_complete(p, part->type, part->span))
		return false;
	if (__builtin_mul_overflow(n, (uint64_t)part->type->size, &size) || size > LIMIT_C_BYTES)
		return c_error(p, part->span, "limit-c-type", "a type can have at most %d bytes",
			       LIMIT_C_BYTES);
	part->type = part->is_plain_char && n ? type_string(p->arena, (uint32_t)n)
					      : type_array(p->arena, part->type, (uint32_t)n);
	part->is_plain_char = false;
	return true;
}

/* [N] from the left to the right; arrays are made from the right to the left. */
static bool read_array(struct c_parser *p, struct parts *part)
{
	bool is_unsigned = false, is_flexible, is_right;
	int64_t n = 0;

	part->span = c_next(p)->span;
	is_flexible = c_take(p, ']');
	if (!is_flexible && (!c_constant(p, &n, &is_unsigned) || !c_expect(p, ']', "']'")))
		return false;
	if (n < 0 && !is_unsigned)
		return c_error(p, part->span, "c-type", "an array cannot have %lld elements",
			       (long long)n);
	if (c_take(p, '[')) {
		struct span outer = part->span;

		if (!c_enter(p))
			return false;
		is_right = read_array(p, part);
		if (!is_right)
			return false;
		c_leave(p);
		if (part->is_flexible)
			return c_error(p, part->span, "c-type", "only the first [] can be empty");
		part->span = outer;
	}
	part->is_flexible = is_flexible;
	return make_array(p, part, (uint64_t)n);
}

/* Skip to the ')' of a '(' that was taken. */
static bool skip_to_close(struct c_parser *p)
{
	uint32_t depth = 1;

	for (;; p->at++) {
		const struct c_token *t = c_next(p);

		if (t->kind == CT_END || c_token_is(t, ';') || c_token_is(t, '{'))
			return c_unexpected(p, "')'");
		depth += c_token_is(t, '(');
		depth -= c_token_is(t, ')');
		if (!depth)
			break;
	}
	p->at++;
	return true;
}

/* What follows the name: an array, or the parameters of a function. */
static bool read_suffix(struct c_parser *p, struct parts *part)
{
	if (c_take(p, '['))
		return read_array(p, part);
	if (!c_take(p, '('))
		return true;
	part->type = &type_function;
	return skip_to_close(p);
}

static void take_pointers(struct c_parser *p, struct parts *part)
{
	static const char *const qualifiers[] = {"const",  "volatile", "restrict", "__restrict",
						 "__user", "__rcu",    "__percpu"};

	while (c_take(p, '*')) {
		part->type = type_pointer(p->arena, part->type, SPACE_NONE);
		part->is_plain_char = false;
		for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++)
			if (c_take_word(p, qualifiers[i]))
				i = (size_t)-1; /* again from the first */
	}
}

static bool read_declarator(struct c_parser *p, struct parts *part, struct c_declared *out);

/* The '(' of an inner declarator was taken. */
static bool read_inner(struct c_parser *p, struct parts *part, struct c_declared *out)
{
	uint32_t inside = p->at, after;

	if (!skip_to_close(p) || !read_suffix(p, part))
		return false;
	after = p->at;
	p->at = inside;
	if (!read_declarator(p, part, out) || !c_expect(p, ')', "')'"))
		return false;
	p->at = after;
	return true;
}

static bool is_inner(const struct c_parser *p)
{
	const struct c_token *t = c_next(p);

	return c_token_is(t, '(') && (c_token_is(t + 1, '*') || c_token_is(t + 1, '(') ||
				      c_token_is(t + 1, '^') || t[1].kind == CT_NAME);
}

static bool read_declarator(struct c_parser *p, struct parts *part, struct c_declared *out)
{
	bool is_right;

	if (!c_enter(p))
		return false;
	take_pointers(p, part);
	if (!c_attributes(p, &out->attributes))
		return false;
	if (is_inner(p)) {
		p->at++;
		is_right = read_inner(p, part, out);
	} else {
		out->span = c_next(p)->span;
		if (c_next(p)->kind == CT_NAME) {
			out->name = c_token_name(p->arena, c_next(p));
			p->at++;
		}
		is_right = read_suffix(p, part);
	}
	if (is_right)
		c_leave(p);
	return is_right;
}

bool c_declarator(struct c_parser *p, const struct c_base *base, struct c_declared *out)
{
	struct parts part = {.type = base->type,
			     .is_plain_char = base->is_plain_char,
			     .span = base->span};

	out->attributes = base->attributes;
	out->span = c_next(p)->span;
	if (!read_declarator(p, &part, out) || !c_attributes(p, &out->attributes))
		return false;
	out->type = part.type;
	out->is_flexible = part.is_flexible;
	return true;
}

bool c_type_name(struct c_parser *p, const struct type **type)
{
	struct c_base base = {0};
	struct c_declared d = {0};

	if (!c_specifiers(p, &base) || !c_declarator(p, &base, &d))
		return false;
	if (d.name)
		return c_error(p, d.span, "c-syntax", "expected a type, found the name %s", d.name);
	*type = d.type;
	return true;
}
