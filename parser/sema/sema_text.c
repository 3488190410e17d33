/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check hooks of functions on strings and of calls that write text.
 */
#include "bpf_helpers/shared.h"
#include "parser/lang/format_spec.h"
#include "parser/sema/sema_type.h"

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
	const struct type *to = array->type->kind == TY_POINTER ? array->type->to : NULL;

	if (to && to->kind == TY_INT && to->size == 1) {
		sema_error(s, array->span, "arg-type",
			   "join needs the address of an array of strings, but this is the address "
			   "of one string");
		sema_hint(s, "print it: str(…)");
		return &type_void;
	}
	if (array->type->kind != TY_INT && array->type->kind != TY_POINTER)
		sema_wrong_arg(s, e, array, "the address of an array of strings", NULL);
	return &type_void;
}

/* ---- strings ------------------------------------------------------------------------------ */

bool sema_is_text(const struct type *t)
{
	return t->kind == TY_STRING ||
	       (t->kind == TY_ARRAY && t->to->kind == TY_INT && t->to->size == 1);
}

/* A pointer is replaced by the string there, str(POINTER), and a name by its text. */
static bool check_text(struct sema *s, struct expr *e, uint32_t i)
{
	struct expr *arg = e->call.args[i];

	struct_decay(s, arg);
	if (arg->type->kind == TY_POINTER || arg->type->kind == TY_NAME) {
		sema_wrap(s, arg, "str");
		sema_type_expr(s, arg);
	}
	if (sema_is_text(arg->type))
		return true;
	sema_wrong_arg(s, e, arg, "a string",
		       arg->type->kind == TY_INT ? "if it is the address of a string, write str(…)"
						 : NULL);
	return false;
}

/* The first two arguments are strings. */
const struct type *chk_text(struct sema *s, struct expr *e)
{
	for (uint32_t i = 0; i < e->call.n_args && i < 2; i++)
		check_text(s, e, i);
	return chk_none(s, e);
}

/* Known at compile time where it is asked for and both are literals. */
const struct type *chk_strcontains(struct sema *s, struct expr *e)
{
	const struct type *t = chk_text(s, e);
	const struct expr *text = e->call.args[0], *part = e->call.args[1];

	if (s->n_comptime && text->kind == EX_STRING && part->kind == EX_STRING)
		*e = *ast_bool(s->arena, e->span,
			       memmem(text->string.text, text->string.len, part->string.text,
				      part->string.len));
	return t;
}

/* strcap(POINTER) is strlen(POINTER). */
const struct type *chk_strcap(struct sema *s, struct expr *e)
{
	bool is_pointer = e->call.args[0]->type->kind == TY_POINTER;

	if (check_text(s, e, 0) && is_pointer) {
		e->call.builtin = builtin_find("strlen");
		e->call.name = e->call.builtin->name;
	}
	return sema_word(false);
}

const struct type *chk_concat(struct sema *s, struct expr *e)
{
	uint32_t size;

	if (!check_text(s, e, 0) || !check_text(s, e, 1))
		return &type_error;
	size = e->call.args[0]->type->size + e->call.args[1]->type->size - 1;
	if (size <= LIMIT_STR_REQUESTED)
		return type_string(s->arena, size);
	sema_error(s, e->span, "str-size", "this string takes %u bytes, at most %d are possible",
		   size, LIMIT_STR_REQUESTED);
	return sema_hint(s, "read shorter strings: str(x, 64)");
}

static bool has_bytes(const struct type *t)
{
	return type_is_integral(t) || t->kind == TY_POINTER || type_is_memory(t) ||
	       t->kind == TY_ERROR;
}

/* The bytes of a value that has some at run time. */
static void check_bytes(struct sema *s, const struct expr *e, uint32_t i, uint64_t n)
{
	const struct expr *arg = e->call.args[i];
	uint64_t size = arg->type == &sema_literal ? 8 : arg->type->size;

	if (!has_bytes(arg->type))
		sema_error(s, arg->span, "arg-type", "memcmp cannot compare %s",
			   sema_name_of(s, arg->type));
	else if (n > size && arg->type->kind != TY_ERROR)
		sema_error(s, arg->span, "arg-type", "memcmp compares %llu bytes, but %s has %llu",
			   (unsigned long long)n, sema_name_of(s, arg->type),
			   (unsigned long long)size);
}

const struct type *chk_memcmp(struct sema *s, struct expr *e)
{
	__int128 n = 0;

	if (constant_number(e->call.args[2], &n) && n < 0)
		return sema_error(s, e->call.args[2]->span, "arg-type",
				  "memcmp needs a number of bytes that is not negative");
	check_bytes(s, e, 0, (uint64_t)n);
	check_bytes(s, e, 1, (uint64_t)n);
	return chk_none(s, e);
}

/* ---- names of numbers --------------------------------------------------------------------- */

const struct type *chk_name_of(struct sema *s, struct expr *e)
{
	return type_string(s->arena, SONDE_NAME_BYTES);
}

/* The least width of a signed number that holds a literal. */
static uint32_t literal_width(__int128 v)
{
	uint32_t width = 1;

	while (width < 8 && (v < constant_least(width, true) || v > constant_greatest(width, true)))
		width *= 2;
	return width;
}

const struct type *chk_bswap(struct sema *s, struct expr *e)
{
	const struct expr *n = e->call.args[0];
	uint32_t width;
	__int128 v;

	if (n->type->kind != TY_INT)
		return sema_wrong_arg(s, e, n, "an integer", NULL);
	if (constant_number(n, &v))
		return type_int(literal_width(v), false);
	width = sema_width(n);
	return type_int(width ? width : n->type->size, false);
}
