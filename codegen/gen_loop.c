/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops. `while` and `for` use the kernel's loops (bpf_loop, 5.17; bpf_for_each_map_elem, 5.13)
 * with the body as a function. The verifier checks that function once, however often it runs, while
 * it would follow each iteration of a loop in the program. A loop has at most LIMIT_LOOP
 * iterations; nested loops have at most LIMIT_ROUNDS in a run together. Programs that run in
 * interrupts or with preemption disabled (PK_ATOMIC) also read the clock in loops and leave them
 * after SONDE_LOOP_NS, since nothing else can run on the CPU meanwhile. Cutting a loop short is
 * counted as a loss. `unroll` is a loop in the program, since its count is small; with a long body
 * it is a loop of the kernel, too (gen_follow.c).
 *
 * The body of a loop stores in the frame why the code around the loop ends, too. DONE: `return`,
 * which leaves the probe or the fn around the loop. EXIT: exit() in a fn. SPENT: LIMIT_ROUNDS or
 * the time is used up, which ends all loops. 0: only the loop ends, or it continues. Two values for
 * these would double, with each level of loops, what the verifier follows.
 */
#include "parser/base/limits.h"
#include "codegen/gen.h"

enum { DONE = 1, SPENT, EXIT };

/* How many slots of a map, which a walk visits even if they are empty, or copies of an unroll take
 * as long as one iteration. */
enum { SLOTS_PER_ITERATION = 4, COPIES_PER_ITERATION = 4 };

/* From this number of copies of an unroll's body on, the verifier must not follow the values of
 * variables, since each value would double its work: see hide_values(). */
enum { COPIES_FOLLOWED = 8 };

/* The enclosing function, and the block in it where generation continues. */
struct outer {
	struct gen_body body;
	LLVMBasicBlockRef at;
};

/* Begin the function of a loop's body. The verifier inlines bpf_loop (5.19), so that only the body
 * has a frame on the kernel stack. A call of bpf_for_each_map_elem adds another frame:
 * bpf_for_each_hash_elem. */
static void enter_body(struct gen *g, struct outer *o, unsigned n_params, struct span span)
{
	LLVMTypeRef params[4] = {n_params == 2 ? g->i64 : g->ptr, g->ptr, g->ptr, g->ptr};
	const char *name = arena_printf(g->arena, "%s_loop%u", g->prog.plan->symbol, g->n_loops++);

	*o = (struct outer){.body = g->body, .at = LLVMGetInsertBlock(g->b)};
	gen_function_begin(g, name, LLVMFunctionType(g->i64, params, n_params, false), span);
	g->body.loop_frames += n_params == 2 ? 1 : 2;
	g->body.done = gen_block(g, "done");
	g->body.exit = o->body.exit == o->body.done ? g->body.done : gen_block(g, "exit");
	g->body.on_break = gen_block(g, "break");
	g->body.on_continue = gen_block(g, "continue");
	g->body.on_spent = gen_block(g, "spent");
	gen_frame_enter(g, LLVMGetParam(g->body.fn, n_params - 1));
}

static void end_with(struct gen *g, LLVMBasicBlockRef block, uint64_t state, bool is_last)
{
	LLVMPositionBuilderAtEnd(g->b, block);
	if (state)
		LLVMBuildStore(g->b, gen_u64(g, state), gen_frame_state(g));
	LLVMBuildRet(g->b, gen_u64(g, is_last));
}

/* Continue in the enclosing function. Returns the body's function. */
static LLVMValueRef leave_body(struct gen *g, const struct outer *o)
{
	LLVMValueRef fn = g->body.fn;

	LLVMBuildBr(g->b, g->body.on_continue);
	end_with(g, g->body.on_continue, 0, false);
	end_with(g, g->body.on_break, 0, true);
	end_with(g, g->body.done, DONE, true);
	if (g->body.exit != g->body.done)
		end_with(g, g->body.exit, EXIT, true);
	end_with(g, g->body.on_spent, SPENT, true);
	gen_function_end(g);
	g->body = o->body;
	LLVMPositionBuilderAtEnd(g->b, o->at);
	return fn;
}

/* Do the iterations of a loop count for LIMIT_ROUNDS or the time? */
static bool is_limited(const struct gen *g, const struct stmt *st)
{
	return st->loop.is_counted || (gen_frame_is_timed(g) && st->kind != ST_UNROLL);
}

/* Can the limit be used up in this loop or in loops nested in it? */
static bool is_spendable(const struct gen *g, const struct stmt *st)
{
	return is_limited(g, st) || st->loop.has_counted;
}

/* Leave all loops when the time is used up. A counter runs down from SONDE_LOOP_CLOCK; at 0 the
 * clock is read. Such programs need no test of LIMIT_ROUNDS: the time is used up first. */
static void count_down(struct gen *g, uint32_t by)
{
	LLVMBasicBlockRef next = gen_block(g, "timed");
	LLVMValueRef n = gen_word(g, gen_frame_rounds(g)), is_late;

	n = LLVMBuildSub(g->b, n, gen_u64(g, by), "");
	LLVMBuildStore(g->b, n, gen_frame_rounds(g));
	gen_only_if(g, gen_compare(g, LLVMIntSLT, n, 0), next);
	is_late = GEN_CALL(g, "sonde_loop_is_late", gen_frame_rounds(g));
	gen_unless(g, is_late, g->body.on_spent, next);
}

static void count_up(struct gen *g, uint32_t by)
{
	LLVMValueRef n = gen_word(g, gen_frame_rounds(g));

	n = gen_plus(g, n, by);
	LLVMBuildStore(g->b, n, gen_frame_rounds(g));
	gen_only_if(g, gen_compare(g, LLVMIntULE, n, LIMIT_ROUNDS), g->body.on_spent);
}

/* Count `more` iterations that are about to run. */
static void count_rounds(struct gen *g, const struct stmt *st, uint32_t more)
{
	if (!is_limited(g, st))
		return;
	if (gen_frame_is_timed(g))
		count_down(g, more);
	else
		count_up(g, more);
}

static void leave_if(struct gen *g, LLVMValueRef state, uint64_t why, LLVMBasicBlockRef where)
{
	LLVMBasicBlockRef next = gen_block(g, "loop.end");

	gen_unless(g, gen_compare(g, LLVMIntEQ, state, why), where, next);
}

/* After the loop: continue there, unless DONE, EXIT or SPENT end the enclosing code too. */
static void go_on(struct gen *g, const struct stmt *st)
{
	LLVMValueRef state = gen_word(g, gen_frame_state(g));

	leave_if(g, state, DONE, g->body.done);
	if (g->body.exit != g->body.done)
		leave_if(g, state, EXIT, g->body.exit);
	if (is_spendable(g, st))
		leave_if(g, state, SPENT, g->body.on_spent);
}

static void hide_value(struct gen *g, uint32_t var, LLVMValueRef zero)
{
	for (uint32_t at = 0; at < gen_frame_hidable(g, var); at += 8) {
		LLVMValueRef word = gen_at(g, gen_var_at(g, var), at), v = gen_word(g, word);

		LLVMBuildStore(g->b, LLVMBuildXor(g->b, v, zero, ""), word);
	}
}

/* Hide the values of variables from the verifier. Before 6.7 it checks one iteration with the
 * values it knows and removes code they cannot reach. Later kernels check iterations until one has
 * no new values; with a counter that starts at a known value and is compared, every iteration
 * has. */
static void hide_values(struct gen *g)
{
	LLVMValueRef zero = GEN_CALL(g, "sonde_control_zero");

	for (uint32_t i = 0; i < g->probe.ast->n_vars; i++)
		hide_value(g, i, zero);
}

/* A comparison such as $i < 10 tells the verifier the value of $i. It would then follow $i++ number
 * by number. */
void gen_loop_hide(struct gen *g, const struct var *v)
{
	if ((g->body.loop_frames || g->body.n_copies >= COPIES_FOLLOWED) &&
	    (v->type->kind == TY_INT || type_is_compound(v->type)))
		hide_value(g, v->id, GEN_CALL(g, "sonde_control_zero"));
}

void gen_loop_hide_integer(struct gen *g, const struct var *v)
{
	if (v->type->kind == TY_INT)
		hide_value(g, v->id, GEN_CALL(g, "sonde_control_zero"));
}

static void call_loop(struct gen *g, const struct stmt *st, LLVMValueRef rounds, LLVMValueRef fn)
{
	LLVMValueRef args[] = {rounds, fn, g->body.frame, gen_u64(g, 0)};

	gen_location(g, st->span);
	hide_values(g);
	LLVMBuildStore(g->b, gen_u64(g, 0), gen_frame_state(g));
	gen_helper(g, st->loop.over ? BPF_FUNC_for_each_map_elem : BPF_FUNC_loop, args, 4);
	go_on(g, st);
}

/* `while`: bpf_loop makes one iteration more than the limit, only to find out whether the loop
 * would have continued. */
static void gen_while(struct gen *g, struct stmt *st)
{
	LLVMBasicBlockRef body, cut;
	LLVMValueRef index;
	struct outer o;

	enter_body(g, &o, 2, st->span);
	index = LLVMGetParam(g->body.fn, 0);
	body = gen_block(g, "while");
	cut = gen_block(g, "cut");
	gen_only_if(g, gen_int(g, st->loop.cond), g->body.on_break);
	index = gen_masked(g, index, UINT32_MAX);
	gen_unless(g, gen_compare(g, LLVMIntULT, index, LIMIT_LOOP), body, cut);
	gen_lost(g, SONDE_LOSS_LOOP_CUT);
	LLVMBuildBr(g->b, g->body.on_break);
	LLVMPositionBuilderAtEnd(g->b, body);
	count_rounds(g, st, 1);
	gen_stmts(g, &st->loop.body);
	call_loop(g, st, gen_u64(g, LIMIT_LOOP + 1), leave_body(g, &o));
}

/* The number of iterations from `from` to below `to`, at most the limit. */
static LLVMValueRef rounds_between(struct gen *g, LLVMValueRef from, LLVMValueRef to,
				   bool is_signed)
{
	LLVMBasicBlockRef end = gen_block(g, "rounds");
	LLVMValueRef is_some, n, many;

	is_some = LLVMBuildICmp(g->b, is_signed ? LLVMIntSLT : LLVMIntULT, from, to, "");
	n = LLVMBuildSelect(g->b, is_some, LLVMBuildSub(g->b, to, from, ""), gen_u64(g, 0), "");
	many = gen_compare(g, LLVMIntUGT, n, LIMIT_LOOP);
	n = LLVMBuildSelect(g->b, many, gen_u64(g, LIMIT_LOOP), n, "");
	gen_only_if(g, many, end);
	gen_lost(g, SONDE_LOSS_LOOP_CUT);
	gen_enter(g, end);
	return n;
}

/* Add 0 or 1, which the verifier cannot know. If it knew that there are 0 iterations (6.7), it
 * would remove the body as unreachable and then fail on the reference to it. The upper bound stays
 * known. */
static LLVMValueRef maybe_one(struct gen *g, LLVMValueRef n)
{
	LLVMValueRef zero = GEN_CALL(g, "sonde_control_zero");

	return LLVMBuildAdd(g->b, n, gen_masked(g, zero, 1), "");
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
	next = gen_plus(g, gen_word(g, gen_var_at(g, id)), 1);
	LLVMBuildStore(g->b, next, gen_var_at(g, id));
	gen_stmts(g, &st->loop.body);
	fn = leave_body(g, &o);
	gen_location(g, st->span);
	call_loop(g, st, maybe_one(g, n), fn);
}

struct use {
	const struct var *var;
	bool is_read;
};

/* Find uses of the loop's variable, except for its key ($kv.0). */
static void find_use(struct expr *e, void *ctx)
{
	struct use *use = ctx;
	const struct expr *object = e->kind == EX_FIELD ? e->field.object : NULL;

	if (object && object->kind == EX_VAR && strcmp(e->field.name, "0") == 0)
		return;
	use->is_read |= e->kind == EX_VAR && e->var.var == use->var;
	ast_each_child(e, find_use, ctx);
}

/* Store the value of an aggregation, but only if the body uses it: reading it visits all CPUs. */
static void store_aggregate(struct gen *g, struct stmt *st, LLVMValueRef value, LLVMValueRef var)
{
	uint32_t map = st->loop.over->map.map->id;
	struct use use = {.var = st->loop.var->var.var};
	const struct type_member *m = &use.var->type->members[1];

	ast_each_in_block(&st->loop.body, find_use, &use);
	if (use.is_read && m->type->kind == TY_INT)
		gen_store(g, gen_agg_read(g, map, value), m->type, gen_at(g, var, m->offset));
}

/* Store the entry at `key` and `value` in the loop's variable. */
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

/* The number of iterations that the walk itself counts as. It is at least 1: the verifier does not
 * see nested loops converge when one of them leaves the count as it is. */
static uint32_t walk_iterations(const struct plan_map *m)
{
	return (m->max_entries + SLOTS_PER_ITERATION - 1) / SLOTS_PER_ITERATION;
}

/* `for` over a map. It skips entries of other epochs: they have been cleared, or were added after a
 * later clear(). */
static void gen_for_map(struct gen *g, struct stmt *st)
{
	uint32_t map = st->loop.over->map.map->id;
	const struct var *v = st->loop.var->var.var;
	LLVMValueRef key, epoch;
	struct outer o;

	if (st->loop.is_counted)
		count_rounds(g, st, walk_iterations(&g->plan->maps[map]));
	enter_body(g, &o, 4, st->span);
	count_rounds(g, st, 1);
	key = LLVMGetParam(g->body.fn, 1);
	epoch = LLVMBuildLoad2(g->b, g->i32, key, "");
	gen_only_if(g, LLVMBuildICmp(g->b, LLVMIntEQ, epoch, gen_epoch(g, map), ""),
		    g->body.on_continue);
	store_entry(g, &g->plan->maps[map], v->type, key, LLVMGetParam(g->body.fn, 2),
		    gen_var_at(g, v->id));
	if (g->plan->maps[map].value->kind == TY_AGG)
		store_aggregate(g, st, LLVMGetParam(g->body.fn, 2), gen_var_at(g, v->id));
	gen_stmts(g, &st->loop.body);
	call_loop(g, st, g->maps[map], leave_body(g, &o));
}

static uint32_t iterations_of_copies(uint32_t n)
{
	return (n + COPIES_PER_ITERATION - 1) / COPIES_PER_ITERATION;
}

/* An unroll whose copies would be too long: a loop of the kernel. */
static void gen_unroll_loop(struct gen *g, struct stmt *st)
{
	uint32_t n = (uint32_t)st->loop.count->integer.value;
	struct outer o;

	count_rounds(g, st, iterations_of_copies(n));
	enter_body(g, &o, 2, st->span);
	gen_stmts(g, &st->loop.body);
	call_loop(g, st, gen_u64(g, n), leave_body(g, &o));
}

/* The count is at least 1, so the test is at the end: kernels before 6.4 reject loops whose head is
 * reached without a jump. */
static void gen_unroll(struct gen *g, struct stmt *st)
{
	LLVMBasicBlockRef body = gen_block(g, "unroll"), next = gen_block(g, "next"),
			  end = gen_block(g, "end");
	LLVMBasicBlockRef on_break = g->body.on_break, on_continue = g->body.on_continue;
	uint32_t n_copies = (uint32_t)st->loop.count->integer.value, around = g->body.n_copies;
	LLVMValueRef i = gen_buffer(g, 8), n;

	g->body.n_copies = (around ? around : 1) * n_copies;
	if (g->body.n_copies >= COPIES_FOLLOWED)
		hide_values(g);

	count_rounds(g, st, iterations_of_copies(n_copies));
	LLVMBuildStore(g->b, gen_u64(g, 0), i);
	gen_enter(g, body);
	g->body.on_break = end;
	g->body.on_continue = next;
	gen_stmts(g, &st->loop.body);
	g->body.on_break = on_break;
	g->body.on_continue = on_continue;
	g->body.n_copies = around;
	gen_enter(g, next);
	n = gen_plus(g, gen_word(g, i), 1);
	LLVMBuildStore(g->b, n, i);
	n = gen_compare(g, LLVMIntULT, n, n_copies);
	gen_unless(g, n, body, end);
}

/* The block where all loops end when their limit is used up, after the outermost loop. */
static void gen_spent(struct gen *g)
{
	LLVMBasicBlockRef next = gen_block(g, "next");

	LLVMBuildBr(g->b, next);
	LLVMPositionBuilderAtEnd(g->b, g->body.on_spent);
	gen_lost(g, gen_frame_is_timed(g) ? SONDE_LOSS_LOOP_TIME : SONDE_LOSS_LOOP_CUT);
	gen_enter(g, next);
	g->body.on_spent = NULL;
}

void gen_loop(struct gen *g, struct stmt *st)
{
	bool is_outermost = !st->loop.around && is_spendable(g, st);

	if (is_outermost)
		g->body.on_spent = gen_block(g, "spent");
	if (st->kind == ST_WHILE)
		gen_while(g, st);
	else if (st->kind == ST_UNROLL)
		(g->probe.unrolls_loop ? gen_unroll_loop : gen_unroll)(g, st);
	else if (st->loop.over)
		gen_for_map(g, st);
	else
		gen_for_range(g, st);
	if (is_outermost)
		gen_spent(g);
}

/* Code after `break` or `continue` goes into an unreachable block. */
void gen_jump(struct gen *g, bool is_break)
{
	LLVMBuildBr(g->b, is_break ? g->body.on_break : g->body.on_continue);
	LLVMPositionBuilderAtEnd(g->b, gen_block(g, "dead"));
}
