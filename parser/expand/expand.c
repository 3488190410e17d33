/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of the steps: imports, checks of definitions, calls. A probe without calls of macros or
 * functions keeps its tree; of the others the tree is copied.
 */
#include "parser/expand/expander.h"
#include "parser/expand/standard.h"

struct scan {
	const struct program *program;
	bool found;
};

static bool is_defined(const struct program *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_functions; i++)
		if (strcmp(p->functions[i]->name, name) == 0)
			return true;
	return standard_has(name);
}

static void find_call(struct expr *e, void *ctx)
{
	struct scan *scan = ctx;

	if (scan->found)
		return;
	if (e->kind == EX_NAME)
		scan->found = is_defined(scan->program, e->name.name);
	else if (e->kind == EX_CALL)
		scan->found = is_defined(scan->program, e->call.name);
	ast_each_child(e, find_call, ctx);
}

static void expand_probe(struct expander *x, struct probe *p)
{
	static const struct frame script;
	struct scan scan = {.program = x->program};

	ast_each_in_probe(p, find_call, &scan);
	if (!scan.found)
		return;
	if (p->predicate)
		p->predicate = copy_expr(x, &script, p->predicate);
	p->body = copy_block(x, &script, &p->body);
}

/* A function that is never called is checked as if a probe called it. */
static void check_unused(struct expander *x, struct function *f)
{
	static const struct frame script;
	struct probe *p = arena_new_of(x->arena, struct probe);
	struct attach_text text = {"BEGIN", f->name_span};
	struct stmt *st;

	p->span = f->span;
	p->open_span = f->name_span;
	p->is_unused_fn = true;
	arena_push(x->arena, p->texts, p->n_texts, text);
	st = AST_STMT(x->arena, f->name_span, ST_EXPR, .is_discard = true,
		      .expr = call_expand(x, &script, f, f->name_span, NULL));
	arena_push(x->arena, p->body.items, p->body.n, st);
	arena_push(x->arena, x->program->probes, x->program->n_probes, p);
}

void expand_imports(struct arena *a, struct program *p, struct diags *d)
{
	struct expander x = {.arena = a, .diags = d, .program = p};

	import_all(&x);
}

int expand_calls(struct arena *a, struct program *p, struct diags *d)
{
	struct expander x = {.arena = a, .diags = d, .program = p};
	uint32_t n_own = p->n_functions;

	for (uint32_t i = 0; i < n_own; i++)
		define_check(&x, i);
	if (d->n_errors)
		return -1;
	for (uint32_t i = 0; i < p->n_probes; i++)
		expand_probe(&x, p->probes[i]);
	for (uint32_t i = 0; i < n_own; i++)
		if (!p->functions[i]->is_macro && !p->functions[i]->is_used)
			check_unused(&x, p->functions[i]);
	return d->n_errors ? -1 : 0;
}
