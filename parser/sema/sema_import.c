/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of functions of imported BPF (bpf_import.h). Imports are read when the first function is
 * called that is no builtin, macro or function of the script.
 */
#include "parser/base/text.h"
#include "parser/lang/bpf_import.h"
#include "parser/sema/sema_type.h"

static void read_import(struct sema *s, struct bpf_import *import)
{
	const char *why = "this kernel's facts come from a file";

	if (import->is_read)
		return;
	import->is_read = true;
	if (s->kernel->read_bpf)
		why = s->kernel->read_bpf(s->kernel, s->arena, import);
	if (why)
		diag_error(s->diags, import->span, "import", "cannot import '%s': %s", import->name,
			   why);
}

static const struct bpf_function *find_in(const struct bpf_import *import, const char *name)
{
	return TEXT_ITEM(import->functions, import->n_functions, name, name);
}

/* What a builtin may not do without --unsafe imported code may not do either. */
static void use(struct sema *s, struct bpf_import *import)
{
	if (!import->is_used && import->unsafe_use && !s->program->unsafe) {
		diag_error(s->diags, import->span, "needs-unsafe",
			   "'%s' can change more than its own maps: %s", import->name,
			   import->unsafe_use);
		diag_hint(s->diags, "the option --unsafe allows it");
	}
	import->is_used = true;
}

bool sema_find_imported(struct sema *s, struct expr *e)
{
	struct program *p = s->program;
	bool has_failed = false;

	for (uint32_t i = 0; i < p->n_bpf_imports; i++) {
		struct bpf_import *import = &p->bpf_imports[i];
		const struct bpf_function *f;

		read_import(s, import);
		has_failed |= !import->bytes;
		f = find_in(import, e->call.name);
		if (!f)
			continue;
		use(s, import);
		e->call.imported = f;
		if (f->obstacle)
			diag_error(s->diags, e->call.name_span, "import",
				   "'%s' cannot be called from a script: %s", f->name, f->obstacle);
		return true;
	}
	/* The function may be in a file that could not be read: its error is enough. */
	return has_failed;
}

/* ---- types ------------------------------------------------------------------------------- */

/* What is passed by its address. */
static bool has_address(const struct type *t)
{
	return t->kind == TY_POINTER || t->kind == TY_STRING || t->kind == TY_BUFFER ||
	       t->kind == TY_STRUCT || t->kind == TY_ARRAY;
}

static bool fits(const struct bpf_type *to, const struct type *t)
{
	if (to->levels)
		return has_address(t) || (type_is_integral(t) && t->size == 8);
	return type_is_integral(t);
}

/* A literal that the parameter cannot hold would be another number there. */
static bool fits_literal(const struct bpf_type *to, const struct expr *arg)
{
	__int128 v;

	return to->levels || !constant_number(arg, &v) || to->size >= 8 ||
	       (v >= constant_least(to->size, to->is_signed) &&
		v <= constant_greatest(to->size, to->is_signed));
}

static void check_arg(struct sema *s, const struct expr *e, uint32_t i)
{
	const struct bpf_function *f = e->call.imported;
	const struct expr *arg = e->call.args[i];

	if (arg->type->kind == TY_ERROR)
		return;
	if (!fits(&f->params[i], arg->type))
		sema_wrong_arg(s, e, arg, f->params[i].levels ? "an address" : "an integer", NULL);
	else if (!fits_literal(&f->params[i], arg))
		sema_error(s, arg->span, "arg-type", "this number does not fit the parameter of %s",
			   f->name);
	else
		return;
	sema_hint(s, "usage: %s", bpf_function_str(s->arena, f));
}

const struct type *sema_type_imported(struct sema *s, struct expr *e)
{
	const struct bpf_function *f = e->call.imported;

	if (f->obstacle)
		return &type_error;
	if (e->call.n_args != f->n_params) {
		sema_error(s, e->span, "arg-count", "%s takes %u argument%s, not %u", f->name,
			   f->n_params, f->n_params == 1 ? "" : "s", e->call.n_args);
		sema_hint(s, "usage: %s", bpf_function_str(s->arena, f));
	}
	for (uint32_t i = 0; i < e->call.n_args && i < f->n_params; i++)
		check_arg(s, e, i);
	return f->result.base == BPF_BASE_VOID && !f->result.levels ? &type_void : f->result.type;
}
