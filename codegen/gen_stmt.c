/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Statements.
 */
#include "codegen/gen_part.h"

/* from this number of calls of a fn on, its arguments are hidden */
enum { HIDDEN_CALLS = 4 };

static struct value assigned_value(struct gen *g, struct stmt *st)
{
	struct expr *target = st->assign.target;
	struct value old, v;

	if (st->assign.op == OP_NONE)
		return gen_expr(g, st->assign.value);
	old = gen_expr(g, target);
	v = gen_expr(g, st->assign.value);
	v.v = gen_scaled(g, v.v, target->type);
	return gen_int_value(gen_arith(g, st->assign.op, old.v, v.v, target->type->is_signed),
			     target->type);
}

void gen_set_var(struct gen *g, const struct var *v, struct value value)
{
	if (value.kind == V_INT)
		LLVMBuildStore(g->b, gen_narrow(g, value.v, v->type), gen_var_at(g, v->id));
	else
		gen_store(g, value, v->type, gen_var_at(g, v->id));
	gen_loop_hide(g, v);
}

static void assign_var(struct gen *g, const struct var *v, struct expr *value)
{
	if (ast_is_built_in_place(value, v->type) && !ast_mentions(value, v)) {
		gen_expr_into(g, value, v->type, gen_var_at(g, v->id));
		gen_loop_hide(g, v);
	} else {
		gen_set_var(g, v, gen_expr(g, value));
	}
}

static void gen_assign(struct gen *g, struct stmt *st)
{
	struct expr *target = st->assign.target;
	LLVMValueRef amount;
	struct value v;

	if (ast_is_agg_call(st->assign.value)) {
		gen_aggregate(g, target, st->assign.value);
		return;
	}
	if (target->kind == EX_MAP && (st->assign.op == OP_ADD || st->assign.op == OP_SUB)) {
		amount = gen_scaled(g, gen_int(g, st->assign.value), target->type);
		gen_map_add(g, target,
			    st->assign.op == OP_ADD ? amount : LLVMBuildNeg(g->b, amount, ""));
		return;
	}
	if (target->kind == EX_VAR && st->assign.op == OP_NONE) {
		assign_var(g, target->var.var, st->assign.value);
		return;
	}
	v = assigned_value(g, st);
	if (target->kind == EX_MAP)
		gen_map_write(g, target, v);
	else
		gen_set_var(g, target->var.var, v);
}

/* Hide the arguments of a fn from the verifier, which checks each copy of its body. If it knows the
 * arguments, it knows the outcome of some conditions, and then follows all other conditions once
 * for each value: 30 calls of 50 statements exceed its limit of a million steps. */
static void hide_param(struct gen *g, const struct stmt *st)
{
	const struct function *fn = st->let.param_of;

	if (fn && fn->n_calls >= HIDDEN_CALLS)
		gen_loop_hide_integer(g, st->let.var->var.var);
}

static void gen_let(struct gen *g, struct stmt *st)
{
	struct var *v = st->let.var->var.var;

	if (st->let.value)
		assign_var(g, v, st->let.value);
	else if (type_is_memory(v->type))
		gen_zero(g, gen_var_at(g, v->id), v->type->size);
	else
		LLVMBuildStore(g->b, gen_u64(g, 0), gen_var_at(g, v->id));
	hide_param(g, st);
}

static void gen_if_stmt(struct gen *g, struct stmt *st)
{
	LLVMBasicBlockRef then, otherwise, end;

	if (gen_part_is_chain(g, st)) {
		gen_branches(g, st);
		return;
	}
	then = gen_block(g, "if");
	otherwise = gen_block(g, "else");
	end = gen_block(g, "end");
	gen_condition(g, st->branch.cond, then, otherwise);
	LLVMPositionBuilderAtEnd(g->b, then);
	gen_stmts(g, &st->branch.then);
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, otherwise);
	gen_stmts(g, &st->branch.otherwise);
	gen_enter(g, end);
}

static void gen_result(struct gen *g, struct expr *e)
{
	struct value v = e ? gen_expr(g, e) : (struct value){0};
	LLVMValueRef to = gen_frame_result(g);

	if (!e || !g->prog.result)
		return;
	to = to ? to : g->prog.result;
	if (v.kind != V_INT) /* a string counts as true */
		LLVMBuildStore(g->b, gen_u32(g, 1), to);
	else
		LLVMBuildStore(g->b, LLVMBuildTrunc(g->b, v.v, g->i32, ""), to);
}

/* The body of a fn: `return` leaves the fn, exit() leaves the probe. */
static void gen_called(struct gen *g, struct stmt *st)
{
	LLVMBasicBlockRef done = g->body.done, end = gen_block(g, "returned");

	g->body.done = end;
	gen_stmts(g, &st->block);
	gen_enter(g, end);
	g->body.done = done;
}

static void gen_stmt(struct gen *g, struct stmt *st)
{
	gen_location(g, st->span);
	switch (st->kind) {
	case ST_EXPR: gen_expr(g, st->expr); return;
	case ST_ASSIGN: gen_assign(g, st); return;
	case ST_IF: gen_if_stmt(g, st); return;
	case ST_BLOCK: gen_stmts(g, &st->block); return;
	case ST_CALLED: gen_called(g, st); return;
	case ST_LET: gen_let(g, st); return;
	case ST_WHILE:
	case ST_FOR:
	case ST_UNROLL: gen_loop(g, st); return;
	case ST_BREAK:
	case ST_CONTINUE: gen_jump(g, st->kind == ST_BREAK); return;
	case ST_RETURN: /* code after `return` goes into an unreachable block */
		gen_result(g, st->expr);
		LLVMBuildBr(g->b, g->body.done);
		LLVMPositionBuilderAtEnd(g->b, gen_block(g, "dead"));
		return;
	}
}

void gen_stmts(struct gen *g, const struct block *b)
{
	if (gen_part_is_long(g, b))
		gen_parts(g, b);
	else
		gen_each_stmt(g, b);
}

void gen_each_stmt(struct gen *g, const struct block *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		uint32_t mark = g->probe.scratch.used;

		gen_stmt(g, b->items[i]);
		gen_scratch_release(g, mark);
	}
}
