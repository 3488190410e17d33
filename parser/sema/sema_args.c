/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The check hooks of `args`, `argN` and `retval`. Their types come from tracepoint formats and
 * BTF; for user functions see sema_user_args.c.
 */
#include "parser/lang/field_type.h"
#include "parser/base/text.h"
#include "parser/lang/syscalls.h"
#include "parser/sema/sema_type.h"

const struct tp_field *sema_args_fields(const struct attach_point *p, uint32_t *n)
{
	const struct typed_function *f = probe_typed(p);
	const struct tp_format *format = probe_format(p);

	*n = f ? f->n_params : format ? format->n_fields : 0;
	return f ? f->params : format ? format->fields : NULL;
}

const struct tp_field *sema_field_named(const struct tp_field *fields, uint32_t n, const char *name)
{
	return TEXT_ITEM(fields, n, name, name);
}

const struct tp_field *sema_args_field(const struct attach_point *p, const char *name)
{
	static const struct tp_field unchecked = {.name = "",
						  .type_text = "long",
						  .size = 8,
						  .is_signed = true};
	uint32_t n;
	const struct tp_field *fields = sema_args_fields(p, &n);

	if (probe_format(p) && probe_format(p)->is_unchecked)
		return &unchecked;
	return sema_field_named(fields, n, name);
}

static const char *list_fields(struct arena *a, const struct tp_field *fields, uint32_t n)
{
	const char *list = "";

	for (uint32_t i = 0; i < n; i++)
		if (*fields[i].name)
			list = arena_list(a, list, "args.%s", fields[i].name);
	return list;
}

/* The field of which the word is a part: filename of `file`; the first of several. */
static const char *field_with(const struct tp_field *fields, uint32_t n, const char *word)
{
	for (uint32_t i = 0; i < n && strlen(word) > 2; i++)
		if (strstr(fields[i].name, word))
			return fields[i].name;
	return NULL;
}

/* A field of the other end of the system call: `ret` in sys_enter_NAME. */
static bool hint_other_end(struct sema *s, const struct expr *e, const struct attach_point *p)
{
	const struct tp_format *here = probe_format(p), *other = NULL;
	struct kernel *k = s->kernel;
	const char *name, *event;

	if (probe_syscall(p) < 0)
		return false;
	name = syscall_name((int)probe_syscall(p));
	event = arena_printf(s->arena, "%s_%s",
			     strstr(here->event, "enter") ? "sys_exit" : "sys_enter", name);
	if (k->tracepoint(k, here->category, event, &other))
		return false;
	if (!sema_field_named(other->fields, other->n_fields, e->field.name))
		return false;
	sema_hint(s, "tracepoint:%s:%s has args.%s", here->category, event, e->field.name);
	return true;
}

/* `sys_enter_*`, of which some have the field. */
static bool hint_other_point(struct sema *s, const struct expr *e)
{
	for (uint32_t i = 0; i < s->probe->n_points; i++)
		if (sema_args_field(&s->probe->points[i], e->field.name))
			return sema_hint(
				       s,
				       "%s has it: attach only to points that have it, separated by commas",
				       s->probe->points[i].name),
			       true;
	return false;
}

static const struct type *no_field(struct sema *s, struct expr *e, const struct attach_point *p)
{
	const char *what = probe_typed(p) ? "argument" : "field";
	struct nearest near;
	uint32_t n;
	const struct tp_field *fields = sema_args_fields(p, &n);

	sema_error(s, e->field.name_span, "unknown-field", "%s has no %s '%s'", p->name, what,
		   e->field.name);
	nearest_init(&near, e->field.name);
	for (uint32_t i = 0; i < n; i++)
		nearest_offer(&near, fields[i].name);
	if (!near.best)
		near.best = field_with(fields, n, e->field.name);
	if (near.best)
		return sema_hint(s, "did you mean '%s'?", near.best);
	if (s->probe->is_start)
		return sema_hint(
			s,
			"entry(…) refers to the event that starts the span; for the one that ends it write args.%s",
			e->field.name);
	if (hint_other_end(s, e, p) || hint_other_point(s, e) || !n)
		return &type_error;
	return sema_hint(s, "its %ss are: %s", what, list_fields(s->arena, fields, n));
}

/* The type of a field that is an enum: its values have names. */
static const struct type *enum_type(struct sema *s, const struct tp_field *f)
{
	const struct type *t = NULL;

	if (strncmp(f->type_text, "enum ", 5) == 0)
		t = c_types_parse(s->program->c_types, f->type_text, SPACE_NONE);
	return t && t->size == f->size ? t : NULL;
}

/* ---- kprobe ------------------------------------------------------------------------------ */

/* The function's prototype in BTF. NULL: there is none, which is reported. */
static const struct typed_function *kernel_prototype(struct sema *s, const struct expr *e,
						     const struct attach_target *t)
{
	const struct typed_function *typed = NULL;
	struct kernel *k = s->kernel;

	if (!t->offset && !t->address && k->typed &&
	    k->typed(k, TYPED_FUNCTION, t->module, t->symbol, &typed) == 0)
		return typed;
	sema_error(s, e->span, "no-types",
		   t->offset || t->address
			   ? "%s is probed inside, where its arguments are not known"
			   : "the kernel's type information (BTF) does not describe %s",
		   t->symbol ? t->symbol : "this function");
	sema_hint(s, "arg0 to arg5 are the argument registers");
	return NULL;
}

/* The argument must be at the same place in all functions. */
static bool kernel_args_known(struct sema *s, const struct expr *e, struct attach_point *p)
{
	const struct tp_field *first = NULL, *f;

	for (uint32_t i = 0; i < p->n_targets; i++) {
		const struct attach_target *t = &p->targets[i];
		const struct typed_function *typed = kernel_prototype(s, e, t);

		if (!typed)
			return false;
		p->kernel.typed = i ? p->kernel.typed : typed;
		f = sema_field_named(typed->params, typed->n_params, e->field.name);
		if (i && (!first != !f || (f && (f->offset != first->offset ||
						 strcmp(f->type_text, first->type_text) != 0)))) {
			sema_error(s, e->field.name_span, "arguments-differ",
				   "args.%s is not the same in %s and %s", e->field.name,
				   p->targets[0].symbol, t->symbol);
			return false;
		}
		first = f;
	}
	return true;
}

/* ---- all probes -------------------------------------------------------------------------- */

static const struct type *field_at(struct sema *s, struct expr *e, struct attach_point *p)
{
	const struct tp_field *f;
	const struct type *t;

	if (point_has(p, ARM_USER) && !user_args_known(s, e, p))
		return &type_error;
	if (point_has(p, ARM_KERNEL) && !kernel_args_known(s, e, p))
		return &type_error;
	f = sema_args_field(p, e->field.name);
	if (!f)
		return no_field(s, e, p);
	e->field.fields[p - s->probe->points] = f;
	if (point_has(p, ARM_USER))
		return user_arg_type(s, e, p, f);
	t = probe_typed(p) ? field_pointer_type(s->arena, f, ast_space(s->probe)) : NULL;
	t = t ? t : enum_type(s, f);
	t = t ? t : field_type(s->arena, f);
	if (t && t->kind == TY_POINTER && t->space == SPACE_NONE)
		return type_pointer(s->arena, t->to, ast_space(s->probe));
	if (t)
		return t;
	sema_error(s, e->field.name_span, "argument-type",
		   "args.%s, of type %s, is neither a number, an address nor text", e->field.name,
		   f->type_text);
	if (point_has(p, ARM_TRACEPOINT))
		sema_hint(s, "rawtracepoint:%s has the arguments that the fields are made of",
			  p->tracepoint.format->event);
	else if (probe_typed(p))
		sema_hint(s, "kprobe:%s has the arguments' registers: arg0, arg1, …",
			  probe_typed(p)->name);
	return &type_error;
}

static bool has_args(const struct attach_point *p)
{
	return probe_is_typed(p) || probe_rows[p->id].context == CTX_TRACEPOINT ||
	       probe_rows[p->id].context == CTX_REGS_ENTRY;
}

const char *sema_where(struct arena *a, bool (*has)(const struct attach_point *p))
{
	const char *list = "";

	for (int i = 0; i < PROBE_COUNT; i++)
		if (has(&(struct attach_point){.id = i}))
			list = arena_list(a, list, "%s", probe_rows[i].name);
	return list;
}

static const struct type *no_args(struct sema *s, const struct expr *e,
				  const struct attach_point *p)
{
	enum probe_context context = probe_rows[p->id].context;

	sema_error(s, e->span, "wrong-probe", "'args' is not available in %s probes",
		   probe_title(p->id));
	if (context == CTX_REGS_RETURN)
		sema_hint(s, "arguments are not available at a return: write entry(args.%s)",
			  e->kind == EX_FIELD ? e->field.name : "NAME");
	else if (context == CTX_NOTE)
		sema_hint(s, "arguments are arg0, arg1, … here");
	else
		sema_hint(s, "it is available in: %s", sema_where(s->arena, has_args));
	return &type_error;
}

/* False: reported. */
static bool fields_known(struct sema *s, const struct expr *e, struct attach_point *p)
{
	if (point_has(p, ARM_USER) && !user_args_known(s, e, p))
		return false;
	if (point_has(p, ARM_KERNEL) && p->n_targets)
		p->kernel.typed = kernel_prototype(s, e, &p->targets[0]);
	if (point_has(p, ARM_KERNEL) && !p->kernel.typed)
		return false;
	if (!probe_format(p) || !probe_format(p)->is_unchecked)
		return true;
	sema_error(s, e->span, "args-field", "the fields of %s are not known: write args.FIELD",
		   p->name);
	return false;
}

/* The record of all fields. */
static const struct type *whole_args(struct sema *s, struct expr *e)
{
	for (uint32_t i = 0; i < s->probe->n_points; i++)
		if (!fields_known(s, e, &s->probe->points[i]))
			return &type_error;
	return args_as_record(s, e);
}

/* A value whose address is passed or returned is read there. `n` of the attach points do that;
 * `is_address`: of `e`, whose type as an address is `t`. */
static const struct type *at_address(struct sema *s, struct expr *e, const struct type *t,
				     uint32_t n, bool *is_address)
{
	struct expr *address;

	if (!n || *is_address || t->kind == TY_ERROR)
		return t;
	if (n != s->probe->n_points) {
		sema_error(s, e->span, "type-mismatch",
			   "this is in memory at one attach point and in registers at another");
		return sema_hint(s, "write a probe for each attach point");
	}
	*is_address = true;
	address = arena_new_of(s->arena, struct expr);
	*address = *e;
	return sema_become(s, e, ast_unary(s->arena, e->span, OP_DEREF, address));
}

/* `args` alone, or args.FIELD: every attach point of the probe must have the field. */
const struct type *chk_args(struct sema *s, struct expr *e)
{
	const struct type *t = NULL;
	uint32_t n = s->probe->n_points, n_addresses = 0;

	if (sema_is_lost_slice(s, e, "args"))
		return &type_error;
	if (e->kind == EX_FIELD && !e->field.fields)
		e->field.fields = arena_alloc(s->arena, (n + 1) * sizeof(*e->field.fields));
	for (uint32_t i = 0; i < n; i++) {
		struct attach_point *p = &s->probe->points[i];

		if (!has_args(p))
			return no_args(s, e, p);
		if (e->kind == EX_FIELD) {
			const struct type *f = field_at(s, e, p);
			const struct type *u = t ? field_common_type(s->arena, t, f) : f;

			n_addresses += point_has(p, ARM_USER) && f->kind != TY_ERROR &&
				       e->field.fields[i]->place == PLACE_ADDRESS;

			if (!u) {
				sema_error(s, e->span, "type-mismatch",
					   "args.%s is %s at one attach point and %s at another",
					   e->field.name, type_str(s->arena, t),
					   type_str(s->arena, f));
				u = sema_hint(s, "write a probe for each attach point");
			}
			t = u;
		}
	}
	if (e->kind == EX_FIELD && t)
		return at_address(s, e, memory_given(s, t), n_addresses, &e->field.is_address);
	if (!t && !n)
		return &type_error;
	return whole_args(s, e);
}

/* argN: for a raw tracepoint the number of arguments is known, for a USDT probe also their
 * sizes. */
const struct type *chk_argn(struct sema *s, struct expr *e)
{
	uint32_t n = e->name.builtin->arg;

	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		const struct attach_point *p = &s->probe->points[i];

		if (!sema_go_argument(s, e, p))
			return &type_error;
		if (probe_rows[p->id].context != CTX_TYPED_EVENT || n < p->typed->n_params)
			continue;
		sema_error(s, e->span, "no-argument", "%s has %u argument%s, so there is no '%s'",
			   p->name, p->typed->n_params, p->typed->n_params == 1 ? "" : "s",
			   e->name.name);
		if (p->typed->n_params)
			sema_hint(s, "its arguments are: %s",
				  list_fields(s->arena, p->typed->params, p->typed->n_params));
		return &type_error;
	}
	return memory_given(s, usdt_arg_type(s, e));
}

/* Look up a kernel function in BTF; only for scripts that use `retval`. */
static void find_result(struct sema *s, struct attach_point *p)
{
	struct kernel *k = s->kernel;

	if (point_has(p, ARM_KERNEL) && probe_is_return(p) && !p->kernel.typed &&
	    p->n_targets == 1 && !p->targets[0].address && kernel_has(k, CAP_BTF))
		k->typed(k, TYPED_FUNCTION, p->targets[0].module, p->targets[0].symbol,
			 &p->kernel.typed);
}

/* Of the functions of a pattern, leave out those that return nothing: what is in the register of
 * results then is not theirs. */
static void drop_without_result(struct sema *s, struct attach_point *p)
{
	struct kernel *k = s->kernel;
	uint32_t n = 0;

	if (!point_has(p, ARM_KERNEL) || !probe_is_return(p) || p->n_targets < 2 ||
	    p->kernel.has_results || !kernel_has(k, CAP_BTF))
		return;
	for (uint32_t i = 0; i < p->n_targets; i++) {
		const struct typed_function *typed = NULL;

		k->typed(k, TYPED_FUNCTION, p->targets[i].module, p->targets[i].symbol, &typed);
		if (!typed || strcmp(typed->result.type_text, "void") != 0)
			p->targets[n++] = p->targets[i];
	}
	p->n_targets = n ? n : p->n_targets;
	p->kernel.has_results = true;
}

/* fexit knows what a pointer points to; at other returns the value is a number. */
static const struct type *result_type(struct sema *s, const struct attach_point *p)
{
	const struct type *t = NULL;

	if (probe_rows[p->id].context == CTX_TYPED_RETURN && p->typed)
		t = field_pointer_type(s->arena, &p->typed->result, SPACE_KERNEL);
	return t ? t : field_result_type(p);
}

const struct type *chk_retval(struct sema *s, struct expr *e)
{
	const struct type *t = NULL;
	uint32_t n_addresses = 0;

	for (uint32_t i = 0; i < s->probe->n_points; i++) {
		struct attach_point *p = &s->probe->points[i];
		const struct type *here;

		if (!sema_go_result(s, e, p) || !sema_exits_have_result(s, e, p))
			return &type_error;
		find_result(s, p);
		drop_without_result(s, p);
		here = point_has(p, ARM_USER) ? user_result_type(s, e, p) : result_type(s, p);
		if (here == &type_error)
			return here;
		if (!here)
			return sema_error(s, e->span, "no-value",
					  "%s returns %s, so it has no 'retval'", p->function,
					  strcmp(p->typed->result.type_text, "void")
						  ? p->typed->result.type_text
						  : "nothing");
		n_addresses += point_has(p, ARM_USER) && p->user.is_in_memory;
		t = t ? field_common_type(s->arena, t, here) : here;
		t = t ? t : type_int(8, false);
	}
	t = memory_given(s, t ? t : type_int(8, false));
	return at_address(s, e, t, n_addresses, &e->name.is_address);
}
