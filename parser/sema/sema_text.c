/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check hooks of functions on strings and of calls that write text.
 */
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/lang/format_spec.h"
#include "parser/sema/sema.h"
#include <string.h>

/* ---- debugf ------------------------------------------------------------------------------- */

enum { TRACE_ARGS = 3 }; /* bpf_trace_printk() takes no more */

static bool is_for_trace(const struct format_piece *p, const struct type *t)
{
	return strchr("diuxps", p->conv) && !p->alt && !p->width_arg && !p->precision_arg &&
	       p->precision < 0 && (p->conv == 's') == (t->kind == TY_STRING);
}

const struct type *chk_debugf(struct sema *s, struct expr *e)
{
	const struct expr *fmt = e->call.args[0];
	struct format_spec spec;

	chk_printf(s, e);
	format_parse(s->arena, fmt->string.text, fmt->string.len, &spec);
	if (spec.bad_len || spec.n_args != e->call.n_args - 1)
		return &type_void; /* reported */
	if (spec.n_args > TRACE_ARGS)
		return sema_error(s, e->span, "format-count", "debugf takes at most %d values",
				  TRACE_ARGS);
	for (const struct format_piece *p = spec.pieces; p < spec.pieces + spec.n_pieces; p++) {
		const struct expr *arg = p->conv ? e->call.args[1 + p->field] : NULL;

		if (!arg || arg->type->kind == TY_ERROR || is_for_trace(p, arg->type))
			continue;
		sema_error(s, arg->span, "format-arg",
			   "debugf prints integers with %%d %%u %%x %%p and strings with %%s");
		return &type_void;
	}
	if (s->report)
		diag_warning(s->diags, e->span, "debug-only",
			     "debugf() is for debugging: all programs of the system write to the "
			     "same trace pipe");
	return &type_void;
}

/* ---- join --------------------------------------------------------------------------------- */

const struct type *chk_join(struct sema *s, struct expr *e)
{
	const struct expr *array = e->call.args[0];

	if (array->type->kind == TY_INT || array->type->kind == TY_POINTER)
		return &type_void;
	sema_error(s, array->span, "arg-type",
		   "join needs the address of an array of strings, but this is %s",
		   type_str(s->arena, array->type));
	return &type_void;
}
