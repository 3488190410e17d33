/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies trees. On the way the parameters of the macro around them are replaced by the arguments,
 * and calls of macros and functions by their bodies. Each use of an argument is a copy of its own,
 * because the semantic passes write to nodes.
 */
#include "parser/expand/expander.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "parser/lang/ast_value.h"
#include <string.h>

enum { DEPTH_MOST = 2 * LIMIT_NESTING }; /* of nested copies */

static const struct frame clone = {.is_clone = true}; /* for a copy of an expanded tree */

static struct span moved(const struct frame *f, struct span s)
{
	return (struct span){s.start + f->shift, s.end + f->shift};
}

/* Count one more expression. False when there are too many, or they nest too deeply. */
static bool may_copy(struct expander *x, struct span at)
{
	if (++x->n_nodes <= LIMIT_EXPANDED && x->depth < DEPTH_MOST)
		return true;
	if (!x->is_full && x->n_nodes > LIMIT_EXPANDED)
		diag_error(x->diags, at, "limit-macro",
			   "macros and functions make more than %d expressions of this script",
			   LIMIT_EXPANDED);
	else if (!x->is_full)
		diag_error(x->diags, at, "limit-nesting",
			   "calls of macros and functions are nested too deeply");
	x->is_full = true;
	return false;
}

static struct expr **copy_list(struct expander *x, const struct frame *f, struct expr **items,
			       uint32_t n)
{
	struct expr **out = arena_alloc(x->arena, (n + 1) * sizeof(*out));

	for (uint32_t i = 0; i < n; i++)
		out[i] = copy_expr(x, f, items[i]);
	return out;
}

/* ---- names ------------------------------------------------------------------------------- */

/* The variable that a parameter of a macro stands for. */
static void copy_var(const struct frame *f, struct expr *n)
{
	int i = match_param(f, EX_VAR, n->var.name);

	if (i >= 0) {
		*n = *f->args[i];
		return;
	}
	if (f->of)
		n->var.mark = f->mark;
}

static void copy_map(struct expander *x, const struct frame *f, struct expr *n)
{
	int i = match_param(f, EX_MAP, n->map.name);

	n->map.keys = copy_list(x, f, n->map.keys, n->map.n_keys);
	if (i >= 0)
		n->map.name = f->args[i]->map.name;
	if (i >= 0 && !n->map.n_keys)
		n->span = f->args[i]->span;
}

static struct expr *copy_name(struct expander *x, const struct frame *f, struct expr *n)
{
	struct function *callee;
	int i = match_param(f, EX_NAME, n->name.name);

	if (i >= 0)
		return copy_expr(x, &clone, f->args[i]);
	callee = f->is_clone ? NULL : match_call(x, f, n->span, n->name.name, NULL, 0);
	return callee ? call_expand(x, f, callee, n->span, NULL) : n;
}

static struct expr *copy_call(struct expander *x, const struct frame *f, struct expr *n)
{
	struct function *callee;

	n->call.args = copy_list(x, f, n->call.args, n->call.n_args);
	n->call.name_span = moved(f, n->call.name_span);
	callee = f->is_clone
			 ? NULL
			 : match_call(x, f, n->span, n->call.name, n->call.args, n->call.n_args);
	return callee ? call_expand(x, f, callee, n->span, n->call.args) : n;
}

/* ---- types ------------------------------------------------------------------------------- */

static const struct type_name *not_a_type(struct expander *x, const struct type_name *t,
					  const struct expr *arg)
{
	diag_error(x->diags, arg->span, "macro-argument", "the macro uses %s as a type", t->name);
	diag_hint(x->diags, "write typeof(…) around it");
	return t;
}

const struct type_name *copy_type(struct expander *x, const struct frame *f,
				  const struct type_name *t)
{
	int i = t->name ? match_param(f, EX_NAME, t->name) : -1;
	struct type_name *n = arena_new_of(x->arena, struct type_name);

	*n = *t;
	n->span = moved(f, t->span);
	if (t->of)
		n->of = copy_expr(x, f, t->of);
	if (i < 0)
		return n;
	if (f->args[i]->kind != EX_TYPE)
		return not_a_type(x, n, f->args[i]);
	*n = *f->args[i]->named;
	for (uint32_t k = 0; k < t->n_suffixes; k++) {
		if (n->n_suffixes == LIMIT_TYPE_SUFFIXES)
			diag_error(x->diags, n->span, "limit-type",
				   "a type can have at most %d '*' and '[]'", LIMIT_TYPE_SUFFIXES);
		else
			n->suffixes[n->n_suffixes++] = t->suffixes[k];
	}
	return n;
}

/* ---- expressions ------------------------------------------------------------------------- */

static void copy_record(struct expander *x, const struct frame *f, struct expr *n)
{
	struct span *spans = arena_alloc(x->arena, (n->list.n + 1) * sizeof(*spans));

	n->list.items = copy_list(x, f, n->list.items, n->list.n);
	for (uint32_t i = 0; i < n->list.n && n->kind == EX_RECORD; i++)
		spans[i] = moved(f, n->list.name_spans[i]);
	n->list.name_spans = spans;
}

static void copy_value_block(struct expander *x, const struct frame *f, struct expr *n)
{
	n->block.body = copy_block(x, f, &n->block.body);
	if (n->block.value)
		n->block.value = copy_expr(x, f, n->block.value);
}

static void copy_ternary(struct expander *x, const struct frame *f, struct expr *n)
{
	n->ternary.cond = copy_expr(x, f, n->ternary.cond);
	if (n->ternary.then)
		n->ternary.then = copy_expr(x, f, n->ternary.then);
	n->ternary.otherwise = copy_expr(x, f, n->ternary.otherwise);
}

/* ---- offsetof ---------------------------------------------------------------------------- */

static struct expr *add_member(struct expander *x, struct expr *of, struct span at,
			       const char *name)
{
	struct expr *n = ast_field(x->arena, at, of, at, name);

	n->height = ast_height_over(n);
	return n;
}

/* The members that an argument names: a, or a.b.c. */
static struct expr *add_members(struct expander *x, struct expr *of, const struct expr *arg)
{
	if (arg->kind == EX_NAME)
		return add_member(x, of, arg->span, arg->name.name);
	if (arg->kind == EX_FIELD)
		return add_member(x, add_members(x, of, arg->field.object), arg->field.name_span,
				  arg->field.name);
	diag_error(x->diags, arg->span, "macro-argument", "the macro uses this as a member's name");
	diag_hint(x->diags, "write the name of a member, or of one within it: a.b");
	return of;
}

/* The operand of offsetof. A member with the name of a parameter is what the argument names. */
static struct expr *copy_members(struct expander *x, const struct frame *f, const struct expr *e)
{
	struct expr *of;
	int i;

	if (!ast_is_offset_member(e) || !may_copy(x, moved(f, e->span)))
		return copy_expr(x, f, e);
	of = copy_members(x, f, e->field.object);
	i = f->is_clone ? -1 : match_param(f, EX_NAME, e->field.name);
	return i < 0 ? add_member(x, of, moved(f, e->field.name_span), e->field.name)
		     : add_members(x, of, f->args[i]);
}

static struct expr *copy_unary(struct expander *x, const struct frame *f, struct expr *n)
{
	n->unary.operand =
		(n->unary.op == OP_OFFSETOF ? copy_members : copy_expr)(x, f, n->unary.operand);
	return n;
}

static struct expr *copy_by_kind(struct expander *x, const struct frame *f, struct expr *n)
{
	switch (n->kind) {
	case EX_INT:
	case EX_STRING:
	case EX_PARAM: break;
	case EX_NAME: return copy_name(x, f, n);
	case EX_VAR: copy_var(f, n); break;
	case EX_MAP: copy_map(x, f, n); break;
	case EX_CALL: return copy_call(x, f, n);
	case EX_UNARY: return copy_unary(x, f, n);
	case EX_BINARY:
		n->binary.left = copy_expr(x, f, n->binary.left);
		n->binary.right = copy_expr(x, f, n->binary.right);
		break;
	case EX_TERNARY: copy_ternary(x, f, n); break;
	case EX_FIELD:
		n->field.object = copy_expr(x, f, n->field.object);
		n->field.name_span = moved(f, n->field.name_span);
		break;
	case EX_INCDEC: n->incdec.target = copy_expr(x, f, n->incdec.target); break;
	case EX_CAST:
		n->cast.to = copy_type(x, f, n->cast.to);
		n->cast.operand = copy_expr(x, f, n->cast.operand);
		break;
	case EX_TUPLE:
	case EX_RECORD: copy_record(x, f, n); break;
	case EX_INDEX:
		n->index.object = copy_expr(x, f, n->index.object);
		n->index.at = copy_expr(x, f, n->index.at);
		break;
	case EX_BLOCK: copy_value_block(x, f, n); break;
	case EX_TYPE: n->named = copy_type(x, f, n->named); break;
	}
	return n;
}

struct expr *copy_expr(struct expander *x, const struct frame *f, const struct expr *e)
{
	struct expr *n = arena_new_of(x->arena, struct expr), *out;

	*n = *e;
	n->span = moved(f, e->span);
	if (!may_copy(x, n->span)) {
		ast_become_int(n, 0, NULL);
		n->height = 1;
		return n;
	}
	x->depth++;
	out = copy_by_kind(x, f, n);
	x->depth--;
	out->height = ast_height_over(out);
	if (out->height <= LIMIT_NESTING || x->is_full)
		return out;
	diag_error(x->diags, n->span, "limit-nesting",
		   "with its macros this expression has more than %d levels", LIMIT_NESTING);
	x->is_full = true;
	return out;
}

/* ---- statements -------------------------------------------------------------------------- */

static void copy_loop(struct expander *x, const struct frame *f, struct stmt *n)
{
	struct expr **parts[] = {&n->loop.cond, &n->loop.var, &n->loop.over,
				 &n->loop.from, &n->loop.to,  &n->loop.count};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (*parts[i])
			*parts[i] = copy_expr(x, f, *parts[i]);
	n->loop.body = copy_block(x, f, &n->loop.body);
}

/* `return v` of a fn: its result is a variable. */
static void copy_return(struct expander *x, const struct frame *f, struct stmt *n)
{
	struct expr *target, *value = n->expr ? copy_expr(x, f, n->expr) : NULL;
	struct stmt *leave;

	n->expr = value;
	if (!f->of || !f->result || !value)
		return;
	target = ast_var(x->arena, n->span, f->result);
	target->var.mark = f->mark;
	target->height = 1;
	leave = ast_stmt_return(x->arena, n->span, NULL);
	*n = *ast_stmt_block(x->arena, n->span,
			     (struct block){arena_alloc(x->arena, 2 * sizeof(struct stmt *)), 2});
	n->block.items[0] = ast_stmt_assign(x->arena, leave->span, target, OP_NONE, value);
	n->block.items[1] = leave;
}

static void copy_stmt_by_kind(struct expander *x, const struct frame *f, struct stmt *n)
{
	switch (n->kind) {
	case ST_EXPR: n->expr = copy_expr(x, f, n->expr); return;
	case ST_ASSIGN:
		n->assign.target = copy_expr(x, f, n->assign.target);
		n->assign.value = copy_expr(x, f, n->assign.value);
		return;
	case ST_IF:
		n->branch.cond = copy_expr(x, f, n->branch.cond);
		n->branch.then = copy_block(x, f, &n->branch.then);
		n->branch.otherwise = copy_block(x, f, &n->branch.otherwise);
		return;
	case ST_BLOCK:
	case ST_CALLED: n->block = copy_block(x, f, &n->block); return;
	case ST_RETURN: copy_return(x, f, n); return;
	case ST_LET:
		n->let.var = copy_expr(x, f, n->let.var);
		if (n->let.type)
			n->let.type = copy_type(x, f, n->let.type);
		if (n->let.value)
			n->let.value = copy_expr(x, f, n->let.value);
		return;
	case ST_WHILE:
	case ST_FOR:
	case ST_UNROLL: copy_loop(x, f, n); return;
	case ST_BREAK:
	case ST_CONTINUE: return;
	}
}

struct block copy_block(struct expander *x, const struct frame *f, const struct block *b)
{
	struct block out = {.items = arena_alloc(x->arena, (b->n + 1) * sizeof(*out.items)),
			    .n = b->n};

	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *n = arena_new_of(x->arena, struct stmt);

		*n = *b->items[i];
		n->span = moved(f, n->span);
		copy_stmt_by_kind(x, f, n);
		out.items[i] = n;
	}
	return out;
}
