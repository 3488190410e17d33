/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bodies of structs, unions and enums. Members are placed by layout_add() as the compilers of
 * x86-64 and arm64 do.
 */
#include "parser/csection/c_parse.h"

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
static int64_t read_width(struct c_parser *p, const struct c_declared *d)
{
	struct span s = c_next(p)->span;
	int64_t bits = (int64_t)c_evaluate(p).bits;
	uint32_t most = d->type->kind == TY_BOOL ? 1 : d->type->size * 8;

	if (d->type->kind != TY_INT && d->type->kind != TY_BOOL)
		c_error(p, s, "c-type", "only integers can be bit-fields");
	if (bits < 0 || bits > most)
		c_error(p, s, "c-type", "a bit-field of %s can have at most %u bits",
			type_str(p->arena, d->type), most);
	if (bits == 0 && d->name)
		c_error(p, s, "c-type", "a bit-field with a name must have at least 1 bit");
	return bits;
}

static void add_member(struct c_parser *p, struct body *b, const struct c_declared *d, int64_t bits)
{
	struct type_layout *l = b->layout;

	if (b->has_flexible && !l->is_union)
		c_error(p, d->span, "c-type", "nothing can follow an array without a size");
	if (d->name && has_member(l, d->name))
		c_error(p, d->span, "c-type", "duplicate member '%s'", d->name);
	c_complete(p, d->type, d->span);
	if (l->n_members == LIMIT_C_MEMBERS)
		c_error(p, d->span, "limit-c-type", "a type can have at most %d members",
			LIMIT_C_MEMBERS);
	if ((uint64_t)l->type.size + d->type->size + LIMIT_C_ALIGN > LIMIT_C_BYTES)
		c_error(p, d->span, "limit-c-type", "a type can have at most %d bytes",
			LIMIT_C_BYTES);
	if (bits >= 0 && d->attributes.align)
		c_error(p, d->span, "c-type", "an aligned bit-field is not supported");
	if (p->is_wrong)
		return;
	layout_add_as(p->arena, l, d->name, d->type, (int)bits, d->attributes.is_packed,
		      d->attributes.align);
	b->has_flexible |= d->is_flexible;
}

static void read_member(struct c_parser *p, struct body *b, const struct c_declared *base)
{
	struct c_declared d = c_declarator(p, base);
	int64_t bits = c_take(p, ':') ? read_width(p, &d) : -1;

	c_attributes(p, &d.attributes);
	if (!d.name && bits < 0)
		c_unexpected(p, "c-syntax", "a member's name");
	add_member(p, b, &d, bits);
}

/* One declaration in a body, up to its ';', which may be missing before the '}', as C compilers
 * allow. */
static void read_members(struct c_parser *p, struct body *b)
{
	struct c_declared base = c_specifiers(p), unnamed = {.span = base.span, .type = base.type};

	if (base.is_typedef)
		c_error(p, base.span, "c-syntax", "a typedef cannot be a member");
	if (!c_token_is(c_next(p), ';')) {
		do
			read_member(p, b, &base);
		while (c_take(p, ','));
	} else if (base.type->kind == TY_STRUCT && !base.type->layout->tag) {
		/* struct tag; in a struct declares nothing that a script could need */
		add_member(p, b, &unnamed, -1);
	}
	if (!c_token_is(c_next(p), '}'))
		c_expect(p, ';', "';'");
}

/* The attributes of a struct may follow its body. They are read first, because they decide where
 * members are. */
static void attributes_after_body(struct c_parser *p, struct c_attributes *a)
{
	uint32_t start = p->at;

	c_skip(p, '{');
	c_attributes(p, a);
	p->at = start;
}

static void define(struct c_parser *p, struct type_layout *l, struct c_attributes *a)
{
	struct body b = {.layout = l};

	attributes_after_body(p, a);
	if (p->is_wrong)
		return;
	l->complete = NULL;
	l->is_packed = a->is_packed;
	while (!p->is_wrong && !c_take(p, '}'))
		if (!c_take(p, ';'))
			read_members(p, &b);
	if (p->is_wrong)
		l->n_members = 0;
	else if (a->align > l->align)
		l->align = a->align;
	if (!p->is_wrong || !p->is_header)
		layout_finish(l); /* one that is wrong, too, so that its uses cause no errors */
	c_attributes(p, a);
}

const struct type *c_aggregate(struct c_parser *p, bool is_union)
{
	struct c_attributes a = {0};
	struct type_layout *l;
	const char *tag;
	struct span s;

	c_attributes(p, &a);
	s = c_next(p)->span;
	tag = c_take_name(p);
	if (!tag && !c_token_is(c_next(p), '{'))
		c_unexpected(p, "c-syntax", "a name or '{'");
	l = tag ? c_types_tag(p->types, is_union, tag) : layout_new(p->arena, is_union, NULL);
	if (!c_take(p, '{'))
		return &l->type;
	if (l->is_complete || l->n_members)
		c_error(p, s, "c-type", "%s is already defined, or was used before this",
			layout_str(p->arena, l));
	define(p, l, &a);
	return &l->type;
}

/* ---- enum ---- */

/* The values of an enum. */
struct range {
	bool is_negative;
	int64_t least;
	uint64_t most;
};

static void read_enumerator(struct c_parser *p, struct type_enum *e, struct c_value *v,
			    struct range *r)
{
	struct span s = c_next(p)->span;
	const char *name = c_take_name(p);

	if (!name)
		c_unexpected(p, "c-syntax", "the name of a constant");
	c_attributes(p, &(struct c_attributes){0});
	if (c_take(p, '='))
		*v = c_evaluate(p);
	if (p->is_wrong)
		return;
	if (!c_types_add_constant(p->types, name, &e->type, (int64_t)v->bits))
		c_error(p, s, "c-type", "the constant %s is already defined", name);
	enum_add(p->arena, e, name, (int64_t)v->bits);
	if ((int64_t)v->bits < 0 && !v->is_unsigned) {
		r->is_negative = true;
		r->least = (int64_t)v->bits < r->least ? (int64_t)v->bits : r->least;
	} else {
		r->most = v->bits > r->most ? v->bits : r->most;
	}
	v->bits++;
	v->is_unsigned = false;
}

/* The size in bytes of the smallest integer that has all values. */
static uint32_t size_of(const struct range *r, bool is_packed)
{
	uint32_t size = is_packed ? 1 : 4;

	for (; size < 8; size *= 2) {
		uint64_t half = UINT64_C(1) << (size * 8 - 1);

		if (r->is_negative ? r->least >= -(int64_t)half && r->most < half
				   : r->most < 2 * half)
			break;
	}
	return size;
}

static void read_enumerators(struct c_parser *p, struct type_enum *e, bool is_packed)
{
	struct c_value v = {0};
	struct range r = {0};

	while (!p->is_wrong && !c_take(p, '}')) {
		read_enumerator(p, e, &v, &r);
		if (!c_take(p, ',') && !c_token_is(c_next(p), '}'))
			c_unexpected(p, "c-syntax", "',' or '}'");
	}
	if (!p->is_wrong)
		enum_set_size(e, size_of(&r, is_packed), r.is_negative);
}

const struct type *c_enumeration(struct c_parser *p)
{
	struct c_attributes a = {0};
	struct type_enum *e;
	const char *tag;
	struct span s;

	c_attributes(p, &a);
	s = c_next(p)->span;
	tag = c_take_name(p);
	if (tag && !c_token_is(c_next(p), '{')) {
		const struct type *t = c_types_find(p->types, C_ENUM, tag);

		if (!t)
			c_error(p, s, "c-type", "enum %s is not defined", tag);
		return t;
	}
	c_expect(p, '{', "'{'");
	attributes_after_body(p, &a);
	e = enum_new(p->arena, tag, 4, false);
	if (tag && !p->is_wrong && !c_types_add(p->types, C_ENUM, tag, &e->type))
		c_error(p, s, "c-type", "enum %s is already defined", tag);
	read_enumerators(p, e, a.is_packed);
	c_attributes(p, &a);
	return &e->type;
}
