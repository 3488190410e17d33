/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The body of a macro or function in place of its call. A macro's parameters are replaced by the
 * arguments; its other variables get a mark, so that they are not those of the caller, unless it is
 * a macro of C. A function's parameters are variables that the arguments are assigned to, and
 * `return` assigns the result and leaves the body.
 */
#include "parser/expand/expander.h"
#include "parser/lang/ast_value.h"

/* After a report: something harmless. */
static struct expr *nothing(struct expander *x, struct span at)
{
	return ast_int(x->arena, at, 0);
}

static void report_recursion(struct expander *x, const struct frame *f, struct span call,
			     const struct function *callee)
{
	const char *chain = callee->name;
	const struct frame *at = f;

	for (; at && at->of != callee; at = at->outer)
		if (at->of)
			chain = arena_printf(x->arena, "%s > %s", at->of->name, chain);
	chain = arena_printf(x->arena, "%s > %s", callee->name, chain);
	diag_error(x->diags, call, "recursive-call", "recursive calls are not possible: %s", chain);
	diag_hint(x->diags, "use a loop: while (…) { … } or for ($i : 0..n) { … }");
}

static bool is_recursive(const struct frame *f, const struct function *callee)
{
	for (; f; f = f->outer)
		if (f->of == callee)
			return true;
	return false;
}

static struct expr *marked_var(struct expander *x, const struct frame *g, struct span s,
			       const char *name)
{
	struct expr *e = ast_var(x->arena, s, name);

	e->var.mark = g->mark;
	return e;
}

static void add(struct expander *x, struct block *list, struct stmt *st)
{
	arena_push(x->arena, list->items, list->n, st);
}

/* The parameters and the result of a fn as variables. */
static struct block declare(struct expander *x, const struct frame *g, struct span call)
{
	const struct function *fn = g->of;
	struct block list = {0};

	for (uint32_t i = 0; i < fn->n_params; i++) {
		struct span at = g->args ? g->args[i]->span : fn->params[i]->span;
		struct stmt *let =
			ast_stmt_let(x->arena, at, marked_var(x, g, at, fn->params[i]->var.name),
				     copy_type(x, g, fn->types[i]), g->args ? g->args[i] : NULL);

		let->let.param_of = fn;
		add(x, &list, let);
	}
	if (g->result)
		add(x, &list,
		    ast_stmt_let(x->arena, call, marked_var(x, g, call, g->result),
				 copy_type(x, g, fn->result), NULL));
	return list;
}

static struct expr *expand_fn(struct expander *x, struct frame *g, struct span call)
{
	const struct function *fn = g->of;
	struct expr *value = NULL;
	struct block list;

	if (!ast_is_void(fn->result))
		g->result = arena_printf(x->arena, "%s()", fn->name);
	list = declare(x, g, call);
	add(x, &list, AST_STMT(x->arena, call, ST_CALLED, .block = copy_block(x, g, &fn->body)));
	if (g->result)
		value = marked_var(x, g, call, g->result);
	return ast_value_block(x->arena, call, list, value);
}

static struct expr *expand_macro(struct expander *x, struct frame *g, struct span call)
{
	struct block body = copy_block(x, g, &g->of->body);
	struct expr *value = ast_take_value(x->arena, &body);

	return ast_value_block(x->arena, call, body, value);
}

struct expr *call_expand(struct expander *x, const struct frame *f, struct function *callee,
			 struct span call, struct expr **args)
{
	struct frame g = {.of = callee, .outer = f, .args = args};
	const struct source *script = x->program->source;
	uint32_t start;

	callee->is_used = true;
	callee->n_calls++;
	g.mark = callee->is_of_c ? f->mark : ++x->n_marks;
	if (is_recursive(f, callee)) {
		report_recursion(x, f, call, callee);
		return nothing(x, call);
	}
	start = source_add_copy(x->arena, script, callee->span, call);
	if (!start) {
		diag_error(x->diags, call, "limit-macro",
			   "the copies of macros and functions have too much text");
		return nothing(x, call);
	}
	g.shift = start - callee->span.start;
	return (callee->is_macro ? expand_macro : expand_fn)(x, &g, call);
}
