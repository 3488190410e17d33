/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `argN` and `func` of USDT probes. They come from the file: argN from operands with a size and
 * a sign, func from the function that contains the location. Both are looked up only when a
 * script uses them.
 */
#include "parser/sema/sema.h"
#include "parser/lang/usdt_operand.h"

/* ---- operands ---------------------------------------------------------------------------- */

/* Replace a symbol by an address relative to the probed location, which holds wherever the file
 * is loaded. */
static void resolve_symbol(struct sema *s, const struct attach_target *t, struct usdt_operand *o)
{
	uint16_t location = usdt_place_register(USDT_HERE);
	struct user_object v;

	if (!o->symbol || o->kind == USDT_UNREADABLE)
		return;
	if (s->kernel->user_object(s->kernel, t->path, o->symbol, &v)) {
		o->kind = USDT_UNREADABLE;
		return;
	}
	o->disp = (int64_t)((uint64_t)o->disp + v.address - t->address);
	o->symbol = NULL;
	if (o->kind == USDT_CONSTANT)
		o->kind = USDT_SUM;
	if (o->base == USDT_NO_REG)
		o->base = location;
	else if (o->index == USDT_NO_REG)
		o->index = location;
	else
		o->kind = USDT_UNREADABLE;
}

/* The index of a location's argument format; a new one is appended. */
static uint32_t format_of(struct sema *s, struct usdt_point *u, const struct attach_target *t)
{
	struct usdt_format f;

	usdt_format_parse(s->arena, t->args, USDT_HERE, &f);
	for (uint32_t i = 0; i < f.n; i++)
		resolve_symbol(s, t, &f.args[i]);
	for (uint32_t i = 0; i < u->n_formats; i++)
		if (usdt_format_same(&u->formats[i], &f))
			return i;
	if (u->n_formats <= LIMIT_FORMATS)
		arena_push(s->arena, u->formats, u->n_formats, f);
	return u->n_formats - 1;
}

/* The formats of all locations; one more than LIMIT_FORMATS when there are too many. */
static const struct usdt_point *formats_of(struct sema *s, struct attach_point *p)
{
	if (p->usdt)
		return p->usdt;
	p->usdt = arena_new_of(s->arena, struct usdt_point);
	for (uint32_t i = 0; i < p->n_targets; i++)
		p->targets[i].format = format_of(s, p->usdt, &p->targets[i]);
	return p->usdt;
}

static const char *name_of_format(const struct attach_point *p, uint32_t format)
{
	for (uint32_t i = 0; i < p->n_targets; i++)
		if (p->targets[i].format == format)
			return p->targets[i].name;
	return p->name;
}

/* ---- argN -------------------------------------------------------------------------------- */

static const struct type *no_arg(struct sema *s, const struct expr *e, const char *probe,
				 const struct usdt_format *f)
{
	sema_error(s, e->span, "usdt-arg", "%s has %u argument%s, so there is no %s", probe,
		   f->n_noted, f->n_noted == 1 ? "" : "s", e->name.name);
	if (f->n)
		sema_hint(s, "the last one is arg%u", f->n - 1);
	return &type_error;
}

static const struct type *unreadable(struct sema *s, const struct expr *e, const char *probe,
				     const struct usdt_operand *o)
{
	sema_error(s, e->span, "usdt-operand", "%s of %s is '%s', which a probe cannot read",
		   e->name.name, probe, o->text);
	return sema_hint(
		s,
		"supported are general registers, constants, memory at registers, and symbols of the file");
}

/* A type that holds both: the wider one, or int64 when the signs differ. */
static const struct type *wider(const struct type *t, uint8_t size, bool is_signed)
{
	if (!t)
		return type_int(size, is_signed);
	if (t->is_signed != is_signed)
		return type_int(8, true);
	return t->size > size ? t : type_int(size, is_signed);
}

static const struct type *usdt_arg(struct sema *s, const struct expr *e, struct attach_point *p,
				   const struct type *t)
{
	const struct usdt_point *u = formats_of(s, p);
	uint32_t arg = e->name.builtin->arg;

	if (u->n_formats > LIMIT_FORMATS) {
		sema_error(s, e->span, "limit-formats",
			   "the probes that %s matches have more than %d argument layouts", p->name,
			   LIMIT_FORMATS);
		return sema_hint(s, "use a narrower pattern");
	}
	for (uint32_t i = 0; i < u->n_formats; i++) {
		const struct usdt_format *f = &u->formats[i];

		if (arg >= f->n)
			return no_arg(s, e, name_of_format(p, i), f);
		if (f->args[arg].kind == USDT_UNREADABLE)
			return unreadable(s, e, name_of_format(p, i), &f->args[arg]);
		t = wider(t, f->args[arg].size, f->args[arg].is_signed);
	}
	return t;
}

const struct type *usdt_arg_type(struct sema *s, const struct expr *e)
{
	const struct type *t = NULL;

	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		struct attach_point *p = &s->probe->points[i];

		t = point_has(p, ARM_USDT) ? usdt_arg(s, e, p, t) : wider(t, 8, false);
		if (t->kind == TY_ERROR)
			return t;
	}
	return t ? t : type_int(8, false);
}

/* ---- func -------------------------------------------------------------------------------- */

/* The name is "" in a stripped file. */
static void find_function(struct sema *s, struct attach_target *t)
{
	struct user_symbol f;

	t->function = "";
	if (s->kernel->user_function_at(s->kernel, t->path, t->address, &f) == 0)
		t->function = arena_strdup(s->arena, f.symbol);
}

const struct type *chk_func(struct sema *s, struct expr *e)
{
	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		struct attach_point *p = &s->probe->points[i];

		for (uint32_t k = 0; point_has(p, ARM_USDT) && k < p->n_targets; k++)
			if (!p->targets[k].function)
				find_function(s, &p->targets[k]);
	}
	return &type_name;
}
