/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice on what maps are read with: the time that nobody has stored, and keys that are addresses
 * of texts; and on texts that are read at a number. An entry counts as tested where a condition of
 * the probe mentions any map with keys: a script may test one map and store another with it.
 */
#include "parser/sema/sema_advice.h"
#include "parser/lang/span_kind.h"

enum { DIFFERENCES_MOST = 8 }; /* in a probe */

/* What one probe does with maps. */
struct map_uses {
	struct sema *s;
	struct expr *differences[DIFFERENCES_MOST]; /* nsecs - @map[key] */
	uint32_t n_differences;
	uint32_t in_condition;
	bool is_tested;
	struct map **assigned;
	uint32_t n_assigned;
};

static void visit_block(struct block *b, void *ctx);

/* The entry of `nsecs - @map[key]`, or NULL. */
static const struct expr *entry_of(const struct expr *e)
{
	const struct expr *m = e->binary.right;
	const struct builtin *b = ast_builtin(e->binary.left);

	if (e->binary.op != OP_SUB || !b || !(b->traits & TR_NSECS) || b->kind != BUILTIN_VAR)
		return NULL;
	if (m->kind != EX_MAP || !m->map.map)
		return NULL;
	for (uint32_t i = 0; i < m->map.n_keys; i++)
		if (m->map.keys[i]->kind != EX_INT && m->map.keys[i]->kind != EX_STRING)
			return m;
	return NULL;
}

static void visit_expr(struct expr *e, void *ctx)
{
	struct map_uses *u = ctx;
	bool is_logic =
		e->kind == EX_TERNARY ||
		(e->kind == EX_BINARY && (e->binary.op == OP_LAND || e->binary.op == OP_LOR)) ||
		(e->kind == EX_UNARY && e->unary.op == OP_NOT);

	if (e->kind == EX_MAP && e->map.map && e->map.map->n_keys && u->in_condition)
		u->is_tested = true;
	if (e->kind == EX_BINARY && entry_of(e) && u->n_differences < DIFFERENCES_MOST)
		u->differences[u->n_differences++] = e;
	if (e->kind == EX_INCDEC && e->incdec.target->kind == EX_MAP)
		arena_push(u->s->arena, u->assigned, u->n_assigned, e->incdec.target->map.map);
	u->in_condition += is_logic;
	ast_each_below(e, visit_expr, visit_block, u);
	u->in_condition -= is_logic;
}

static void note_assigned(struct map_uses *u, const struct stmt *st)
{
	const struct expr *target = ast_target(st), *value = ast_assigned(st);

	/* `$start = @start[tid]`: a condition may test the variable */
	u->is_tested |= value && value->kind == EX_MAP && value->map.n_keys;
	if (target && target->kind == EX_MAP)
		arena_push(u->s->arena, u->assigned, u->n_assigned, target->map.map);
}

static void visit_block(struct block *b, void *ctx)
{
	struct map_uses *u = ctx;

	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *st = b->items[i];
		bool is_condition = st->kind == ST_IF || ast_is_loop(st);

		note_assigned(u, st);
		u->in_condition += is_condition;
		ast_each_head(st, visit_expr, u);
		u->in_condition -= is_condition;
		ast_each_block(st, visit_block, u);
	}
}

static bool is_assigned(const struct map_uses *u, const struct map *m)
{
	for (uint32_t i = 0; i < u->n_assigned; i++)
		if (u->assigned[i] == m)
			return true;
	return false;
}

/* True if the body can use delta. */
static bool ends_span(const struct probe *p)
{
	for (uint32_t i = 0; i < p->n_points; i++)
		if (span_of_event(&p->points[i]) == SPAN_NO)
			return false;
	return true;
}

static void report_difference(struct sema *s, const struct probe *p, const struct expr *e)
{
	const struct expr *m = entry_of(e);
	const char *text = advice_text(s, m->span, 0);

	if (!text || advice_is_copy(s, e->span))
		return;
	diag_warning(
		s->diags, e->span, "unset-entry",
		"%s is 0 where none was stored: the difference is then %s itself, far too long",
		text, ast_builtin(e->binary.left)->name);
	diag_hint(s->diags,
		  p->predicate ? "add && %s to the condition%s" : "write /%s/ before the block%s",
		  text, ends_span(p) ? ", or use delta, the time since the entry" : "");
}

void advise_entries(struct sema *s, struct probe *p)
{
	struct map_uses u = {.s = s};

	u.in_condition = 1;
	if (p->predicate)
		visit_expr(p->predicate, &u);
	u.in_condition = 0;
	visit_block(&p->body, &u);
	for (uint32_t i = 0; i < u.n_differences && !u.is_tested; i++)
		if (!is_assigned(&u, entry_of(u.differences[i])->map.map))
			report_difference(s, p, u.differences[i]);
}

void advise_keys(struct sema *s, const struct expr *m)
{
	for (uint32_t i = 0; i < m->map.n_keys; i++) {
		const struct expr *key = m->map.keys[i];
		const char *text = advice_text_address(s, key);

		if (!text)
			continue;
		diag_warning(s->diags, key->span, "address-key",
			     "%s is the address of a text, so the keys are addresses", text);
		if (m->map.n_keys == 1)
			diag_hint(s->diags, "write %s[str(%s)]", m->map.name, text);
		else
			diag_hint(s->diags, "write str(%s)", text);
	}
}

void advise_address(struct sema *s, const struct expr *call)
{
	const struct expr *at = call->call.n_args ? call->call.args[0] : NULL;
	const char *text;

	if (!call->call.builtin || call->call.builtin->check != chk_str || !at ||
	    at->kind != EX_INT || !at->integer.value || at->integer.value >= UADDR_PAGE)
		return;
	text = advice_text(s, at->span, 0);
	if (!text || advice_is_copy(s, call->span))
		return;
	diag_warning(s->diags, call->span, "empty-text",
		     "str() reads the text at an address, and %s is none", text);
	diag_hint(s->diags, "a number is printed as it is: printf(\"%%d\", %s)", text);
}
