/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice on arguments: argN of a function that has fewer parameters, and the address of a text that
 * is printed as a number. What argN is, debug information (uprobe) or BTF (kprobe) says; without
 * these nothing is reported.
 */
#include "parser/sema/sema_advice.h"
#include "parser/lang/field_type.h"
#include "parser/lang/format_spec.h"

enum { WORD = 8, SHOWN_PARAMS = 6 };

static const struct typed_function *user_function(struct sema *s, const struct attach_point *p)
{
	uint32_t n;
	const struct attach_target *t = probe_functions(p, &n);
	const struct typed_function *f = NULL;
	struct kernel *k = s->kernel;

	if (n != 1 || !t->is_entry || t->abi != USER_ABI_C || strchr(t->symbol, '.'))
		return NULL;
	return k->user_typed && k->user_typed(k, t->path, t->offset, &f) == 0 ? f : NULL;
}

static const struct typed_function *kernel_function(struct sema *s, const struct attach_point *p)
{
	const struct attach_target *t = p->targets;
	const struct typed_function *f = NULL;
	struct kernel *k = s->kernel;

	if (p->n_targets != 1 || t->offset || t->address || !kernel_has(k, CAP_BTF) || !k->typed)
		return NULL;
	return k->typed(k, TYPED_FUNCTION, t->module, t->symbol, &f) == 0 ? f : NULL;
}

/* The function at whose entry the probe is; NULL if there are several, or it is not described. */
static const struct typed_function *function_of(struct sema *s)
{
	const struct attach_point *p = s->probe->points;

	if (s->probe->n_points != 1 || probe_rows[p->id].context != CTX_REGS_ENTRY)
		return NULL;
	return point_has(p, ARM_USER)	  ? user_function(s, p)
	       : point_has(p, ARM_KERNEL) ? kernel_function(s, p)
					  : NULL;
}

/* The words of all parameters; 0 if there are none, or not all of them are known. */
static uint32_t words_of(const struct typed_function *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_params; i++) {
		const struct tp_field *p = &f->params[i];

		if (!p->size || p->offset == TYPED_NO_PLACE)
			return 0;
		if (p->offset / WORD >= n)
			n = p->offset / WORD + (p->size + WORD - 1) / WORD;
	}
	return n;
}

static bool is_argn(const struct expr *e)
{
	return e->kind == EX_NAME && e->name.builtin && e->name.builtin->check == chk_argn;
}

/* "arg0 (id), arg1 (path)" */
static const char *list_of(struct arena *a, const struct typed_function *f)
{
	const char *list = "";

	for (uint32_t i = 0; i < f->n_params && i < SHOWN_PARAMS; i++)
		list = arena_list(a, list, "arg%u (%s)", f->params[i].offset / WORD,
				  f->params[i].name);
	return list;
}

/* Floating-point parameters have registers of their own, which argN does not count. */
static bool advise_float(struct sema *s, const struct expr *e, const struct typed_function *f)
{
	const struct tp_field *p = f->params, *is = NULL, *number = NULL;
	uint32_t n = (uint32_t)e->name.builtin->arg;
	const char *what = "what its register happens to hold";

	for (uint32_t i = 0; i < f->n_params; i++) {
		if (p[i].is_float && i <= n)
			number = number ? number : &p[i];
		else if (p[i].offset == WORD * n)
			is = &p[i];
		else if (p[i].offset == TYPED_NO_PLACE && !p[i].is_float)
			return false;
	}
	if (!number)
		return false;
	if (is)
		what = arena_printf(s->arena, "the parameter '%s'", is->name);
	diag_warning(s->diags, e->span, "float-parameter",
		     "%s of %s is %s: '%s', a %s, is passed in a register of another kind",
		     e->name.name, s->probe->points->targets->function, what, number->name,
		     number->type_text);
	if (is)
		diag_hint(s->diags, "write args.%s if that is meant; '%s' cannot be read", is->name,
			  number->name);
	else
		diag_hint(s->diags, "'%s' cannot be read", number->name);
	return true;
}

void advise_argument(struct sema *s, const struct expr *e)
{
	const struct typed_function *f;
	uint32_t n;

	if (!is_argn(e) || advice_is_copy(s, e->span))
		return;
	f = function_of(s);
	if (f && advise_float(s, e, f))
		return;
	n = f ? words_of(f) : 0;
	if (!n || e->name.builtin->arg < n)
		return;
	diag_warning(s->diags, e->span, "no-parameter",
		     "%s has %u parameter%s: %s is what its register happens to hold",
		     s->probe->points->targets->symbol, f->n_params, f->n_params == 1 ? "" : "s",
		     e->name.name);
	diag_hint(s->diags, "its parameters are %s", list_of(s->arena, f));
}

/* ---- addresses of texts ------------------------------------------------------------------- */

/* The parameter that `e`, argN, is, if it is a text. */
static const struct tp_field *text_parameter(struct sema *s, const struct expr *e)
{
	const struct typed_function *f = is_argn(e) ? function_of(s) : NULL;

	for (uint32_t i = 0; f && i < f->n_params; i++)
		if (f->params[i].offset == WORD * (uint32_t)e->name.builtin->arg)
			return field_is_text(&f->params[i]) ? &f->params[i] : NULL;
	return NULL;
}

/* A member or element that is the address of a text. */
bool advice_is_text_pointer(const struct expr *e)
{
	const struct type *t = e->type;

	return (e->kind == EX_FIELD || e->kind == EX_INDEX) && t && t->kind == TY_POINTER &&
	       t->to && t->to->kind == TY_INT && t->to->size == 1 && t->to->is_signed;
}

/* *f: the parameter, if it is one. */
static const char *text_address(struct sema *s, const struct expr *e, const struct tp_field **f)
{
	*f = text_parameter(s, e);
	if ((!*f && !advice_is_text_pointer(e)) || advice_is_copy(s, e->span))
		return NULL;
	return advice_text(s, e->span, 0);
}

const char *advice_text_address(struct sema *s, const struct expr *e)
{
	const struct tp_field *f;

	return text_address(s, e, &f);
}

/* `conv`: of printf; 0: print() */
static void advise_value(struct sema *s, const struct expr *e, char conv)
{
	const struct tp_field *f;
	const char *text = text_address(s, e, &f);

	if (!text)
		return;
	if (f)
		diag_warning(s->diags, e->span, "address-text",
			     "%s is the address of a text: the parameter '%s'", text, f->name);
	else
		diag_warning(s->diags, e->span, "address-text", "%s is the address of a text",
			     text);
	diag_hint(s->diags,
		  conv && conv != 's' ? "write str(%s), and %%s for it in the format"
				      : "write str(%s)",
		  text);
}

void advise_printed(struct sema *s, const struct expr *call)
{
	const struct builtin *b = call->call.builtin;
	const struct expr *fmt = call->call.n_args ? call->call.args[0] : NULL;
	struct format_spec spec;

	if (b && fmt && b->traits & TR_ACT && b->traits & TR_MAP && !ast_is_whole_map(call, 0))
		advise_value(s, fmt, 0);
	if (!b || !fmt || !(b->traits & TR_FORMAT) || fmt->kind != EX_STRING)
		return;
	format_parse(s->arena, fmt->string.text, fmt->string.len, &spec);
	for (const struct format_piece *p = spec.pieces; p < spec.pieces + spec.n_pieces; p++)
		if (p->conv && strchr("sdiu", p->conv) && 1 + p->field < call->call.n_args)
			advise_value(s, call->call.args[1 + p->field], p->conv);
}
