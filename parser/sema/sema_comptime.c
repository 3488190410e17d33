/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is decided at compile time, a part of pass 2: `comptime x`, `if comptime`, typeinfo() and
 * its like. What depends on types is decided when a round did not change any. A decision can bring
 * new statements into play, which can change types: then the rounds go on. A type that was used in
 * a decision must not change any more.
 */
#include "parser/sema/sema_type.h"

/* The type of `e` was used in a decision. */
struct type_lock {
	struct expr *e;
	struct probe *probe;
	const struct type *type;
};

static bool is_number(const struct expr *e)
{
	return e->kind == EX_INT ||
	       (e->kind == EX_UNARY && e->unary.op == OP_NEG && e->unary.operand->kind == EX_INT);
}

bool comptime_is_literal(const struct expr *e)
{
	if (e->kind != EX_TUPLE && e->kind != EX_RECORD)
		return is_number(e) || e->kind == EX_STRING;
	for (uint32_t i = 0; i < e->list.n; i++)
		if (!comptime_is_literal(e->list.items[i]))
			return false;
	return true;
}

bool comptime_is(const struct expr *e)
{
	return e->kind == EX_UNARY && e->unary.op == OP_COMPTIME;
}

const struct type *sema_type_comptime(struct sema *s, struct expr *e)
{
	struct expr *x = e->unary.operand;
	const struct type *t;

	s->has_comptime = true;
	s->n_comptime++;
	t = sema_type_expr(s, x);
	s->n_comptime--;
	if (comptime_is_literal(x)) {
		*e = *x;
		s->settled |= s->settles;
		return t;
	}
	if (s->report && !sema_is_wrong(t))
		return sema_error(s, x->span, "comptime", "this is not known at compile time");
	return t;
}

/* ---- types that were used ---------------------------------------------------------------- */

bool comptime_folds(struct sema *s, struct expr *e, const struct type *t)
{
	struct type_lock lock = {e, s->probe, t};

	if (s->report)
		return true;
	if (!s->settles || !s->n_comptime)
		return false;
	s->settled = true;
	arena_push(s->arena, s->locks, s->n_locks, lock);
	return true;
}

void comptime_check_locks(struct sema *s)
{
	for (uint32_t i = 0; i < s->n_locks; i++) {
		const struct type_lock *lock = &s->locks[i];
		const struct type *t;

		s->probe = lock->probe;
		t = sema_type_of(s, lock->e);
		if (sema_is_wrong(t) || type_equal(t, lock->type))
			continue;
		sema_error(s, lock->e->span, "type-locked",
			   "this is %s, but was %s when it was decided upon at compile time",
			   sema_name_of(s, t), sema_name_of(s, lock->type));
		diag_hint(s->diags, "declare its type: let $x : %s", sema_name_of(s, t));
	}
}

const struct type *sema_type_of(struct sema *s, struct expr *e)
{
	const struct map *m = e->kind == EX_MAP && e->map.is_whole ? e->map.map : NULL;
	const struct type *t;

	if (m && m->n_keys) {
		t = compound_entry(s, m);
		return t ? t->members[0].type : &sema_unknown;
	}
	t = sema_type_alone(s, e);
	return t == &sema_literal ? sema_word(true) : t;
}

/* ---- branches ---------------------------------------------------------------------------- */

struct untaken_block {
	struct probe *probe;
	struct block block;
};

/* Advice skips what is left out. */
static void leave_out(struct sema *s, const struct block *b)
{
	struct untaken_block untaken = {s->probe, *b};
	struct span span;

	arena_push(s->arena, s->untaken_blocks, s->n_untaken_blocks, untaken);
	if (!b->n)
		return;
	span = span_join(b->items[0]->span, b->items[b->n - 1]->span);
	arena_push(s->arena, s->untaken, s->n_untaken, span);
}

/* The branch that is taken replaces the statement; the other is not checked. While it is undecided,
 * neither branch is checked, because its types may depend on the decision. */
bool comptime_prune(struct sema *s, struct stmt *st)
{
	bool was = comptime_is(st->branch.cond);

	sema_check_truth(s, st->branch.cond, "if");
	if (!was)
		return false;
	if (st->branch.cond->kind == EX_INT) {
		leave_out(s, st->branch.cond->integer.value ? &st->branch.otherwise
							    : &st->branch.then);
		*st = *AST_STMT(s->arena, st->span, ST_BLOCK,
				.block = st->branch.cond->integer.value ? st->branch.then
									: st->branch.otherwise);
		s->changed = true;
		sema_type_block(s, &st->block);
	} else if (s->report) { /* reported: later passes need no branch without types */
		*st = *AST_STMT(s->arena, st->span, ST_BLOCK);
	}
	return true;
}

/* Copies of all maps with the types of their keys. */
static struct map *copy_maps(struct sema *s)
{
	struct program *p = s->program;
	struct map *maps = arena_alloc(s->arena, (p->n_maps + 1) * sizeof(*maps));

	for (uint32_t i = 0; i < p->n_maps; i++) {
		const struct map *m = p->maps[i];

		maps[i] = *m;
		if (!m->n_keys || !m->key_types)
			continue;
		maps[i].key_types = arena_alloc(s->arena, m->n_keys * sizeof(*m->key_types));
		memcpy(maps[i].key_types, m->key_types, m->n_keys * sizeof(*m->key_types));
	}
	return maps;
}

/* Type the block, and undo what that changes of variables that had a type. */
static bool type_untaken(struct sema *s, struct untaken_block b)
{
	struct probe *p = s->probe = b.probe;
	struct var *vars = arena_alloc(s->arena, (p->n_vars + 1) * sizeof(*vars));
	bool is_any = false, was_wrong = s->is_wrong, has_untyped = false;

	for (uint32_t i = 0; i < p->n_vars; i++) {
		vars[i] = *p->vars[i];
		has_untyped |= !vars[i].type;
	}
	if (!has_untyped)
		return false;
	sema_type_block(s, &b.block);
	for (uint32_t i = 0; i < p->n_vars; i++) {
		bool is_new = !vars[i].type && p->vars[i]->type && !sema_is_wrong(p->vars[i]->type);

		is_any |= is_new;
		if (!is_new)
			*p->vars[i] = vars[i];
	}
	s->is_wrong = was_wrong;
	return is_any;
}

bool comptime_type_untaken(struct sema *s)
{
	struct program *p = s->program;
	struct probe *probe = s->probe;
	bool is_any = false, settles = s->settles, settled = s->settled;
	struct map *maps;

	if (s->is_in_untaken || !s->n_untaken_blocks)
		return false;
	s->is_in_untaken = true;
	s->settles = true; /* of a branch in a branch: no later round comes to it */
	maps = copy_maps(s);
	/* a branch in a branch is added meanwhile */
	for (uint32_t i = 0; i < s->n_untaken_blocks; i++)
		is_any |= type_untaken(s, s->untaken_blocks[i]);
	for (uint32_t i = 0; i < p->n_maps; i++)
		*p->maps[i] = maps[i];
	s->is_in_untaken = false;
	s->settles = settles;
	s->settled = settled;
	s->probe = probe;
	return is_any;
}

/* True if `comptime` is in the script itself, and not in a macro that it uses, such as is_str(). */
static bool is_written(const struct sema *s, const struct expr *e)
{
	const struct source *source = s->program->source;

	return comptime_is(e) && e->span.start + strlen("comptime") <= source->len &&
	       strncmp(source->text + e->span.start, "comptime", strlen("comptime")) == 0;
}

bool comptime_predicate(struct sema *s, struct probe *p)
{
	bool was = p->predicate && is_written(s, p->predicate);

	if (p->predicate)
		sema_check_truth(s, p->predicate, "/predicate/");
	if (!was)
		return !p->is_left_out;
	if (p->predicate->kind != EX_INT) {  /* undecided: types in the body may depend on it */
		p->is_left_out |= s->report; /* reported: later passes need no body without types */
		return false;
	}
	p->is_left_out = !p->predicate->integer.value;
	p->predicate = NULL;
	s->changed = true;
	return !p->is_left_out;
}

void comptime_drop_probes(struct sema *s)
{
	struct program *p = s->program;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_probes; i++)
		if (!p->probes[i]->is_left_out)
			p->probes[n++] = p->probes[i];
	p->n_probes = n;
	if (!n && !s->diags->n_errors)
		diag_error(s->diags, SPAN_NONE, "empty-script",
			   "the script has no probe: all are left out at compile time");
}

const struct type *comptime_choose(struct sema *s, struct expr *e, bool was)
{
	const struct expr *cond = e->ternary.cond;
	struct expr *chosen;

	if (!was)
		return NULL;
	if (cond->kind != EX_INT && !s->report)
		return &sema_unknown;
	if (cond->kind != EX_INT) {
		*e = *ast_int(s->arena, e->span, 0);
		return &type_error;
	}
	chosen = cond->integer.value && e->ternary.then ? e->ternary.then : e->ternary.otherwise;
	if (cond->integer.value && !e->ternary.then)
		chosen = e->ternary.cond;
	arena_push(s->arena, s->untaken, s->n_untaken,
		   chosen == e->ternary.then ? e->ternary.otherwise->span
		   : e->ternary.then	     ? e->ternary.then->span
					     : e->ternary.otherwise->span);
	s->changed = true;
	return sema_become(s, e, chosen);
}

/* ---- typeinfo(x), is_literal(x), fail(…) ------------------------------------------------- */

static struct expr *text_of(struct sema *s, const struct expr *e, const char *text)
{
	return ast_string(s->arena, e->span, text, (uint32_t)strlen(text));
}

const struct type *chk_typeinfo(struct sema *s, struct expr *e)
{
	static const char *names[] = {"btf_id", "base_type", "full_type"};
	struct expr *arg = e->call.args[0], **items;
	const struct type *t = arg->type;
	bool is_known;

	if (sema_is_wrong(t))
		return &type_error;
	s->has_comptime = true; /* its members tell the types of variables */
	s->n_comptime++;
	is_known = t != &sema_unknown && comptime_folds(s, arg, t);
	s->n_comptime--;
	if (!is_known)
		return &sema_unknown;
	items = arena_alloc(s->arena, 3 * sizeof(*items));
	items[0] = ast_int(s->arena, e->span, 0);
	items[1] = text_of(s, e, type_kinds[t->kind].typeinfo);
	items[2] = text_of(s, e, type_str(s->arena, t));
	return sema_become(s, e, ast_record(s->arena, e->span, items, names, NULL, 3));
}

const struct type *chk_is_literal(struct sema *s, struct expr *e)
{
	struct expr *arg = e->call.args[0];

	s->has_comptime |= s->n_comptime != 0;
	if (comptime_folds(s, arg, arg->type))
		*e = *ast_bool(s->arena, e->span, comptime_is_literal(arg));
	return &type_bool;
}

void comptime_drop_maps(struct sema *s)
{
	struct program *p = s->program;
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_maps; i++) {
		p->maps[i]->id = n;
		if (p->maps[i]->is_reached)
			p->maps[n++] = p->maps[i];
	}
	p->n_maps = n;
}
