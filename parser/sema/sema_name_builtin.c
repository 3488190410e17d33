/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of builtins and functions, a part of pass 1: what an identifier and a call refer to, and
 * hints for those that refer to nothing.
 */
#include "parser/sema/sema_name.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/base/nearest.h"
#include "parser/lang/foreign_word.h"
#include "parser/lang/unimplemented.h"
#include <string.h>
#include <strings.h>

static const char *nearest_builtin(const char *word, bool call)
{
	struct nearest near;

	nearest_init(&near, word);
	for (uint32_t i = 0; i < BI_COUNT; i++)
		if (strcasecmp(builtins[i].name, word) == 0)
			return builtins[i].name;
	for (uint32_t i = 0; i < BI_COUNT; i++)
		if ((builtins[i].kind != BUILTIN_VAR) == call)
			nearest_offer(&near, builtins[i].name);
	return near.best;
}

/* Hint what an unknown name or function might have been meant to be. */
static void hint_unknown(struct sema *s, const char *word, bool call)
{
	const char *near = nearest_builtin(word, call);
	const struct builtin *b = builtin_find(word);
	const struct attach_point *first = s->probe->n_points ? &s->probe->points[0] : NULL;
	const struct tp_format *format = first ? probe_format(first) : NULL;

	if (!b && !call && s->probe->n_points && s->probe->points[0].id == PROBE_UPROBE)
		user_args_known(s, NULL, &s->probe->points[0]);
	if (b && !call)
		diag_hint(s->diags, "%s is a function: write %s(%s)", word, word,
			  strstr(b->signature, "()") || strstr(b->signature, "([") ? "" : "…");
	else if (!call && first && sema_args_field(first, word) &&
		 !(format && format->is_unchecked))
		diag_hint(s->diags, "write args.%s", word);
	else if (foreign_hint(word))
		diag_hint(s->diags, "%s", foreign_hint(word));
	else if (b)
		diag_hint(s->diags, "%s is not a function: write it without parentheses", word);
	else if (near)
		diag_hint(s->diags, "did you mean '%s'?", near);
	else
		diag_hint(
			s->diags,
			call ? "'sonde --help builtins' lists the functions"
			     : "'sonde --help builtins' lists them; variables begin with $, strings are in double quotes: \"%s\"",
			word);
}

/* Report a word of bpftrace's language that is not implemented. False when `row` is NULL. */
static bool report_unimplemented(struct sema *s, struct span span, const char *word,
				 const struct unimplemented_word *row)
{
	if (!row)
		return false;
	diag_error(s->diags, span, "not-built", "'%s' is not implemented yet", word);
	if (row->hint)
		diag_hint(s->diags, "%s", row->hint);
	return true;
}

static bool report_unimplemented_call(struct sema *s, const struct expr *e, const struct builtin *b)
{
	const struct expr *arg = e->call.n_args ? e->call.args[0] : NULL;
	const char *word = arg && arg->kind == EX_NAME ? arg->name.name : "";
	const struct unimplemented_word *row = unimplemented_find(e->call.name, UNIMPLEMENTED_CALL);

	if (!b)
		return report_unimplemented(s, e->call.name_span, e->call.name,
					    row ? row
						: unimplemented_find(e->call.name,
								     UNIMPLEMENTED_NAME));
	return b->kind == BUILTIN_VAR &&
	       report_unimplemented(s, e->span,
				    arena_printf(s->arena, "%s(%s)", e->call.name, word),
				    unimplemented_find(word, UNIMPLEMENTED_ARGUMENT));
}

void name_builtin(struct sema *s, struct expr *e)
{
	const struct builtin *b = builtin_find(e->name.name);

	if (b && b->kind == BUILTIN_VAR) {
		e->name.builtin = b;
		return;
	}
	if (!b && (report_unimplemented(s, e->span, e->name.name,
					unimplemented_find(e->name.name, UNIMPLEMENTED_NAME)) ||
		   report_unimplemented(s, e->span, e->name.name,
					unimplemented_find(e->name.name, UNIMPLEMENTED_CALL))))
		return;
	if (b)
		diag_error(s->diags, e->span, "needs-call", "'%s' needs parentheses", e->name.name);
	else
		diag_error(s->diags, e->span, "unknown-name", "unknown name '%s'", e->name.name);
	hint_unknown(s, e->name.name, false);
}

/* kstack(n), ustack(n): at most n frames of the stack. */
static void name_stack(struct sema *s, struct expr *e, const struct builtin *b)
{
	const struct expr *n = e->call.args[0];
	uint64_t limit = n->kind == EX_INT ? n->integer.value : 0;

	if (e->call.n_args > 1 || limit == 0 || limit > LIMIT_FRAMES) {
		diag_error(s->diags, e->span, "stack-limit", "%s takes a number of frames, 1 to %d",
			   b->name, LIMIT_FRAMES);
		diag_hint(s->diags, "write %s(5), or %s for all frames", b->name, b->name);
		limit = 1;
	}
	e->kind = EX_NAME;
	e->name.name = b->name;
	e->name.builtin = b;
	e->name.limit = (uint32_t)limit;
}

void name_call(struct sema *s, struct expr *e)
{
	const struct builtin *b = builtin_find(e->call.name);

	if (b && b->kind != BUILTIN_VAR) {
		e->call.builtin = b;
		return;
	}
	if (b && e->call.n_args == 0) { /* so that later passes see one form */
		e->kind = EX_NAME;
		e->name.name = b->name;
		e->name.builtin = b;
		e->name.limit = 0;
		return;
	}
	if (report_unimplemented_call(s, e, b)) {
		e->call.n_args = 0; /* its arguments need no further errors */
		return;
	}
	if (b && b->traits & TR_STACK) {
		name_stack(s, e, b);
		return;
	}
	diag_error(s->diags, e->call.name_span, "unknown-function",
		   b ? "'%s' takes no arguments" : "unknown function '%s'", e->call.name);
	hint_unknown(s, e->call.name, true);
}
