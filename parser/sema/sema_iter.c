/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules of iter probes: ctx.FIELD, the thread that builtins refer to, and printf, which the
 * kernel itself formats there.
 */
#include "parser/lang/field_type.h"
#include "parser/lang/format_spec.h"
#include "parser/sema/sema_type.h"
#include <ctype.h>

static const struct type *no_field(struct sema *s, const struct expr *e,
				   const struct attach_point *p)
{
	const struct kernel_iter *kind = point_iter(p)->kind;
	const char *near = NEAREST(e->field.name, kind->fields, kind->n_fields, item->name);

	sema_error(s, e->field.name_span, "unknown-field", "%s has no field '%s'", p->name,
		   e->field.name);
	return near ? sema_hint(s, "did you mean '%s'?", near) : &type_error;
}

/* True if a program of a perf event runs the probe. An interval that uses `ctx` is one. */
static bool is_of_perf(const struct attach_point *p)
{
	return prog_kind_is(probe_rows[p->id].program, PK_EVENT | PK_PERIOD);
}

/* The struct that the program's context is in C; NULL: scripts cannot read it. */
static const char *context_struct(const struct attach_point *p)
{
	switch (probe_rows[p->id].context) {
	case CTX_REGS_ENTRY:
	case CTX_REGS_RETURN:
	case CTX_NOTE: return "struct pt_regs";
	default: return is_of_perf(p) ? "struct bpf_perf_event_data" : NULL;
	}
}

static bool has_context(const struct attach_point *p)
{
	return context_struct(p) || point_has(p, ARM_ITER);
}

static const struct type *no_context(struct sema *s, const struct expr *e,
				     const struct attach_point *p)
{
	sema_error(s, e->span, "wrong-probe", "'ctx' is not available in %s probes",
		   probe_title(p->id));
	if (probe_rows[p->id].context == CTX_TRACEPOINT)
		sema_hint(s, "a tracepoint's fields are args.FIELD");
	else if (probe_is_typed(p))
		sema_hint(s, "the function's arguments are args.NAME");
	else
		sema_hint(s, "it is available in: %s", sema_where(s->arena, has_context));
	return &type_error;
}

/* The verifier lets programs read the context's own members only; for probes of functions it is
 * memory of the kernel. */
static const struct type *refuse_mixed(struct sema *s, const struct expr *e)
{
	sema_error(s, e->span, "type-mismatch",
		   "'ctx' differs between the attach points of this probe");
	return sema_hint(s, "write a probe for each attach point");
}

static const struct type *context_of(struct sema *s, struct expr *e)
{
	const char *name = context_struct(&s->probe->points[0]);
	const struct type *t;

	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		const char *other = context_struct(&s->probe->points[i]);

		if (!name || !other || strcmp(name, other) != 0)
			return refuse_mixed(s, e);
	}
	if (e->kind != EX_FIELD && is_of_perf(&s->probe->points[0]))
		name = "struct bpf_perf_event_data_kern"; /* what is there in memory */
	t = type_pointer(s->arena, type_opaque(s->arena, name), SPACE_KERNEL);
	if (e->kind != EX_FIELD)
		return t;
	e->field.object->type = t;
	return struct_member(s, e);
}

/* `ctx` alone in an iterator: the struct that the kernel passes to its program. */
static const struct type *whole_context(struct sema *s, const struct expr *e)
{
	const char *first = point_iter(&s->probe->points[0])->kind->name;

	for (uint32_t i = 1; i < s->probe->n_points; i++)
		if (strcmp(point_iter(&s->probe->points[i])->kind->name, first) != 0)
			return refuse_mixed(s, e);
	return type_pointer(s->arena,
			    type_opaque(s->arena,
					arena_printf(s->arena, "struct bpf_iter__%s", first)),
			    SPACE_KERNEL);
}

/* `ctx` alone, or ctx.FIELD: every attach point of the probe must have the field. */
const struct type *chk_ctx(struct sema *s, struct expr *e)
{
	const struct type *t = NULL, *here;

	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];
		const struct iter_field *f;

		if (context_struct(p))
			return context_of(s, e);
		if (!point_has(p, ARM_ITER))
			return no_context(s, e, p);
		if (e->kind != EX_FIELD)
			continue;
		f = iter_field(point_iter(p)->kind, e->field.name);
		if (!f)
			return no_field(s, e, p);
		here = iter_field_type(s->arena, f);
		if (t && strcmp(sema_name_of(s, t), sema_name_of(s, here)) != 0) {
			sema_error(s, e->span, "type-mismatch",
				   "ctx.%s is %s in one iterator and %s in another", e->field.name,
				   sema_name_of(s, t), sema_name_of(s, here));
			return sema_hint(s, "write a probe for each iterator");
		}
		t = here;
	}
	if (e->kind == EX_FIELD || !s->probe->n_points)
		return t ? t : &type_error;
	return whole_context(s, e);
}

/* ---- whose thread ------------------------------------------------------------------------- */

bool iter_check_where(struct sema *s, const struct builtin *b, struct span span,
		      const struct attach_point *p)
{
	bool of_thread = b->traits & (TR_TASK | TR_STACK | TR_READER);

	if (!point_has(p, ARM_ITER) || !of_thread ||
	    (iter_task(point_iter(p)->kind) && !(b->traits & TR_READER)))
		return true;
	diag_error(s->diags, span, "wrong-probe", "'%s' is not available in %s", b->name, p->name);
	if (iter_task(point_iter(p)->kind))
		diag_hint(s->diags,
			  "it is known only for the current thread, which here is sonde's");
	else
		diag_hint(s->diags, "this iterator's objects are not threads");
	return false;
}

/* ---- printf ------------------------------------------------------------------------------- */

static const struct type *cannot_print(struct sema *s, struct span span, const char *what)
{
	sema_error(s, span, "iter-format",
		   "in iter probes the kernel formats the output, and does not support %s", what);
	sema_hint(
		s,
		"it supports %%d %%u %%x %%X %%c %%p %%s with a width and the flags '-', '+', ' ', '0'; print(value) prints any value");
	return &type_void;
}

static bool can_print(const struct type *t)
{
	return type_is_integral(t) || t->kind == TY_POINTER || t->kind == TY_STRING ||
	       t->kind == TY_KSYM || t->kind == TY_NAME || t->kind == TY_ERROR;
}

enum { KERNEL_ARGS = 12 };

const struct type *iter_check_printf(struct sema *s, struct expr *e, const struct format_spec *spec)
{
	const struct expr *fmt = e->call.args[0];

	if (spec->n_args > KERNEL_ARGS)
		return cannot_print(s, e->span, "more than 12 values");
	for (uint32_t i = 0; i < fmt->string.len; i++)
		if (!isascii(fmt->string.text[i]) ||
		    (!isprint(fmt->string.text[i]) && !isspace(fmt->string.text[i])))
			return cannot_print(s, fmt->span, "characters beyond ASCII in a format");
	for (const struct format_piece *p = spec->pieces; p < spec->pieces + spec->n_pieces; p++) {
		const struct expr *arg = p->conv ? e->call.args[1 + p->field] : NULL;

		if (p->width_arg || p->precision_arg)
			return cannot_print(s, fmt->span, "'*'");
		if (!arg)
			continue;
		if (p->conv == FORMAT_GFP || strchr(FORMAT_REAL, p->conv))
			return cannot_print(s, fmt->span, "%gr");
		if (p->conv == 'o' || p->alt || p->precision >= 0)
			return cannot_print(s, fmt->span,
					    p->conv == 'o'	? "%o"
					    : p->precision >= 0 ? "a precision"
								: "the flag '#'");
		if (!can_print(arg->type))
			return cannot_print(s, arg->span,
					    arena_printf(s->arena, "a %s",
							 sema_name_of(s, arg->type)));
	}
	return &type_void;
}
