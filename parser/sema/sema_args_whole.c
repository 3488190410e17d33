/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `args` without a field: it is rewritten to the record (a = args.a, b = args.b, …) of all fields
 * or arguments of the probe's first attach point. The others must have the same.
 */
#include "parser/lang/field_type.h"
#include "parser/sema/sema_type.h"

/* True if args.FIELD can be read. */
static bool is_readable(struct sema *s, const struct attach_point *p, const struct tp_field *f)
{
	if (!*f->name)
		return false;
	if (point_has(p, ARM_USER))
		return f->offset != TYPED_NO_PLACE && (f->size || user_value_type(s, f));
	return probe_typed(p) ? f->size != 0 : field_type(s->arena, f) != NULL;
}

static struct expr *field(struct sema *s, const struct expr *args, const char *name)
{
	struct expr *object = arena_new_of(s->arena, struct expr);

	*object = *args;
	return ast_field(s->arena, args->span, object, args->span, name);
}

/* Warn of fields that a record cannot hold, so that nobody takes the record for complete. */
static void report_left_out(struct sema *s, const struct expr *e, const struct attach_point *p,
			    const char *list)
{
	diag_warning(s->diags, e->span, "args-left-out",
		     "'args' of %s does not include what cannot be read: %s", p->name, list);
}

/* The first attach point whose fields have other names than those of the first; NULL: none. */
static const struct attach_point *other_record(struct sema *s, const struct tp_field *all,
					       uint32_t n_all)
{
	for (uint32_t i = 1; i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];
		uint32_t n = 0;

		if (!sema_args_fields(p, &n))
			continue; /* none are known, which is reported */
		if (n != n_all)
			return p;
		for (uint32_t k = 0; k < n; k++)
			if (!sema_args_field(p, all[k].name))
				return p;
	}
	return NULL;
}

static const struct type *refuse(struct sema *s, const struct expr *e,
				 const struct attach_point *other)
{
	const char *first = s->probe->points[0].name;

	sema_error(s, e->span, "arguments-differ", "'args' is another record at %s than at %s",
		   other->name, first);
	return sema_hint(s, "write a probe for each, %s { … } %s { … }, or name fields: args.NAME",
			 first, other->name);
}

const struct type *args_as_record(struct sema *s, struct expr *e)
{
	const struct attach_point *p = &s->probe->points[0];
	uint32_t n_all, n = 0;
	const struct tp_field *all = sema_args_fields(p, &n_all);
	struct expr **items = arena_alloc(s->arena, (n_all + 1) * sizeof(*items));
	const char **names = arena_alloc(s->arena, (n_all + 1) * sizeof(*names)), *out = "";
	struct span *spans = arena_alloc(s->arena, (n_all + 1) * sizeof(*spans));
	const struct attach_point *other = other_record(s, all, n_all);

	if (other)
		return refuse(s, e, other);
	for (uint32_t i = 0; i < n_all; i++) {
		const struct tp_field *f = &all[i];

		if (!is_readable(s, p, f)) {
			out = arena_list(s->arena, out, "%s (%s)",
					 *f->name ? f->name : "an argument without a name",
					 f->type_text);
			continue;
		}
		items[n] = field(s, e, f->name);
		names[n] = f->name;
		spans[n++] = e->span;
	}
	if (n_all && !n)
		return sema_error(s, e->span, "args-field",
				  "none of the arguments of %s can be read: %s", p->name, out);
	if (*out)
		report_left_out(s, e, p, out);
	return sema_become(s, e, ast_record(s->arena, e->span, items, names, spans, n));
}
