/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `args` and `retval` of user functions: parameters and results from debug information, and the
 * registers they are passed in by the calling convention. Looked up only when a script uses them.
 * One program serves all functions that a pattern matches, so a parameter must be the same in all
 * of them; results that differ are the register.
 */
#include "parser/lang/field_type.h"
#include "parser/sema/sema_type.h"
#include <errno.h>

enum { WORD = 8 };

/* Suffixes of functions that the optimiser derived from others. */
static bool is_clone(const struct attach_target *t)
{
	static const char *const words[] = {".isra", ".constprop", ".part", ".cold"};

	for (size_t i = 0; t->abi == USER_ABI_C && i < sizeof(words) / sizeof(*words); i++)
		if (strstr(t->symbol, words[i]))
			return true;
	return false;
}

/* ---- errors -------------------------------------------------------------------------------- */

/* Why the types of a function are not known. */
static const char *why_untyped(struct arena *a, const struct attach_target *t, int err)
{
	switch (-err) {
	case ENOSYS:
		return "'args' of user functions needs the library libdw, which is not installed";
	case ENODATA:
		return arena_printf(a, "%s has no debug information, which 'args' needs", t->path);
	case EFBIG:
		return arena_printf(
			a,
			"the debug information of %s claims to be many times larger than the file",
			t->path);
	case EPROTONOSUPPORT:
		return arena_printf(
			a,
			"the debug information of %s is compressed by zstd, which libdw cannot read here",
			t->path);
	case ENOLINK:
		return arena_printf(
			a,
			"the debug information of %s in %s is in a .dwo or .dwp file that is missing or cannot be read",
			t->function, t->path);
	case ENOPKG:
		return arena_printf(
			a,
			"the debug information of %s is in a package (.dwp), which this version of libdw does not read",
			t->path);
	default:
		return arena_printf(a, "the debug information of %s does not describe %s", t->path,
				    t->function);
	}
}

static const char *what_to_do(int err)
{
	switch (-err) {
	case ENOSYS: return "install it (libdw1, elfutils-libs)";
	case EFBIG:
	case EPROTONOSUPPORT: return "decompress it (objcopy --decompress-debug-sections)";
	case ENOLINK:
		return "keep it where the compiler put it, or collect all in a package beside the program (dwp -e PROGRAM; needs libdw 0.191)";
	case ENOPKG:
		return "install libdw 0.191 or later (elfutils), or keep the object files (.dwo) where the compiler put them";
	case ENODATA: return "build it with -g, or install its debug symbols";
	default: return "compile all of it with -g";
	}
}

/* ---- lookup -------------------------------------------------------------------------------- */

static void report_unknown(struct sema *s, const struct expr *e, const struct attach_point *p,
			   const struct attach_target *t, int err)
{
	if (!t->is_entry) {
		sema_error(s, e->span, "not-entry",
			   "'args' is known only at the start of a function; %s is elsewhere",
			   p->name);
		sema_hint(s, "arg0 to arg5 are the argument registers, whatever they hold there");
	} else if (is_clone(t)) {
		sema_error(
			s, e->span, "changed-function",
			"%s is a clone made by the optimizer: its arguments differ from the source",
			t->symbol);
		sema_hint(
			s,
			"arg0 to arg5 are the registers that it is passed; 'args' works with -O1 or __attribute__((noipa))");
	} else {
		sema_error(s, e->span, "no-debug-info", "%s", why_untyped(s->arena, t, err));
		sema_hint(s, "%s; without it, arg0 to arg5 are the argument registers",
			  what_to_do(err));
	}
}

static bool is_known(struct sema *s, const struct expr *e, const struct attach_point *p,
		     struct attach_target *t)
{
	const struct typed_function *found = NULL;
	struct kernel *k = s->kernel;
	int err = -ENOSYS;

	if (t->typed)
		return true;
	if (k->user_typed && t->is_entry && !is_clone(t))
		err = k->user_typed(k, t->path, t->offset, &found);
	if (err && e)
		report_unknown(s, e, p, t, err);
	t->typed = err ? NULL : found;
	return !err;
}

bool user_args_known(struct sema *s, const struct expr *e, struct attach_point *p)
{
	uint32_t n;
	struct attach_target *t = probe_functions(p, &n);

	for (uint32_t i = 0; i < n && !p->user.is_untyped; i++) {
		if (is_known(s, e, p, &t[i]))
			continue;
		p->user.is_untyped = e && s->report;
		return false;
	}
	p->user.typed = n ? t->typed : NULL;
	return n && !p->user.is_untyped;
}

/* ---- one argument -------------------------------------------------------------------------- */

/* Why a value that is not a word cannot be read, and what can be done. */
static const char *why_unreadable(const struct tp_field *f, const char **hint)
{
	*hint = "read its members at the start of the function that it is passed to";
	switch (f->place) {
	case PLACE_FLOATS:
		*hint = "read it in memory: through a pointer, or as a variable of the function at a source line: uprobe:FILE@SOURCE:LINE { print(NAME); }";
		return "in registers for floating-point numbers, which programs in the kernel do not see";
	case PLACE_LOST:
		*hint = "keep the address that the caller has passed: *(TYPE *)entry(reg(\"x8\"))";
		return "in memory whose address is known at the entry only";
	case PLACE_NUMBER: return "in parts whose places are not known";
	case PLACE_WORDS:
	case PLACE_PARTS:
	case PLACE_ADDRESS: return "of a type that cannot be read";
	}
	return "";
}

static const struct type *not_a_word(struct sema *s, const struct expr *e, const struct tp_field *f)
{
	const char *hint, *why = why_unreadable(f, &hint);

	sema_error(s, e->field.name_span, "argument-type", "args.%s, of type %s, is %s",
		   e->field.name, f->type_text, why);
	return sema_hint(s, "%s", hint);
}

/* A function without a result that can be read: &type_error. */
static const struct type *no_result(struct sema *s, const struct expr *e,
				    const struct attach_target *t, const struct tp_field *f)
{
	const char *hint, *why = why_unreadable(f, &hint);

	if (strcmp(f->type_text, "void") == 0)
		return sema_error(s, e->span, "no-value",
				  "%s returns nothing, so it has no 'retval'", t->function);
	sema_error(s, e->span, "argument-type", "retval of %s, of type %s, is %s", t->function,
		   f->type_text, why);
	return sema_hint(s, "%s", hint);
}

const struct type *user_value_type(struct sema *s, const struct tp_field *f)
{
	if (!f->type ||
	    (f->place != PLACE_WORDS && f->place != PLACE_ADDRESS && f->place != PLACE_PARTS))
		return NULL;
	return f->place == PLACE_ADDRESS ? type_pointer(s->arena, f->type, SPACE_USER)
					 : memory_copied(s, f->type, SPACE_USER);
}

/* "int in arg0" */
static const char *describe(struct arena *a, const struct tp_field *f)
{
	if (!f->size || f->offset == TYPED_NO_PLACE)
		return f->type_text;
	return arena_printf(a, "%s in arg%u", f->type_text, f->offset / WORD);
}

static const struct type *differs(struct sema *s, const struct expr *e,
				  const struct attach_target *t, const struct tp_field *f,
				  const struct attach_target *other, const struct tp_field *g)
{
	bool is_same_name = strcmp(t->function, other->function) == 0;
	const char *x = is_same_name ? t->symbol : t->function;
	const char *y = is_same_name ? other->symbol : other->function;

	if (g)
		sema_error(s, e->field.name_span, "arguments-differ",
			   "args.%s of %s is %s, but in %s it is %s", e->field.name, x,
			   describe(s->arena, f), y, describe(s->arena, g));
	else
		sema_error(s, e->field.name_span, "arguments-differ",
			   "%s has an argument '%s', but %s does not", x, e->field.name, y);
	return sema_hint(s, "write a probe for each kind of function");
}

/* The enum that the debug information of the function's file describes, whose values have names. */
static const struct type *enum_of(struct sema *s, const struct attach_target *target,
				  const struct tp_field *f)
{
	const char *name = strncmp(f->type_text, "const ", 6) ? f->type_text : f->type_text + 6;
	const struct type *t =
		f->is_enum ? c_types_find_user(s->program->c_types, target->path, name) : NULL;

	t = t ? t : f->type; /* a facts file has types of its own */
	return t && t->kind == TY_INT && t->size == f->size && t->enumeration ? t : NULL;
}

/* What it points to is described where the function is. */
static const struct type *word_of(struct sema *s, const struct attach_target *target,
				  const struct tp_field *f)
{
	const struct type *t = field_pointer_type(s->arena, f, SPACE_USER), *to = t;

	while (to && to->kind == TY_POINTER)
		to = to->to;
	if (to && to->kind == TY_VOID && to->name)
		((struct type *)to)->file = target->path;
	t = t ? t : enum_of(s, target, f);
	t = t || f->size ? t : user_value_type(s, f);
	return t ? t : type_int(f->size, f->is_signed);
}

/* The struct that is at an address: of a string, which is shown as its text. NULL: another type. */
static const struct type *string_at(struct sema *s, const struct attach_target *t,
				    const struct tp_field *f)
{
	const struct type *to = NULL;

	if (f->to.levels == 1 && strstr(f->to.text, "string"))
		to = c_types_find_user(s->program->c_types, t->path, f->to.text);
	return to ? type_pointer(s->arena, to, SPACE_USER) : NULL;
}

static bool is_bool(const struct tp_field *f)
{
	return strcmp(f->type_text, "bool") == 0 || strcmp(f->type_text, "_Bool") == 0;
}

/* The type by which a value is shown. */
static struct tp_field shown_as(struct sema *s, const struct attach_target *t,
				const struct tp_field *f)
{
	struct tp_field shown = *f;

	if (f->to.levels)
		shown.type = string_at(s, t, f);
	else if (f->is_enum)
		shown.type = enum_of(s, t, f);
	else if (is_bool(f))
		shown.type = &type_bool;
	else if ((f->place == PLACE_WORDS || f->place == PLACE_PARTS) && f->type)
		layout_complete_whole(f->type);
	return shown;
}

void user_types_shown(struct sema *s, struct attach_point *p, struct attach_target *t)
{
	struct typed_function *shown;

	if (t->has_shown_types || !is_known(s, NULL, p, t))
		return;
	shown = arena_new_of(s->arena, struct typed_function);
	*shown = *t->typed;
	shown->params = arena_alloc(s->arena, (shown->n_params + 1) * sizeof(*shown->params));
	for (uint32_t i = 0; i < shown->n_params; i++)
		shown->params[i] = shown_as(s, t, &t->typed->params[i]);
	shown->result = shown_as(s, t, &t->typed->result);
	shown->results = arena_alloc(s->arena, (shown->n_results + 1) * sizeof(*shown->results));
	for (uint32_t i = 0; i < shown->n_results; i++)
		shown->results[i] = shown_as(s, t, &t->typed->results[i]);
	t->typed = shown;
	t->has_shown_types = true;
}

static bool is_same_value(const struct tp_field *f, const struct tp_field *g)
{
	return f->place == g->place && f->type && g->type && type_equal(f->type, g->type);
}

const struct type *user_arg_type(struct sema *s, const struct expr *e, const struct attach_point *p,
				 const struct tp_field *f)
{
	uint32_t n;
	const struct attach_target *t = probe_functions(p, &n);
	const struct type *type = word_of(s, t, f);

	if (!f->size && !user_value_type(s, f))
		return not_a_word(s, e, f);
	if (f->offset == TYPED_NO_PLACE) {
		sema_error(
			s, e->field.name_span, "argument-place",
			"cannot tell where args.%s of %s is passed: %s", e->field.name, t->function,
			t->typed->unplaced
				? t->typed->unplaced
				: "the compiler decides whether and how an argument before it is passed");
		return sema_hint(s, "arg0 to arg5 are the argument registers, whatever they hold");
	}
	for (uint32_t i = 1; i < n; i++) {
		const struct tp_field *g =
			sema_field_named(t[i].typed->params, t[i].typed->n_params, e->field.name);

		if (!g || g->offset != f->offset || g->size != f->size ||
		    g->is_signed != f->is_signed || (!f->size && !is_same_value(f, g)))
			return differs(s, e, t, f, &t[i], g);
		type = field_common_type(s->arena, type, word_of(s, &t[i], g));
	}
	return type;
}

/* ---- retval -------------------------------------------------------------------------------- */

static const char *result_text(const struct attach_target *t)
{
	return t->typed ? t->typed->result.type_text : "an unknown type";
}

/* Functions of a pattern return different types. One warning for each pattern. */
static void report_mixed(struct sema *s, const struct expr *e, struct attach_point *p,
			 const struct attach_target *t, const struct attach_target *other)
{
	if (!s->report || p->user.is_mixed)
		return;
	p->user.is_mixed = true;
	diag_warning(s->diags, e->span, "results-differ",
		     "retval is the 64 bits of a register here: %s returns %s, but %s returns %s",
		     t->function, result_text(t), other->function, result_text(other));
	diag_hint(s->diags, "write a probe for each kind of function, or cast it: (int32)retval");
}

/* All results of a function of Go: a tuple. */
static const struct type *several(struct sema *s, const struct expr *e,
				  const struct attach_target *t)
{
	uint32_t n = t->typed->n_results;
	struct type_member *members = arena_alloc(s->arena, n * sizeof(*members));

	memset(members, 0, n * sizeof(*members));
	for (uint32_t i = 0; i < n; i++) {
		const struct tp_field *f = &t->typed->results[i];

		if (!f->size && !user_value_type(s, f))
			return no_result(s, e, t, f);
		members[i].type = is_bool(f) ? &type_bool : word_of(s, t, f);
	}
	return type_tuple(s->arena, false, members, n);
}

/* Registers of which each holds a part of the result. */
static void set_parts(struct user_point *u, const struct typed_function *f)
{
	bool is_tuple = f->n_results > 0;

	u->results = is_tuple ? f->results : &f->result;
	u->n_results = is_tuple ? f->n_results : f->result.place == PLACE_PARTS;
}

/* What one function returns. */
static const struct type *one_result(struct sema *s, const struct expr *e, struct user_point *u,
				     const struct attach_target *t)
{
	const struct tp_field *f = &t->typed->result;

	if (!t->typed->n_results && !f->size && !user_value_type(s, f))
		return no_result(s, e, t, f);
	u->result = t->typed->n_results ? several(s, e, t) : word_of(s, t, f);
	set_parts(u, t->typed);
	u->is_in_memory = f->place == PLACE_ADDRESS;
	return u->result;
}

const struct type *user_result_type(struct sema *s, const struct expr *e, struct attach_point *p)
{
	const struct type *word = type_int(8, false), *type = NULL, *here;
	uint32_t n;
	struct attach_target *t = probe_functions(p, &n);

	p->user.result = NULL;
	p->user.is_in_memory = false;
	p->user.n_results = 0;
	if (n == 1 && is_known(s, NULL, p, t))
		return one_result(s, e, &p->user, t);
	for (uint32_t i = 0; i < n; i++) {
		bool is_typed = is_known(s, NULL, p, &t[i]);

		here = !is_typed		 ? word
		       : t[i].typed->result.size ? word_of(s, &t[i], &t[i].typed->result)
						 : NULL;
		if (!here ||
		    (type && (type->size != here->size || type->is_signed != here->is_signed))) {
			report_mixed(s, e, p, t, &t[i ? i : n > 1]);
			return word;
		}
		type = type ? field_common_type(s->arena, type, here) : here;
	}
	return p->user.result = type ? type : word;
}
