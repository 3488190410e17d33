/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of probes on functions of Go. Those of the compiler are passed their arguments in
 * registers, one of which holds the goroutine. Those of the assembler, and all before Go 1.17, have
 * the arguments and results on the stack.
 */
#include "parser/sema/sema_type.h"

static bool unknown_version(struct sema *s, const struct expr *e, const struct attach_point *p)
{
	sema_error(s, e->span, "go-version",
		   "cannot tell how %s passes arguments: its version of Go is not known",
		   p->targets[0].path);
	sema_hint(s, "the file has no readable section .go.buildinfo");
	return false;
}

/* What to do about a function whose arguments are on the stack. */
static void hint(struct sema *s, const char *function)
{
	size_t n = strlen(function), k = strlen(GO_ASSEMBLER_SUFFIX);

	if (!s->report)
		return;
	if (n > k && strcmp(function + n - k, GO_ASSEMBLER_SUFFIX) == 0)
		diag_hint(s->diags,
			  "it is of Go's assembler: probe the function of Go that calls it");
	else
		diag_hint(s->diags,
			  "build the program with Go 1.17 or newer (1.18 on arm64), which passes "
			  "arguments in registers");
}

bool sema_go_argument(struct sema *s, const struct expr *e, const struct attach_point *p)
{
	uint32_t n;
	const struct attach_target *t = probe_functions(p, &n);

	if (probe_abi(p) == USER_ABI_GO_UNKNOWN)
		return unknown_version(s, e, p);
	for (uint32_t i = 0; probe_abi(p) == USER_ABI_GO_STACK && i < n; i++) {
		if (t[i].is_entry)
			continue;
		sema_error(s, e->span, "not-entry",
			   "the arguments of %s are on the stack, and their place is known only at "
			   "its start",
			   t[i].function);
		hint(s, t[i].function);
		return false;
	}
	return true;
}

bool sema_go_result(struct sema *s, const struct expr *e, const struct attach_point *p)
{
	if (probe_abi(p) == USER_ABI_GO_UNKNOWN)
		return unknown_version(s, e, p);
	if (probe_abi(p) != USER_ABI_GO_STACK)
		return true;
	sema_error(s, e->span, "go-stack",
		   "the result of %s is on the stack, and its place is not known",
		   p->targets[0].function);
	hint(s, p->targets[0].function);
	return false;
}

/* Calls on one stack cannot be told from those on others. */
static bool no_nesting(struct sema *s, const struct expr *e, const struct attach_point *p,
		       const char *word)
{
	const struct user_switch *x = probe_switches(p);
	const char *why =
		x->file ? arena_printf(s->arena, "%s uses %s", x->file, x->function) : x->function;

	sema_error(s, e->span, "no-span",
		   "'%s' is not available for %s: its program switches stacks (%s)", word, p->name,
		   why);
	if (!x->copies)
		sema_hint(s, "which calls are inside others is not known, but how long they "
			     "take is: @[func] = hist(delta)");
	else
		sema_hint(s, "the stacks are copied to the same addresses, which do not tell "
			     "calls apart; count() and retval work");
	return false;
}

bool sema_switch_span(struct sema *s, const struct expr *e, const struct attach_point *p,
		      const char *word, bool is_nested)
{
	const struct user_switch *x = probe_switches(p);

	if (!x || probe_abi(p) != USER_ABI_C)
		return true;
	if (is_nested || x->copies)
		return no_nesting(s, e, p, word);
	if (ast_counts_open(s->program, s->probe) && s->report)
		diag_warning(
			s->diags, s->probe->span, "go-span",
			"calls of programs that switch stacks are not counted if they have not "
			"returned");
	return true;
}

bool sema_go_span(struct sema *s, const struct expr *e, const struct attach_point *p,
		  const char *word)
{
	if (probe_abi(p) == USER_ABI_C)
		return true;
	if (probe_abi(p) == USER_ABI_GO_UNKNOWN)
		return unknown_version(s, e, p);
	if (probe_abi(p) == USER_ABI_GO_STACK) {
		sema_error(s, e->span, "go-span",
			   "'%s' is not available for %s: no register holds its goroutine", word,
			   p->targets[0].function);
		hint(s, p->targets[0].function);
		return false;
	}
	if (ast_counts_open(s->program, s->probe) && s->report)
		diag_warning(s->diags, s->probe->span, "go-span",
			     "calls of functions of Go that have not returned are not counted: the "
			     "kernel cannot list goroutines");
	return true;
}
