/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of maps, a part of pass 1: one map per name, and the number of its keys.
 */
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_type.h"
#include "parser/sema/sema_name.h"
#include <ctype.h>

enum { SHOWN_MOST = 40 }; /* bytes of an expression in a hint */

static struct map *find_map(struct program *p, const char *name)
{
	for (uint32_t i = 0; i < p->n_maps; i++)
		if (strcmp(p->maps[i]->name, name) == 0)
			return p->maps[i];
	return NULL;
}

static struct map *declare_map(struct sema *s, struct expr *e)
{
	struct map *m = arena_new_of(s->arena, struct map);
	uint32_t n = e->map.n_keys;

	*m = (struct map){.name = e->map.name,
			  .first = e->span,
			  .n_keys = n,
			  .id = s->program->n_maps};
	for (uint32_t i = 0; i < s->program->n_map_decls; i++)
		if (!m->decl && strcmp(s->program->map_decls[i].name, m->name) == 0)
			m->decl = &s->program->map_decls[i];
	m->key_types = arena_alloc(s->arena, n * sizeof(*m->key_types) + 1);
	m->key_spans = arena_alloc(s->arena, n * sizeof(*m->key_spans) + 1);
	m->key_names = arena_alloc(s->arena, n * sizeof(*m->key_names) + 1);
	if (s->program->n_maps == LIMIT_MAPS)
		diag_error(s->diags, e->span, "limit-maps", "more than %d maps in one script",
			   LIMIT_MAPS);
	if (s->program->n_maps <=
	    LIMIT_MAPS) /* one more than allowed, so that it is reported once */
		arena_push(s->arena, s->program->maps, s->program->n_maps, m);
	return m;
}

/* @m[(a, b)] is @m[a, b]. */
static void flatten_key(struct expr *e)
{
	struct expr *key = e->map.n_keys == 1 ? e->map.keys[0] : NULL;

	if (!key || key->kind != EX_TUPLE || !key->list.n)
		return;
	e->map.keys = key->list.items;
	e->map.n_keys = key->list.n;
}

/* True for a single key whose value may turn out in pass 2 to be a tuple of all keys. */
static bool may_spread(const struct expr *e)
{
	enum expr_kind kind;

	if (e->map.n_keys != 1)
		return false;
	kind = e->map.keys[0]->kind;
	return kind == EX_VAR || kind == EX_FIELD || kind == EX_MAP || kind == EX_TERNARY ||
	       kind == EX_BLOCK;
}

static void note_one(struct sema *s, struct map *m, struct expr *e)
{
	if (may_spread(e))
		arena_push(s->arena, m->ones, m->n_ones, e);
	else
		m->is_one = true;
}

/* This use shows that the map has `n` keys: earlier uses gave them all as one tuple. */
static void spread_before(struct sema *s, struct map *m, uint32_t n)
{
	for (uint32_t i = 0; i < m->n_ones; i++)
		m->ones[i]->map.is_spread = true;
	m->n_keys = n;
	m->key_types = arena_alloc(s->arena, n * sizeof(*m->key_types));
	m->key_spans = arena_alloc(s->arena, n * sizeof(*m->key_spans));
	m->key_names = arena_alloc(s->arena, n * sizeof(*m->key_names));
}

/* A part of a tuple has only a number. */
static void name_keys(struct map *m, const struct expr *e)
{
	for (uint32_t i = 0; i < m->n_keys; i++) {
		const char *name = m->key_names[i] ?: ast_value_name(e->map.keys[i]);

		m->key_names[i] = name && !isdigit((unsigned char)*name) ? name : NULL;
	}
}

/* The script's text there; NULL if it is long, or in a macro. */
static const char *text_of(struct sema *s, struct span span)
{
	return advice_is_copy(s, span) ? NULL : advice_text(s, span, SHOWN_MOST);
}

void name_map(struct sema *s, struct expr *e, bool whole)
{
	struct map *m = find_map(s->program, e->map.name);

	flatten_key(e);
	if (whole && e->map.n_keys == 0) {
		e->map.map = m;
		return;
	}
	if (!m)
		m = declare_map(s, e);
	e->map.map = m;
	if (m->n_keys == e->map.n_keys) {
		note_one(s, m, e);
		name_keys(m, e);
		return;
	}
	if (may_spread(e) && m->n_keys > 1) {
		e->map.is_spread = true;
		return;
	}
	if (m->n_keys == 1 && !m->is_one && e->map.n_keys > 1) {
		spread_before(s, m, e->map.n_keys);
		return;
	}
	e->map.map = NULL;
	diag_error(s->diags, e->span, "key-count", "%s has %u key%s here", m->name, e->map.n_keys,
		   e->map.n_keys == 1 ? "" : "s");
	diag_note(s->diags, m->first, "and %u here", m->n_keys);
	if (!e->map.n_keys && text_of(s, m->first))
		diag_hint(s->diags, "write %s here, or use another map", text_of(s, m->first));
	else if (!m->n_keys && text_of(s, e->span))
		diag_hint(s->diags, "write %s there too, or use another map", text_of(s, e->span));
	else
		diag_hint(s->diags, "write as many keys everywhere, or use another map");
}

void name_fold_key(struct arena *a, struct expr *e)
{
	const struct builtin *b = e->call.builtin;
	uint32_t n_after_keys = b && b->traits & TR_SETS ? 1 : 0;
	struct expr *m;

	if (!b || !(b->traits & TR_KEY) || !ast_is_whole_map(e, 0) ||
	    e->call.n_args < 2 + n_after_keys)
		return;
	m = e->call.args[0];
	m->map.keys = e->call.args + 1;
	m->map.n_keys = e->call.n_args - 1 - n_after_keys;
	m->span = span_join(m->span, m->map.keys[m->map.n_keys - 1]->span);
	e->call.args = arena_alloc(a, (1 + n_after_keys) * sizeof(*e->call.args));
	e->call.args[0] = m;
	if (n_after_keys)
		e->call.args[1] = m->map.keys[m->map.n_keys];
	e->call.n_args = 1 + n_after_keys;
}

bool name_refuse_address(struct sema *s, struct expr *e)
{
	const struct expr *of = e->unary.operand;

	if (e->unary.op != OP_ADDRESS || of->kind != EX_MAP || of->map.n_keys)
		return false;
	diag_error(s->diags, e->span, "no-address", "a map has no address in a script");
	diag_hint(s->diags, "for the address of a copy: $x = %s; … &$x", of->map.name);
	*e = *ast_int(s->arena, e->span, 0);
	return true;
}

/* print(@m), clear(@m), delete(@m): something in the script must write the map, before or after. */
static void name_whole(struct expr *e, void *ctx)
{
	struct sema *s = ctx;
	const char *near;
	struct expr *m;

	ast_each_child(e, name_whole, ctx);
	if (e->kind == EX_CALL && ast_is_whole_map(e, 0))
		m = e->call.args[0];
	else if (e->kind == EX_MAP && e->map.is_whole)
		m = e;
	else
		return;
	name_map(s, m, true);
	if (!m->map.map && sema_is_absent_map(s, m->map.name))
		name_map(s, m, false);
	if (m->map.map)
		return;
	diag_error(s->diags, m->span, "undefined-map", "%s is never assigned in this script",
		   m->map.name);
	near = NEAREST(m->map.name, s->program->maps, s->program->n_maps, (*item)->name);
	diag_hint(s->diags, near ? "did you mean '%s'?" : "assign it first: %s = …",
		  near ?: m->map.name);
	name_map(s, m, false); /* it is reported once */
}

/* A map that only probes write that do not exist here has no entries, and its values count as
 * integers. */
static void give_absent(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_maps && s->n_absent; i++) {
		struct map *m = s->program->maps[i];

		if (!m->is_assigned && !m->value && sema_is_absent_map(s, m->name))
			m->value = sema_word(true);
	}
}

void name_whole_maps(struct sema *s)
{
	for (uint32_t i = 0; i < s->program->n_probes; i++)
		ast_each_in_probe(s->program->probes[i], name_whole, s);
	give_absent(s);
}

static bool is_compared_count(const struct expr *e)
{
	const struct expr *right = e->kind == EX_BINARY ? e->binary.right : NULL;
	const struct builtin *b =
		right && right->kind == EX_CALL ? builtin_find(right->call.name) : NULL;

	return b && b->kind == BUILTIN_AGG && e->binary.op == OP_EQ &&
	       e->binary.left->kind == EX_MAP;
}

bool name_compared(struct sema *s, struct stmt *st)
{
	struct expr *e = st->expr;

	if (!is_compared_count(e))
		return false;
	diag_error(s->diags, e->span, "agg-target", "'==' compares, but a statement assigns");
	diag_hint(s->diags, "write '='");
	st->kind = ST_ASSIGN;
	st->assign.target = e->binary.left;
	st->assign.op = OP_NONE;
	st->assign.value = e->binary.right;
	return true;
}

static bool gives_agg(const struct expr *e)
{
	return e->kind == EX_BLOCK && e->block.value &&
	       (ast_is_agg_call(e->block.value) || gives_agg(e->block.value));
}

void name_agg_into_block(struct sema *s, struct stmt *st)
{
	struct expr *from = st->assign.value;
	struct stmt *last;

	if (!gives_agg(from))
		return;
	last = arena_new_of(s->arena, struct stmt);
	*last = *st;
	last->assign.value = from->block.value;
	st->kind = ST_BLOCK;
	st->block = from->block.body;
	arena_push(s->arena, st->block.items, st->block.n, last);
	name_agg_into_block(s, last);
}
