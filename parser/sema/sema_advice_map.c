/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Advice on what maps are read with: the time that nobody has stored, and keys that are addresses
 * of texts; and on texts that are read at a number. An entry counts as tested where a condition of
 * the probe mentions any map with keys: a script may test one map and store another with it.
 */
#include "parser/sema/sema_advice.h"
#include "parser/base/arena.h"
#include "parser/lang/ast_query.h"
#include "parser/lang/builtin.h"
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

static void visit_block(struct map_uses *u, struct block *b);

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
	if (e->kind == EX_BLOCK) {
		visit_block(u, &e->block.body);
		if (e->block.value)
			visit_expr(e->block.value, u);
	} else {
		ast_each_child(e, visit_expr, u);
	}
	u->in_condition -= is_logic;
}

/* `$start = @start[tid]`: a condition may test the variable. */
static void visit_held(struct map_uses *u, struct expr *value)
{
	u->is_tested |= value->kind == EX_MAP && value->map.n_keys;
	visit_expr(value, u);
}

static void visit_condition(struct map_uses *u, struct expr *e)
{
	u->in_condition++;
	visit_expr(e, u);
	u->in_condition--;
}

static void visit_loop(struct map_uses *u, struct stmt *st)
{
	struct expr *const heads[] = {st->loop.cond, st->loop.over, st->loop.from, st->loop.to};

	for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
		if (heads[i])
			visit_condition(u, heads[i]);
	visit_block(u, &st->loop.body);
}

static void visit_stmt(struct map_uses *u, struct stmt *st)
{
	switch (st->kind) {
	case ST_EXPR:
	case ST_RETURN:
		if (st->expr)
			visit_expr(st->expr, u);
		return;
	case ST_ASSIGN:
		if (st->assign.target->kind == EX_MAP)
			arena_push(u->s->arena, u->assigned, u->n_assigned,
				   st->assign.target->map.map);
		visit_expr(st->assign.target, u);
		visit_held(u, st->assign.value);
		return;
	case ST_IF:
		visit_condition(u, st->branch.cond);
		visit_block(u, &st->branch.then);
		visit_block(u, &st->branch.otherwise);
		return;
	case ST_BLOCK:
	case ST_CALLED: visit_block(u, &st->block); return;
	case ST_LET:
		if (st->let.value)
			visit_held(u, st->let.value);
		return;
	case ST_WHILE:
	case ST_FOR:
	case ST_UNROLL: visit_loop(u, st); return;
	case ST_BREAK:
	case ST_CONTINUE: return;
	}
}

static void visit_block(struct map_uses *u, struct block *b)
{
	for (uint32_t i = 0; i < b->n; i++)
		visit_stmt(u, b->items[i]);
}

static bool is_assigned(const struct map_uses *u, const struct map *m)
{
	for (uint32_t i = 0; i < u->n_assigned; i++)
		if (u->assigned[i] == m)
			return true;
	return false;
}

/* The text of an expression of the script; NULL: not on one line. */
static const char *text_of(struct sema *s, const struct expr *e)
{
	uint32_t len;
	const char *text = advice_text(s, e->span, &len);

	return len ? arena_strndup(s->arena, text, len) : NULL;
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
	const char *text = text_of(s, m);

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

	if (p->predicate)
		visit_condition(&u, p->predicate);
	visit_block(&u, &p->body);
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
	text = text_of(s, at);
	if (!text || advice_is_copy(s, call->span))
		return;
	diag_warning(s->diags, call->span, "empty-text",
		     "str() reads the text at an address, and %s is none", text);
	diag_hint(s->diags, "a number is printed as it is: printf(\"%%d\", %s)", text);
}
