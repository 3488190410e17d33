/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bodies of structs, unions and enums. Members are placed by layout_add() as the compilers of
 * x86-64 and arm64 do.
 */
#include "parser/csection/c_parse.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include <string.h>

static const char *take_tag(struct c_parser *p, struct span *s)
{
	const struct c_token *t = c_next(p);

	*s = t->span;
	if (t->kind != CT_NAME)
		return NULL;
	p->at++;
	return c_token_name(p->arena, t);
}

/* ---- struct, union ---- */

struct body {
	struct type_layout *layout;
	bool has_flexible;
};

static bool has_member(const struct type_layout *l, const char *name)
{
	for (uint32_t i = 0; i < l->n_members; i++)
		if (l->members[i].name && strcmp(l->members[i].name, name) == 0)
			return true;
	return false;
}

/* The width of a bit-field after ':'. */
static bool read_width(struct c_parser *p, const struct c_declared *d, int64_t *bits)
{
	struct span s = c_next(p)->span;
	bool is_unsigned;

	if (!c_constant(p, bits, &is_unsigned))
		return false;
	if (d->type->kind != TY_INT && d->type->kind != TY_BOOL)
		return c_error(p, s, "c-type", "only integers can be bit-fields");
	if (*bits < 0 || *bits > (d->type->kind == TY_BOOL ? 1 : d->type->size * 8))
		return c_error(p, s, "c-type", "a bit-field of %s can have at most %u bits",
			       type_str(p->arena, d->type),
			       d->type->kind == TY_BOOL ? 1 : d->type->size * 8);
	if (*bits == 0 && d->name)
		return c_error(p, s, "c-type", "a bit-field with a name must have at least 1 bit");
	return true;
}

static bool check_member(struct c_parser *p, const struct body *b, const struct c_declared *d)
{
	const struct type_layout *l = b->layout;

	if (b->has_flexible && !l->is_union)
		return c_error(p, d->span, "c-type", "nothing can follow an array without a size");
	if (d->name && has_member(l, d->name))
		return c_error(p, d->span, "c-type", "a second member '%s'", d->name);
	if (!c_complete(p, d->type, d->span))
		return false;
	if (l->n_members == LIMIT_C_MEMBERS)
		return c_error(p, d->span, "limit-c-type", "a type can have at most %d members",
			       LIMIT_C_MEMBERS);
	if ((uint64_t)l->type.size + d->type->size + LIMIT_C_ALIGN > LIMIT_C_BYTES)
		return c_error(p, d->span, "limit-c-type", "a type can have at most %d bytes",
			       LIMIT_C_BYTES);
	return true;
}

static bool read_member(struct c_parser *p, struct body *b, const struct c_base *base)
{
	struct c_declared d = {0};
	int64_t bits = -1;

	if (!c_declarator(p, base, &d) || (c_take(p, ':') && !read_width(p, &d, &bits)) ||
	    !c_attributes(p, &d.attributes))
		return false;
	if (!d.name && bits < 0)
		return c_unexpected(p, "a member's name");
	if (!check_member(p, b, &d))
		return false;
	if (bits >= 0 && d.attributes.align)
		return c_error(p, d.span, "c-type", "an aligned bit-field is not supported");
	layout_add_as(p->arena, b->layout, d.name, d.type, (int)bits, d.attributes.is_packed,
		      d.attributes.align);
	b->has_flexible |= d.is_flexible;
	return true;
}

/* The ';' after the last members of a body may be missing, as C compilers allow. */
static bool end_of_members(struct c_parser *p)
{
	return c_token_is(c_next(p), '}') || c_expect(p, ';', "';'");
}

/* One declaration in a body, up to its ';'. */
static bool read_members(struct c_parser *p, struct body *b)
{
	struct c_base base = {0};
	struct c_declared unnamed = {0};

	if (!c_specifiers(p, &base))
		return false;
	if (base.is_typedef)
		return c_error(p, base.span, "c-syntax", "a typedef cannot be a member");
	if (c_token_is(c_next(p), ';')) {
		unnamed.span = base.span;
		unnamed.type = base.type;
		/* struct tag; in a struct declares nothing that a script could need */
		if (base.type->kind == TY_STRUCT && !base.type->layout->tag) {
			if (!check_member(p, b, &unnamed))
				return false;
			layout_add(p->arena, b->layout, NULL, base.type, -1);
		}
		return end_of_members(p);
	}
	do
		if (!read_member(p, b, &base))
			return false;
	while (c_take(p, ','));
	return end_of_members(p);
}

static bool read_body(struct c_parser *p, struct body *b)
{
	while (!c_take(p, '}'))
		if (!c_take(p, ';') && !read_members(p, b))
			return false;
	return true;
}

/* The attributes of a struct may follow its body. They are read first, because they decide where
 * members are. */
static bool attributes_after_body(struct c_parser *p, struct c_attributes *a)
{
	uint32_t start = p->at, depth = 1;
	bool is_right;

	for (; depth; p->at++) {
		if (c_next(p)->kind == CT_END)
			return c_unexpected(p, "'}'");
		depth += c_token_is(c_next(p), '{');
		depth -= c_token_is(c_next(p), '}');
	}
	is_right = c_attributes(p, a);
	p->at = start;
	return is_right;
}

static bool define(struct c_parser *p, struct type_layout *l, struct c_attributes *a)
{
	struct body b = {.layout = l};
	uint32_t depth = p->depth;

	if (!attributes_after_body(p, a))
		return false;
	l->complete = NULL;
	l->is_packed = a->is_packed;
	if (!read_body(p, &b)) {
		l->n_members = 0;
		if (!p->is_header)
			layout_finish(l); /* defined, so that its uses cause no further errors */
		return false;
	}
	p->depth = depth;
	if (a->align > l->align)
		l->align = a->align;
	layout_finish(l);
	return true;
}

bool c_aggregate(struct c_parser *p, bool is_union, struct c_base *base)
{
	struct c_attributes a = {0};
	struct type_layout *l;
	const char *tag;
	struct span s;

	if (!c_attributes(p, &a))
		return false;
	tag = take_tag(p, &s);
	if (!tag && !c_token_is(c_next(p), '{'))
		return c_unexpected(p, "a name or '{'");
	l = tag ? c_types_tag(p->types, is_union, tag) : layout_new(p->arena, is_union, NULL);
	base->type = &l->type;
	if (!c_take(p, '{'))
		return true;
	if (l->is_complete || l->n_members)
		return c_error(p, s, "c-type", "%s is already defined, or was used before this",
			       layout_str(p->arena, l));
	return define(p, l, &a) && c_attributes(p, &a);
}

/* ---- enum ---- */

struct range {
	bool is_negative;
	bool is_wide; /* more than 32 bits */
};

static bool read_enumerator(struct c_parser *p, struct type_enum *e, int64_t *value,
			    struct range *r)
{
	const struct c_token *t = c_next(p);
	const char *name = c_token_name(p->arena, t);
	bool is_unsigned = false;

	if (t->kind != CT_NAME)
		return c_unexpected(p, "the name of a constant");
	p->at++;
	if (!c_attributes(p, &(struct c_attributes){0}))
		return false;
	if (c_take(p, '=') && !c_constant(p, value, &is_unsigned))
		return false;
	if (!c_types_add_constant(p->types, name, &e->type, *value))
		return c_error(p, t->span, "c-type", "the constant %s is already defined", name);
	enum_add(p->arena, e, name, *value);
	r->is_negative |= *value < 0 && !is_unsigned;
	r->is_wide |= is_unsigned ? (uint64_t)*value > UINT32_MAX
				  : *value > (int64_t)UINT32_MAX || *value < INT32_MIN;
	*value = (int64_t)((uint64_t)*value + 1);
	return true;
}

static bool read_enumerators(struct c_parser *p, struct type_enum *e, bool is_packed)
{
	struct range r = {0};
	int64_t value = 0, least = 0, most = 0;
	uint32_t size;

	while (!c_token_is(c_next(p), '}')) {
		if (!read_enumerator(p, e, &value, &r))
			return false;
		if (!c_take(p, ',') && !c_token_is(c_next(p), '}'))
			return c_unexpected(p, "',' or '}'");
	}
	for (uint32_t i = 0; i < e->n_values; i++) {
		least = e->values[i].value < least ? e->values[i].value : least;
		most = e->values[i].value > most ? e->values[i].value : most;
	}
	r.is_wide |= r.is_negative && most > INT32_MAX;
	size = r.is_wide ? 8 : 4;
	if (is_packed && !r.is_wide)
		size = r.is_negative	    ? (least >= INT8_MIN && most <= INT8_MAX	 ? 1
					       : least >= INT16_MIN && most <= INT16_MAX ? 2
											 : 4)
		       : most <= UINT8_MAX  ? 1
		       : most <= UINT16_MAX ? 2
					    : 4;
	e->type = *type_int(size, r.is_negative);
	e->type.enumeration = e;
	e->wide = *type_int(8, r.is_negative);
	e->wide.enumeration = e;
	return c_expect(p, '}', "'}'");
}

bool c_enumeration(struct c_parser *p, struct c_base *base)
{
	struct c_attributes a = {0};
	struct type_enum *e;
	const char *tag;
	struct span s;
	uint32_t body;

	if (!c_attributes(p, &a))
		return false;
	tag = take_tag(p, &s);
	if (tag && !c_token_is(c_next(p), '{')) {
		base->type = c_types_find(p->types, C_ENUM, tag);
		return base->type || c_error(p, s, "c-type", "enum %s is not defined", tag);
	}
	if (!c_expect(p, '{', "'{'"))
		return false;
	body = p->at;
	if (!attributes_after_body(p, &a))
		return false;
	p->at = body;
	e = enum_new(p->arena, tag, 4, false);
	base->type = &e->type;
	if (tag && !c_types_add(p->types, C_ENUM, tag, &e->type))
		return c_error(p, s, "c-type", "enum %s is already defined", tag);
	return read_enumerators(p, e, a.is_packed) && c_attributes(p, &a);
}
