/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops. `while` and `for` call the kernel's own loops (bpf_loop, 5.17; bpf_for_each_map_elem,
 * 5.13) with the body as a function: the verifier looks at it once, however often it runs, where
 * it would follow every round of a loop of ours. At most LIMIT_LOOP rounds, and of loops that stand
 * in others at most LIMIT_ROUNDS in a run, all together: what loops are cut short of is counted.
 * `unroll` is a plain loop, for its count is small.
 *
 * A body leaves word in the frame why it ended: 0 goes on, LEFT was break or the end, DONE was
 * return or exit(), which leaves the probe, SPENT that LIMIT_ROUNDS are run: all loops end.
 */
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "codegen/gen.h"
#include <linux/bpf.h>
#include <string.h>

enum { LEFT = 1, DONE = 2, SPENT = 3 };

/* What takes as long as a round: places of a map, that are walked also when they are empty, and
 * copies of an unroll. */
enum { PLACES_A_ROUND = 4, COPIES_A_ROUND = 4 };

/* The function around a loop's body, and where in it generation goes on. */
struct outer {
	struct gen_body body;
	LLVMBasicBlockRef at;
};

/* The verifier puts a loop in the place of bpf_loop's call (5.19): the body's frame is all there
 * is. bpf_for_each_map_elem's has one of its own, bpf_for_each_hash_elem. */
static void enter_body(struct gen *g, struct outer *o, unsigned n_params, struct span span)
{
	LLVMTypeRef params[4] = {n_params == 2 ? g->i64 : g->ptr, g->ptr, g->ptr, g->ptr};
	const char *name = arena_printf(g->arena, "%s_loop%u", g->prog.plan->symbol, g->n_loops++);
	LLVMBasicBlockRef body;

	*o = (struct outer){.body = g->body, .at = LLVMGetInsertBlock(g->b)};
	g->body.fn =
		LLVMAddFunction(g->module, name, LLVMFunctionType(g->i64, params, n_params, false));
	LLVMSetLinkage(g->body.fn, LLVMInternalLinkage);
	g->body.di_fn = gen_di_body(g, g->body.fn, name, n_params, span);
	g->body.entry = gen_block(g, "entry");
	body = gen_block(g, "body");
	g->body.start = body;
	g->body.loop_frames += n_params == 2 ? 1 : 2;
	g->body.done = gen_block(g, "done");
	g->body.on_break = gen_block(g, "break");
	g->body.on_continue = gen_block(g, "continue");
	g->body.on_spent = gen_block(g, "spent");
	LLVMPositionBuilderAtEnd(g->b, body);
	gen_place(g, span);
	gen_frame_enter(g, LLVMGetParam(g->body.fn, n_params - 1));
}

static void end_with(struct gen *g, LLVMBasicBlockRef block, uint64_t state)
{
	LLVMPositionBuilderAtEnd(g->b, block);
	if (state)
		LLVMBuildStore(g->b, gen_u64(g, state), gen_frame_state(g));
	LLVMBuildRet(g->b, gen_u64(g, state != 0));
}

/* Back in the function around. Returns the body's function. */
static LLVMValueRef leave_body(struct gen *g, const struct outer *o)
{
	LLVMValueRef fn = g->body.fn;

	LLVMBuildBr(g->b, g->body.on_continue);
	end_with(g, g->body.on_continue, 0);
	end_with(g, g->body.on_break, LEFT);
	end_with(g, g->body.done, DONE);
	end_with(g, g->body.on_spent, SPENT);
	LLVMPositionBuilderAtEnd(g->b, g->body.entry);
	LLVMBuildBr(g->b, g->body.start);
	g->body = o->body;
	LLVMPositionBuilderAtEnd(g->b, o->at);
	return fn;
}

static void count_cut(struct gen *g)
{
	GEN_CALL(g, "sonde_loss_count", gen_u32(g, g->probe.id), gen_u32(g, SONDE_LOSS_LOOP_CUT));
}

/* `more` rounds are about to begin. */
static void count_rounds(struct gen *g, const struct stmt *st, uint32_t more)
{
	LLVMBasicBlockRef next;
	LLVMValueRef n;

	if (!st->loop.is_counted)
		return;
	next = gen_block(g, "counted");
	n = LLVMBuildLoad2(g->b, g->i64, gen_frame_rounds(g), "");
	n = LLVMBuildAdd(g->b, n, gen_u64(g, more), "");
	LLVMBuildStore(g->b, n, gen_frame_rounds(g));
	n = LLVMBuildICmp(g->b, LLVMIntULE, n, gen_u64(g, LIMIT_ROUNDS), "");
	LLVMBuildCondBr(g->b, n, next, g->body.on_spent);
	LLVMPositionBuilderAtEnd(g->b, next);
}

static void leave_if(struct gen *g, LLVMValueRef state, uint64_t why, LLVMBasicBlockRef where)
{
	LLVMBasicBlockRef next = gen_block(g, "loop.end");

	LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, state, gen_u64(g, why), ""), where,
			next);
	LLVMPositionBuilderAtEnd(g->b, next);
}

/* Behind the loop: what ends more than this loop leaves here too. */
static void go_on(struct gen *g, const struct stmt *st)
{
	LLVMValueRef state = LLVMBuildLoad2(g->b, g->i64, gen_frame_state(g), "");

	leave_if(g, state, DONE, g->body.done);
	if (st->loop.is_counted || st->loop.has_counted)
		leave_if(g, state, SPENT, g->body.on_spent);
}

/* What a loop's body is checked with shall not be what its first round happens to find. Kernels
 * before 6.7 check one round, and what it has no way to reach with the numbers it knows they take
 * out of the program; later ones go on through the rounds until one finds nothing new, and of a
 * counter whose start they know, and which a condition compares, each value is new. */
static void hide_values(struct gen *g)
{
	LLVMValueRef zero = GEN_CALL(g, "sonde_control_zero");

	for (uint32_t i = 0; i < g->probe.ast->n_vars; i++)
		for (uint32_t at = 0; at < gen_frame_plain(g, i); at += 8) {
			LLVMValueRef word = gen_at(g, gen_var_at(g, i), at),
				     v = LLVMBuildLoad2(g->b, g->i64, word, "");

			LLVMBuildStore(g->b, LLVMBuildXor(g->b, v, zero, ""), word);
		}
}

static void call_loop(struct gen *g, const struct stmt *st, LLVMValueRef rounds, LLVMValueRef fn)
{
	LLVMValueRef args[] = {rounds, fn, g->body.frame, gen_u64(g, 0)};

	hide_values(g);
	LLVMBuildStore(g->b, gen_u64(g, 0), gen_frame_state(g));
	gen_helper(g, BPF_FUNC_loop, args, 4);
	go_on(g, st);
}

/* One round more than the limit, which only finds out whether the loop would have gone on. */
static void gen_while(struct gen *g, struct stmt *st)
{
	LLVMBasicBlockRef round, body, cut;
	LLVMValueRef index, fn;
	struct outer o;

	enter_body(g, &o, 2, st->span);
	index = LLVMGetParam(g->body.fn, 0);
	round = gen_block(g, "round");
	body = gen_block(g, "while");
	cut = gen_block(g, "cut");
	LLVMBuildCondBr(g->b, gen_truth(g, gen_int(g, st->loop.cond)), round, g->body.on_break);
	LLVMPositionBuilderAtEnd(g->b, round);
	index = LLVMBuildAnd(g->b, index, gen_u64(g, UINT32_MAX), "");
	LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntULT, index, gen_u64(g, LIMIT_LOOP), ""),
			body, cut);
	LLVMPositionBuilderAtEnd(g->b, cut);
	count_cut(g);
	LLVMBuildBr(g->b, g->body.on_break);
	LLVMPositionBuilderAtEnd(g->b, body);
	count_rounds(g, st, 1);
	gen_stmts(g, &st->loop.body);
	fn = leave_body(g, &o);
	gen_place(g, st->span);
	call_loop(g, st, gen_u64(g, LIMIT_LOOP + 1), fn);
}

/* Number of rounds from `from` to below `to`, at most the limit. */
static LLVMValueRef rounds_between(struct gen *g, LLVMValueRef from, LLVMValueRef to,
				   bool is_signed)
{
	LLVMBasicBlockRef cut = gen_block(g, "cut"), end = gen_block(g, "rounds");
	LLVMValueRef is_some, n, many;

	is_some = LLVMBuildICmp(g->b, is_signed ? LLVMIntSLT : LLVMIntULT, from, to, "");
	n = LLVMBuildSelect(g->b, is_some, LLVMBuildSub(g->b, to, from, ""), gen_u64(g, 0), "");
	many = LLVMBuildICmp(g->b, LLVMIntUGT, n, gen_u64(g, LIMIT_LOOP), "");
	n = LLVMBuildSelect(g->b, many, gen_u64(g, LIMIT_LOOP), n, "");
	LLVMBuildCondBr(g->b, many, cut, end);
	LLVMPositionBuilderAtEnd(g->b, cut);
	count_cut(g);
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, end);
	return n;
}

/* 0 rounds that the verifier knows of leave the body unreached (6.7): it takes the body out of the
 * program, then fails on the reference that the call keeps. A round that may be, whose number is
 * read where nobody knows it, keeps it in; what is known of the most there are stays known. */
static LLVMValueRef maybe_one(struct gen *g, LLVMValueRef n)
{
	LLVMValueRef zero = GEN_CALL(g, "sonde_control_zero");

	return LLVMBuildAdd(g->b, n, LLVMBuildAnd(g->b, zero, gen_u64(g, 1), ""), "");
}

static void gen_for_range(struct gen *g, struct stmt *st)
{
	uint32_t id = st->loop.var->var.var->id;
	LLVMValueRef from = gen_int(g, st->loop.from), to = gen_int(g, st->loop.to), n, next, fn;
	struct outer o;

	n = rounds_between(g, from, to, st->loop.var->type->is_signed);
	LLVMBuildStore(g->b, LLVMBuildSub(g->b, from, gen_u64(g, 1), ""), gen_var_at(g, id));
	enter_body(g, &o, 2, st->span);
	count_rounds(g, st, 1);
	next = LLVMBuildAdd(g->b, LLVMBuildLoad2(g->b, g->i64, gen_var_at(g, id), ""),
			    gen_u64(g, 1), "");
	LLVMBuildStore(g->b, next, gen_var_at(g, id));
	gen_stmts(g, &st->loop.body);
	fn = leave_body(g, &o);
	gen_place(g, st->span);
	call_loop(g, st, maybe_one(g, n), fn);
}

struct use {
	const struct var *var;
	bool is_read;
};

/* Anything of the loop's variable but its key? */
static void find_use(struct expr *e, void *ctx)
{
	struct use *use = ctx;
	const struct expr *object = e->kind == EX_FIELD ? e->field.object : NULL;

	if (object && object->kind == EX_VAR && strcmp(e->field.name, "0") == 0)
		return;
	use->is_read |= e->kind == EX_VAR && e->var.var == use->var;
	ast_each_child(e, find_use, ctx);
}

/* Reading an aggregation goes over all CPUs: only where the body wants it. */
static void store_aggregate(struct gen *g, struct stmt *st, LLVMValueRef value, LLVMValueRef var)
{
	uint32_t map = st->loop.over->map.map->id;
	struct use use = {.var = st->loop.var->var.var};
	const struct type_member *m = &use.var->type->members[1];

	ast_each_in_block(&st->loop.body, find_use, &use);
	if (use.is_read && m->type->kind == TY_INT)
		gen_store(g, gen_agg_read(g, map, value), m->type, gen_at(g, var, m->offset));
}

/* The entry at `key` and `value`, as the loop's variable has it. */
static void store_entry(struct gen *g, const struct plan_map *m, const struct type *entry,
			LLVMValueRef key, LLVMValueRef value, LLVMValueRef var)
{
	const struct type *keys = entry->members[0].type;

	for (uint32_t i = 0; i < m->n_keys; i++) {
		const struct type *to = m->n_keys == 1 ? keys : keys->members[i].type;
		uint32_t at =
			entry->members[0].offset + (m->n_keys == 1 ? 0 : keys->members[i].offset);

		gen_store(g, gen_load(g, m->keys[i].type, gen_at(g, key, m->keys[i].offset)), to,
			  gen_at(g, var, at));
	}
	if (m->value->kind != TY_AGG)
		gen_store(g, gen_load(g, m->value, value), entry->members[1].type,
			  gen_at(g, var, entry->members[1].offset));
}

/* Entries of other epochs have been cleared, or are of a run that came later: passed over. */
static void gen_for_map(struct gen *g, struct stmt *st)
{
	uint32_t map = st->loop.over->map.map->id;
	const struct var *v = st->loop.var->var.var;
	LLVMBasicBlockRef current;
	LLVMValueRef key, epoch, fn, args[4];
	struct outer o;

	count_rounds(g, st, g->plan->maps[map].max_entries / PLACES_A_ROUND);
	enter_body(g, &o, 4, st->span);
	count_rounds(g, st, 1);
	key = LLVMGetParam(g->body.fn, 1);
	current = gen_block(g, "current");
	epoch = LLVMBuildLoad2(g->b, g->i32, key, "");
	LLVMBuildCondBr(g->b, LLVMBuildICmp(g->b, LLVMIntEQ, epoch, gen_epoch(g, map), ""), current,
			g->body.on_continue);
	LLVMPositionBuilderAtEnd(g->b, current);
	store_entry(g, &g->plan->maps[map], v->type, key, LLVMGetParam(g->body.fn, 2),
		    gen_var_at(g, v->id));
	if (g->plan->maps[map].value->kind == TY_AGG)
		store_aggregate(g, st, LLVMGetParam(g->body.fn, 2), gen_var_at(g, v->id));
	gen_stmts(g, &st->loop.body);
	fn = leave_body(g, &o);
	gen_place(g, st->span);
	hide_values(g);
	LLVMBuildStore(g->b, gen_u64(g, 0), gen_frame_state(g));
	args[0] = g->maps[map];
	args[1] = fn;
	args[2] = g->body.frame;
	args[3] = gen_u64(g, 0);
	gen_helper(g, BPF_FUNC_for_each_map_elem, args, 4);
	go_on(g, st);
}

/* Tested at its end, as the count is 1 at least: kernels before 6.4 take no loop to which one comes
 * back without a jump. */
static void gen_unroll(struct gen *g, struct stmt *st)
{
	LLVMBasicBlockRef body = gen_block(g, "unroll"), next = gen_block(g, "next"),
			  end = gen_block(g, "end");
	LLVMBasicBlockRef on_break = g->body.on_break, on_continue = g->body.on_continue;
	uint32_t n_copies = (uint32_t)st->loop.count->integer.value;
	LLVMValueRef i = gen_buffer(g, 8), n;

	count_rounds(g, st, (n_copies + COPIES_A_ROUND - 1) / COPIES_A_ROUND);
	LLVMBuildStore(g->b, gen_u64(g, 0), i);
	LLVMBuildBr(g->b, body);
	LLVMPositionBuilderAtEnd(g->b, body);
	g->body.on_break = end;
	g->body.on_continue = next;
	gen_stmts(g, &st->loop.body);
	g->body.on_break = on_break;
	g->body.on_continue = on_continue;
	LLVMBuildBr(g->b, next);
	LLVMPositionBuilderAtEnd(g->b, next);
	n = LLVMBuildAdd(g->b, LLVMBuildLoad2(g->b, g->i64, i, ""), gen_u64(g, 1), "");
	LLVMBuildStore(g->b, n, i);
	n = LLVMBuildICmp(g->b, LLVMIntULT, n, gen_u64(g, n_copies), "");
	LLVMBuildCondBr(g->b, n, body, end);
	LLVMPositionBuilderAtEnd(g->b, end);
}

/* Where the outermost of loops in loops ends when the rounds are run. */
static void gen_spent(struct gen *g)
{
	LLVMBasicBlockRef next = gen_block(g, "next");

	LLVMBuildBr(g->b, next);
	LLVMPositionBuilderAtEnd(g->b, g->body.on_spent);
	count_cut(g);
	LLVMBuildBr(g->b, next);
	LLVMPositionBuilderAtEnd(g->b, next);
	g->body.on_spent = NULL;
}

void gen_loop(struct gen *g, struct stmt *st)
{
	bool is_outermost = !st->loop.around && st->loop.has_counted;

	if (is_outermost)
		g->body.on_spent = gen_block(g, "spent");
	if (st->kind == ST_WHILE)
		gen_while(g, st);
	else if (st->kind == ST_UNROLL)
		gen_unroll(g, st);
	else if (st->loop.over)
		gen_for_map(g, st);
	else
		gen_for_range(g, st);
	if (is_outermost)
		gen_spent(g);
}

/* What follows is generated into a block that nothing reaches. */
void gen_jump(struct gen *g, bool is_break)
{
	LLVMBuildBr(g->b, is_break ? g->body.on_break : g->body.on_continue);
	LLVMPositionBuilderAtEnd(g->b, gen_block(g, "dead"));
}
