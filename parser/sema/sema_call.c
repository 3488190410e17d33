/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of calls, a part of pass 2: checks the number and types of arguments against the
 * signature in builtins.def, then calls the row's check hook for the rest. Returns the type of
 * the result.
 */
#include "parser/sema/sema_name.h"
#include "parser/sema/sema_type.h"

static bool fits_param(const struct param *p, const struct expr *arg)
{
	__int128 number;

	switch (p->kind) {
	case PARAM_ANY: return arg->type->kind != TY_VOID;
	case PARAM_INT:
		return (type_is_integral(arg->type) || arg->type->kind == TY_POINTER) &&
		       (!p->is_const || arg->kind == EX_INT ||
			(p->is_signed && constant_number(arg, &number)));
	case PARAM_STRING:
		return arg->type->kind == TY_STRING && (!p->is_const || arg->kind == EX_STRING);
	case PARAM_MAP: return arg->kind == EX_MAP;
	case PARAM_WORD: return false; /* read by pass 1 */
	}
	return false;
}

static const char *param_words(const struct param *p)
{
	switch (p->kind) {
	case PARAM_ANY: return "a value";
	case PARAM_INT:
		return !p->is_const   ? "an integer"
		       : p->is_signed ? "a literal number"
				      : "a non-negative literal number";
	case PARAM_STRING: return p->is_const ? "a string in quotes" : "a string";
	case PARAM_MAP: return "a map";
	case PARAM_WORD: return "a word";
	}
	return "?";
}

static int check_arity(struct sema *s, struct expr *e, const struct signature *sig)
{
	uint32_t least = 0, n_required;
	bool is_exact;

	for (uint32_t i = 0; i < sig->n_params; i++)
		least += !sig->params[i].is_optional;
	if (e->call.n_args > LIMIT_CALL_ARGS) {
		sema_error(s, e->span, "limit-args",
			   "%u arguments are too many, at most %d are allowed", e->call.n_args,
			   LIMIT_CALL_ARGS);
		return -1;
	}
	if (e->call.n_args >= least && (sig->has_rest || e->call.n_args <= sig->n_params))
		return 0;
	is_exact = !sig->has_rest && least == sig->n_params;
	n_required = e->call.n_args < least ? least : sig->n_params;
	sema_error(s, e->span, "arg-count", "%s takes %s%u argument%s, not %u", e->call.name,
		   is_exact		    ? ""
		   : e->call.n_args < least ? "at least "
					    : "at most ",
		   n_required, n_required == 1 ? "" : "s", e->call.n_args);
	hint_arity(s, e);
	return -1;
}

/* print(a, b), where neither is a whole map */
static bool prints_several(const struct expr *e, const struct signature *sig)
{
	return e->call.builtin->traits & TR_MAP && sig->params[0].kind == PARAM_ANY &&
	       e->call.n_args > 1 && !ast_is_whole_map(e, 0) &&
	       e->call.args[0]->type->kind != TY_ERROR;
}

static void report_argument(struct sema *s, struct expr *e, const struct signature *sig, uint32_t i)
{
	const struct expr *arg = e->call.args[i];
	bool is_void = arg->type->kind == TY_VOID;

	if (prints_several(e, sig))
		sema_error(s, arg->span, "arg-count",
			   "%s takes one value; a number of rows is only for whole maps",
			   e->call.name);
	else if (arg->type->kind == TY_FLOAT)
		float_refuse(s, arg, e->call.name);
	else
		sema_error(s, arg->span, "arg-type", "%s needs %s here, but this %s %s",
			   e->call.name, param_words(&sig->params[i]), is_void ? "call has" : "is",
			   is_void ? "none" : sema_name_of(s, arg->type));
	if (arg->type->kind != TY_FLOAT)
		hint_argument(s, e, arg);
}

/* Two arguments that fit in the other order. */
static bool report_swapped(struct sema *s, const struct expr *e, const struct signature *sig,
			   uint32_t i)
{
	const struct expr *a = e->call.args[i],
			  *b = i + 1 < e->call.n_args ? e->call.args[i + 1] : a;

	if (a == b || i + 1 >= sig->n_params || b->type->kind == TY_ERROR ||
	    fits_param(&sig->params[i + 1], b) || !fits_param(&sig->params[i], b) ||
	    !fits_param(&sig->params[i + 1], a))
		return false;
	sema_error(s, span_join(a->span, b->span), "arg-type",
		   "these arguments of %s are in the wrong order", e->call.name);
	hint_swapped(s, e, i);
	return true;
}

static int check_args(struct sema *s, struct expr *e, const struct signature *sig)
{
	int err = 0;

	for (uint32_t i = 0; i < e->call.n_args && i < sig->n_params; i++) {
		struct expr *arg = e->call.args[i];

		if (ast_is_set_by(e, i))
			continue; /* it may have no type yet */
		if (arg->type->kind == TY_ERROR) {
			err = -1;
		} else if (!fits_param(&sig->params[i], arg) && report_swapped(s, e, sig, i)) {
			return -1;
		} else if (!fits_param(&sig->params[i], arg)) {
			report_argument(s, e, sig, i);
			err = -1;
			if (prints_several(e, sig))
				break;
		}
	}
	return err;
}

/* The argument of entry() is evaluated at the event that starts the span. */
static void type_entry(struct sema *s, struct expr *arg)
{
	struct probe *here = s->probe;

	if (!here->is_start)
		sema_to_start(s);
	sema_type_expr(s, arg);
	s->probe = here;
}

/* An argument that names a whole map is not read, so only its value type is recorded. */
static void type_arg(struct sema *s, struct expr *e, uint32_t i)
{
	struct expr *arg = e->call.args[i];

	if (e->call.builtin && e->call.builtin->traits & TR_ENTRY) {
		type_entry(s, arg);
		return;
	}
	if (e->call.builtin && e->call.builtin->traits & TR_TYPE) {
		arg->type = sema_type_of(s, arg);
		return;
	}
	if (ast_is_whole_map(e, i) && arg->map.map)
		arg->map.map->is_reached |= s->report;
	if (ast_is_whole_map(e, i))
		arg->type = arg->map.map && arg->map.map->value ? arg->map.map->value : &type_error;
	else if (sema_type_expr(s, arg) && e->call.builtin && e->call.builtin->traits & TR_ACT)
		known_shown(s, arg);
}

/* What a script must not do to the system without its user's consent. */
static bool check_unsafe(struct sema *s, const struct expr *e)
{
	if (!(e->call.builtin->traits & TR_UNSAFE) || s->program->unsafe)
		return true;
	sema_error(s, e->span, "needs-unsafe", "%s() is an unsafe function being used in safe mode",
		   e->call.name);
	sema_hint(s, "the option --unsafe allows it");
	return false;
}

const struct type *sema_wrong_arg(struct sema *s, const struct expr *e, const struct expr *arg,
				  const char *what, const char *hint)
{
	if (arg->type->kind == TY_ERROR)
		return &type_error;
	if (arg->type->kind == TY_FLOAT)
		return float_refuse(s, arg, e->call.name);
	sema_error(s, arg->span, "arg-type", "%s needs %s here, but this is %s", e->call.name, what,
		   sema_name_of(s, arg->type));
	if (hint)
		return sema_hint(s, "%s", hint);
	hint_example(s, e->call.builtin);
	return &type_error;
}

const struct type *chk_none(struct sema *s, struct expr *e)
{
	const struct builtin *b = ast_builtin(e);
	struct signature sig;

	return b && builtin_signature(b, &sig) && sig.result ? sig.result : &type_error;
}

const struct type *sema_type_call(struct sema *s, struct expr *e)
{
	const struct builtin *b = e->call.builtin;
	struct signature sig;

	for (uint32_t i = 0; i < e->call.n_args; i++)
		type_arg(s, e, i);
	if (e->call.imported)
		return sema_type_imported(s, e);
	if (!b && s->report)
		name_report_unknown(s, e);
	if (!b || !builtin_signature(b, &sig))
		return &type_error;
	if (!check_unsafe(s, e) || check_arity(s, e, &sig) || check_args(s, e, &sig))
		return b->kind == BUILTIN_FN && sig.result ? sig.result : &type_error;
	return b->check(s, e);
}
