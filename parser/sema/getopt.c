/* SPDX-License-Identifier: Apache-2.0 */
/*
 * getopt("name", default, "description"): bpftrace's spelling of an `option` item. The first call of
 * a name declares the item, whose type is that of the default; each call is replaced by its value.
 */
#include "parser/sema/param.h"
#include "parser/sema/sema.h"

static bool is_negative(const struct expr *e)
{
	return e->kind == EX_UNARY && e->unary.op == OP_NEG && e->unary.operand->kind == EX_INT;
}

static bool is_literal(const struct expr *e)
{
	return e->kind == EX_INT || e->kind == EX_STRING || is_negative(e);
}

/* True when the arguments are literals, as they must be. */
static bool is_option(struct sema *s, const struct expr *e)
{
	static const char *const what[] = {"the name", "the default", "the description"};

	if (e->call.n_args < 1 || e->call.n_args > 3) {
		diag_error(s->diags, e->span, "arg-count", "getopt takes 1 to 3 arguments, not %u",
			   e->call.n_args);
		return false;
	}
	for (uint32_t i = 0; i < e->call.n_args; i++) {
		const struct expr *arg = e->call.args[i];

		if (i == 1 ? is_literal(arg) : arg->kind == EX_STRING)
			continue;
		diag_error(s->diags, arg->span, "arg-type", "%s of an option must be a literal%s",
			   what[i], i == 1 ? "" : " string");
		return false;
	}
	return true;
}

/* Its name is that of the option, so that no `$name` is taken for it. */
static struct param_item *find(const struct sema *s, const char *name)
{
	return param_find(s, arena_join(s->arena, "--", name, ""));
}

static const char **type_of(const struct expr *other)
{
	static const char *types[] = {"bool", "string", "int64", "uint64"};

	if (other->kind == EX_INT && other->integer.is_bool)
		return &types[0];
	return other->kind == EX_STRING ? &types[1] : is_negative(other) ? &types[2] : &types[3];
}

static void declare(struct sema *s, const struct expr *e)
{
	const char *name = e->call.args[0]->string.text;
	struct expr *other =
		e->call.n_args > 1 ? e->call.args[1] : ast_bool(s->arena, e->span, false);
	const char *doc = e->call.n_args > 2 ? e->call.args[2]->string.text : "";
	struct param_item *same = find(s, name);

	if (!same) {
		struct param_item item = {.span = e->span,
					  .name_span = e->span,
					  .is_option = true,
					  .is_getopt = true,
					  .name = arena_join(s->arena, "--", name, ""),
					  .form = {.words = type_of(other), .n_words = 1},
					  .other = other,
					  .doc = doc};

		arena_push(s->arena, s->program->items, s->program->n_items, item);
		return;
	}
	if (ast_is_same(same->other, other) && same->form.words == type_of(other) &&
	    (!*same->doc || !*doc || strcmp(same->doc, doc) == 0)) {
		same->doc = *same->doc ? same->doc : doc;
		return;
	}
	diag_error(s->diags, e->span, "redeclared",
		   "option --%s has another default or description elsewhere", name);
	diag_note(s->diags, same->span, "here");
}

static bool is_getopt(const struct expr *e)
{
	const struct builtin *b = e->kind == EX_CALL ? builtin_find(e->call.name) : NULL;

	return b && b->check == chk_getopt;
}

static void collect(struct expr *e, void *ctx)
{
	ast_each_child(e, collect, ctx);
	if (is_getopt(e) && is_option(ctx, e))
		declare(ctx, e);
}

void getopt_declare(struct sema *s)
{
	struct program *p = s->program;

	for (uint32_t i = 0; i < p->n_probes; i++)
		ast_each_in_probe(p->probes[i], collect, s);
}

void getopt_declare_all(struct arena *a, struct program *p)
{
	struct diags quiet = {.arena = a, .source = p->source};
	struct sema s = {.arena = a, .diags = &quiet, .program = p};

	getopt_declare(&s);
	for (uint32_t i = 0; i < p->n_functions; i++)
		ast_each_in_block(&p->functions[i]->body, collect, &s);
}

bool getopt_resolve(struct sema *s, struct expr *e)
{
	const struct builtin *b = e->call.builtin;
	const struct expr *name = e->call.n_args ? e->call.args[0] : NULL;
	const struct param_item *item;

	if (!b || b->check != chk_getopt)
		return false;
	item = name && name->kind == EX_STRING ? find(s, name->string.text) : NULL;
	if (item)
		param_become(s, e, item);
	else /* it has been reported */
		ast_become_int(e, false, NULL);
	return true;
}

/* Calls are replaced in pass 1. */
const struct type *chk_getopt(struct sema *s, struct expr *e)
{
	return &type_error;
}
