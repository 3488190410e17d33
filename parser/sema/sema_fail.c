/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fail(): a message of the script's own at compile time. It reaches the user if the call is still
 * there after branches of `if comptime` were chosen.
 */
#include "parser/lang/format_spec.h"
#include "parser/sema/sema_type.h"

static const char *number(struct sema *s, const struct format_piece *p, const struct expr *e)
{
	bool is_negated = e->kind == EX_UNARY;
	unsigned long long v = is_negated ? -e->unary.operand->integer.value : e->integer.value;

	switch (p->conv) {
	case 'x': return arena_printf(s->arena, "%llx", v);
	case 'X': return arena_printf(s->arena, "%llX", v);
	case 'o': return arena_printf(s->arena, "%llo", v);
	case 'p': return arena_printf(s->arena, "0x%llx", v);
	case 'c': return arena_printf(s->arena, "%c", (int)v);
	default: return arena_printf(s->arena, is_negated ? "%lld" : "%llu", v);
	}
}

const struct type *chk_fail(struct sema *s, struct expr *e)
{
	const struct expr *fmt = e->call.args[0];
	const char *text = "";
	struct format_spec spec;

	if (!s->report || chk_printf(s, e)->kind == TY_ERROR)
		return &type_void;
	format_parse(s->arena, fmt->string.text, fmt->string.len, &spec);
	if (spec.bad_len || spec.n_args != e->call.n_args - 1)
		return &type_void; /* reported by chk_printf() */
	for (const struct format_piece *p = spec.pieces; p < spec.pieces + spec.n_pieces; p++) {
		const struct expr *arg = p->conv ? e->call.args[1 + p->field] : NULL;

		if (arg && (!comptime_is_literal(arg) || type_is_compound(arg->type)))
			return sema_error(
				s, arg->span, "comptime",
				"fail() takes literals: this is not known at compile time");
		text = arena_printf(s->arena, "%s%.*s%s", text, (int)p->text_len, p->text,
				    !arg		     ? ""
				    : arg->kind == EX_STRING ? arg->string.text
							     : number(s, p, arg));
	}
	sema_error(s, e->span, "fail", "%s", text);
	return &type_void;
}
