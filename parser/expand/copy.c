/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies trees. On the way the parameters of the macro around them are replaced by the arguments,
 * and calls of macros and functions by their bodies. Each use of an argument is a copy of its own,
 * because the semantic passes write to nodes.
 */
#include "parser/expand/expander.h"
#include "parser/lang/builtin.h"
#include "parser/lang/type.h"

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

struct copier {
	struct expander *x;
	const struct frame *f;
};

static void copy_slot(struct expr **slot, void *ctx)
{
	const struct copier *c = ctx;

	*slot = copy_expr(c->x, c->f, *slot);
}

/* `n` has its own array of the expressions if it is a list. */
static struct expr *copy_children(struct expander *x, const struct frame *f, struct expr *n)
{
	ast_each_slot(n, copy_slot, &(struct copier){x, f});
	return n;
}

static struct expr **new_list(struct expander *x, struct expr **items, uint32_t n)
{
	struct expr **out = arena_alloc(x->arena, (n + 1) * sizeof(*out));

	for (uint32_t i = 0; i < n; i++)
		out[i] = items[i];
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

	n->map.keys = new_list(x, n->map.keys, n->map.n_keys);
	copy_children(x, f, n);
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

	n->call.args = new_list(x, n->call.args, n->call.n_args);
	copy_children(x, f, n);
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

/* uint8 and uint8[4] as arguments: they parse as a name and as elements of one. */
static bool named_type(const struct expr *arg, struct type_name *out)
{
	if (arg->kind == EX_NAME && !builtin_find(arg->name.name)) {
		*out = (struct type_name){.span = arg->span, .name = arg->name.name};
		return true;
	}
	if (arg->kind != EX_INDEX || arg->index.at->kind != EX_INT ||
	    !named_type(arg->index.object, out) || out->n_suffixes == LIMIT_TYPE_SUFFIXES)
		return false;
	out->span = arg->span;
	out->suffixes[out->n_suffixes].is_pointer = false;
	out->suffixes[out->n_suffixes++].n = arg->index.at->integer.value;
	return true;
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
	if (f->args[i]->kind == EX_TYPE)
		*n = *f->args[i]->named;
	else if (!named_type(f->args[i], n))
		return not_a_type(x, n, f->args[i]);
	for (uint32_t k = 0; k < t->n_suffixes; k++) {
		if (n->n_suffixes == LIMIT_TYPE_SUFFIXES)
			diag_error(x->diags, n->span, "limit-type",
				   "a type can have at most %d '*' and '[]'", LIMIT_TYPE_SUFFIXES);
		else
			n->suffixes[n->n_suffixes++] = t->suffixes[k];
	}
	return n;
}

/* The type that an operand of sizeof stands for: a parameter, of which the argument is uint8 or
 * uint8[4]. NULL: none, or another expression. */
static const struct type_name *argument_type(struct expander *x, const struct frame *f,
					     const struct expr *e)
{
	int i = e->kind == EX_NAME && !f->is_clone ? match_param(f, EX_NAME, e->name.name) : -1;
	struct type_name *n = arena_new_of(x->arena, struct type_name);

	return i >= 0 && named_type(f->args[i], n) && type_is_name(n->name) ? n : NULL;
}

/* ---- expressions ------------------------------------------------------------------------- */

/* The lists of a tuple or record: where its names are, and its items, not copied yet. */
static void copy_record(struct expander *x, const struct frame *f, struct expr *n)
{
	struct span *spans = arena_alloc(x->arena, (n->list.n + 1) * sizeof(*spans));

	n->list.items = new_list(x, n->list.items, n->list.n);
	for (uint32_t i = 0; i < n->list.n && n->kind == EX_RECORD; i++)
		spans[i] = moved(f, n->list.name_spans[i]);
	n->list.name_spans = spans;
}

/* ---- offsetof ---------------------------------------------------------------------------- */

/* The members that an argument names: a, or a.b.c. */
static struct expr *add_members(struct expander *x, struct expr *of, const struct expr *arg)
{
	if (arg->kind == EX_NAME)
		return ast_field(x->arena, arg->span, of, arg->span, arg->name.name);
	if (arg->kind == EX_FIELD)
		return ast_field(x->arena, arg->field.name_span,
				 add_members(x, of, arg->field.object), arg->field.name_span,
				 arg->field.name);
	diag_error(x->diags, arg->span, "macro-argument", "the macro uses this as a member's name");
	diag_hint(x->diags, "write the name of a member, or of one within it: a.b");
	return of;
}

/* The operand of offsetof. A member with the name of a parameter is what the argument names. */
static struct expr *copy_members(struct expander *x, const struct frame *f, const struct expr *e)
{
	struct expr *of;
	struct span at;
	int i;

	if (!ast_is_offset_member(e) || !may_copy(x, moved(f, e->span)))
		return copy_expr(x, f, e);
	of = copy_members(x, f, e->field.object);
	i = f->is_clone ? -1 : match_param(f, EX_NAME, e->field.name);
	at = moved(f, e->field.name_span);
	return i < 0 ? ast_field(x->arena, at, of, at, e->field.name)
		     : add_members(x, of, f->args[i]);
}

static struct expr *copy_by_kind(struct expander *x, const struct frame *f, struct expr *n)
{
	const struct type_name *type;

	switch (n->kind) {
	case EX_NAME: return copy_name(x, f, n);
	case EX_VAR: copy_var(f, n); return n;
	case EX_MAP: copy_map(x, f, n); return n;
	case EX_CALL: return copy_call(x, f, n);
	case EX_UNARY:
		if (n->unary.op == OP_SIZEOF && (type = argument_type(x, f, n->unary.operand))) {
			n->unary.operand = ast_cast(x->arena, type->span, type,
						    ast_int(x->arena, type->span, 0));
			return n;
		}
		if (n->unary.op != OP_OFFSETOF)
			break;
		n->unary.operand = copy_members(x, f, n->unary.operand);
		return n;
	case EX_FIELD: n->field.name_span = moved(f, n->field.name_span); break;
	case EX_CAST: n->cast.to = copy_type(x, f, n->cast.to); break;
	case EX_TUPLE:
	case EX_RECORD: copy_record(x, f, n); break;
	case EX_BLOCK: n->block.body = copy_block(x, f, &n->block.body); break;
	case EX_TYPE: n->named = copy_type(x, f, n->named); break;
	default: break;
	}
	return copy_children(x, f, n);
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

/* `return v` of a fn, which is copied: its result is a variable. */
static void set_result(struct expander *x, const struct frame *f, struct stmt *n)
{
	struct expr *target, *value = n->expr;
	struct stmt *leave;

	if (!f->of || !f->result || !value)
		return;
	target = ast_var(x->arena, n->span, f->result);
	target->var.mark = f->mark;
	leave = AST_STMT(x->arena, n->span, ST_RETURN);
	n->kind = ST_BLOCK;
	n->block = (struct block){arena_alloc(x->arena, 2 * sizeof(struct stmt *)), 2};
	n->block.items[0] = AST_STMT(x->arena, n->span, ST_ASSIGN,
				     .assign = {.target = target, .op = OP_NONE, .value = value});
	n->block.items[1] = leave;
}

static void copy_inner(struct block *b, void *ctx)
{
	const struct copier *c = ctx;

	*b = copy_block(c->x, c->f, b);
}

struct block copy_block(struct expander *x, const struct frame *f, const struct block *b)
{
	struct block out = {.items = arena_alloc(x->arena, (b->n + 1) * sizeof(*out.items)),
			    .n = b->n};
	struct copier c = {x, f};

	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *n = arena_new_of(x->arena, struct stmt);

		*n = *b->items[i];
		n->span = moved(f, n->span);
		if (n->kind == ST_LET && n->let.type)
			n->let.type = copy_type(x, f, n->let.type);
		ast_each_head_slot(n, copy_slot, &c);
		ast_each_block(n, copy_inner, &c);
		if (n->kind == ST_RETURN)
			set_result(x, f, n);
		out.items[i] = n;
	}
	return out;
}
