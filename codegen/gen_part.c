/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies that are too long for one function. A jump of BPF spans at most 32,767 instructions, so
 * the statements of a long body are generated in functions of their own, the parts, which the
 * program calls one after the other. A part gets the probe's frame, as the body of a loop does, and
 * returns why it ended. Statements that are themselves long, such as an `if`, stay where they are,
 * and what they contain is split.
 *
 * The verifier (6.7 and later) follows at most 8,192 branches on the way through a program and the
 * functions that it calls. In a program with more, each part is the callback of a loop with one
 * iteration: the verifier follows callbacks on their own.
 */
#include "codegen/gen_part.h"

/* The cost of an expression, in units of about two instructions: see add_cost(). */
enum {
	COST_NODE = 1,
	COST_CALL = 10, /* more for calls, maps, builtins and members */
	/* bytes of a value in memory that cost 1 more; they are copied inline */
	COST_WORDS = 8,
	COST_PROBE = 8000, /* a body that costs more is split */
	COST_PART = 2000,  /* limit of a part, unless one statement costs more */
	/* the same limit, after an attempt with a function that was too long */
	COST_LESS = 500,
};

/* Why a part ended; 0: its end was reached. */
enum { BROKEN = 1, CONTINUED, RETURNED, EXITED, SPENT, TAKEN };

static void add_cost(struct expr *e, void *ctx)
{
	uint32_t *cost = ctx;

	*cost += COST_NODE;
	if (e->kind == EX_CALL || e->kind == EX_MAP || e->kind == EX_NAME || e->kind == EX_FIELD)
		*cost += COST_CALL;
	if (e->type && type_is_memory(e->type))
		*cost += (e->type->size < INLINE_BYTES ? e->type->size : INLINE_BYTES) / COST_WORDS;
	ast_each_child(e, add_cost, ctx);
}

static uint32_t cost_of_block(const struct block *b)
{
	uint32_t cost = 0;

	ast_each_in_block((struct block *)b, add_cost, &cost);
	return cost;
}

static uint32_t cost_of(struct stmt *st)
{
	return cost_of_block(&(struct block){.items = &st, .n = 1});
}

static uint32_t part_cost(const struct gen *g)
{
	return g->is_long ? COST_LESS : COST_PART;
}

bool gen_part_splits(const struct gen *g)
{
	return cost_of_block(&g->probe.ast->body) > (g->is_long ? COST_LESS : COST_PROBE);
}

bool gen_part_is_long(const struct gen *g, const struct block *b)
{
	return g->probe.splits && g->body.n_parts < MOST_PARTS_NESTED &&
	       cost_of_block(b) > part_cost(g);
}

/* ---- one part ---------------------------------------------------------------------------- */

struct part {
	struct gen_body outer;
	LLVMBasicBlockRef at, taken;
	struct span span;
};

static unsigned part_params(const struct gen *g)
{
	return g->parts_loop ? 2 : 1;
}

/* The type of a part's function. With `parts_loop` it is a callback of bpf_loop(), which also gets
 * the number of the iteration. */
static LLVMTypeRef part_type(struct gen *g)
{
	LLVMTypeRef params[] = {g->i64, g->ptr};

	return LLVMFunctionType(g->i64, g->parts_loop ? params : &g->ptr, part_params(g), false);
}

static void begin_part(struct gen *g, struct part *p, struct span span)
{
	const char *name = arena_printf(g->arena, "%s_part%u", g->prog.plan->symbol, g->n_parts++);

	*p = (struct part){.outer = g->body, .at = LLVMGetInsertBlock(g->b), .span = span};
	gen_function_begin(g, name, part_type(g), span);
	g->body.loop_frames++;
	g->body.n_parts++;
	g->body.done = gen_block(g, "done");
	g->body.exit = p->outer.exit == p->outer.done ? g->body.done : gen_block(g, "exit");
	g->body.on_break = p->outer.on_break ? gen_block(g, "break") : NULL;
	g->body.on_continue = p->outer.on_continue ? gen_block(g, "continue") : NULL;
	g->body.on_spent = p->outer.on_spent ? gen_block(g, "spent") : NULL;
	gen_frame_enter(g, LLVMGetParam(g->body.fn, part_params(g) - 1));
}

/* End a part with the reason `why`. The result of a callback tells bpf_loop() whether to continue,
 * so a callback stores `why` in the frame. */
static void end_at(struct gen *g, uint64_t why)
{
	if (g->parts_loop)
		LLVMBuildStore(g->b, gen_u64(g, why), gen_frame_state(g));
	LLVMBuildRet(g->b, gen_u64(g, g->parts_loop ? 0 : why));
}

static void end_with(struct gen *g, LLVMBasicBlockRef block, uint64_t why)
{
	if (!block)
		return;
	LLVMPositionBuilderAtEnd(g->b, block);
	end_at(g, why);
}

/* Call a part. Returns why it ended. In a callback, it was stored in the state of the frame, which
 * is set to 0 again, as the loops around it expect. */
static LLVMValueRef call_part(struct gen *g, LLVMValueRef fn)
{
	LLVMValueRef why;

	if (!g->parts_loop)
		return LLVMBuildCall2(g->b, part_type(g), fn, &g->body.frame, 1, "");
	GEN_HELPER(g, BPF_FUNC_loop, gen_u64(g, 1), fn, g->body.frame, gen_u64(g, 0));
	why = gen_word(g, gen_frame_state(g));
	LLVMBuildStore(g->b, gen_u64(g, 0), gen_frame_state(g));
	return why;
}

static void follow(struct gen *g, LLVMValueRef why, uint64_t which, LLVMBasicBlockRef to)
{
	LLVMBasicBlockRef next;

	if (!to)
		return;
	next = gen_block(g, "part.end");
	gen_unless(g, gen_compare(g, LLVMIntEQ, why, which), to, next);
}

/* Continue after the call of the part, or at `taken` if the part ended with TAKEN. */
static void end_part(struct gen *g, struct part *p, LLVMBasicBlockRef taken)
{
	LLVMValueRef fn = g->body.fn, why;
	bool has_exit = g->body.exit != g->body.done;

	end_at(g, 0);
	end_with(g, g->body.done, RETURNED);
	end_with(g, has_exit ? g->body.exit : NULL, EXITED);
	end_with(g, g->body.on_break, BROKEN);
	end_with(g, g->body.on_continue, CONTINUED);
	end_with(g, g->body.on_spent, SPENT);
	end_with(g, p->taken, TAKEN);
	gen_function_end(g);
	g->body = p->outer;
	LLVMPositionBuilderAtEnd(g->b, p->at);
	gen_location(g, p->span);
	why = call_part(g, fn);
	follow(g, why, RETURNED, g->body.done);
	follow(g, why, EXITED, has_exit ? g->body.exit : NULL);
	follow(g, why, BROKEN, g->body.on_break);
	follow(g, why, CONTINUED, g->body.on_continue);
	follow(g, why, SPENT, g->body.on_spent);
	follow(g, why, TAKEN, taken);
}

/* ---- statements -------------------------------------------------------------------------- */

static bool has_statements(const struct stmt *st)
{
	return ast_is_loop(st) || st->kind == ST_IF || st->kind == ST_BLOCK ||
	       st->kind == ST_CALLED;
}

static void gen_in_part(struct gen *g, const struct block *b)
{
	struct part p;

	begin_part(g, &p, b->items[0]->span);
	gen_each_stmt(g, b);
	end_part(g, &p, NULL);
}

void gen_parts(struct gen *g, const struct block *b)
{
	for (uint32_t i = 0, n; i < b->n; i += n) {
		uint32_t cost = cost_of(b->items[i]);
		struct block part = {.items = &b->items[i]};

		for (n = 1; i + n < b->n; n++) {
			uint32_t more = cost_of(b->items[i + n]);

			if (cost + more > part_cost(g))
				break;
			cost += more;
		}
		part.n = n;
		if (n == 1 && cost > part_cost(g) && has_statements(b->items[i]))
			gen_each_stmt(g, &part);
		else
			gen_in_part(g, &part);
	}
}

/* ---- if … else if … ---------------------------------------------------------------------- */

/* The next `if` of a chain, or NULL. */
static struct stmt *next_of(const struct stmt *st)
{
	const struct block *rest = &st->branch.otherwise;

	return rest->n == 1 && rest->items[0]->kind == ST_IF ? rest->items[0] : NULL;
}

static uint32_t cost_of_branch(struct stmt *st)
{
	uint32_t cost = cost_of_block(&st->branch.then);

	add_cost(st->branch.cond, &cost);
	return cost;
}

/* `if (COND) { … }`, which continues at `end`; the builder ends where COND is false. */
static void gen_branch(struct gen *g, struct stmt *st, LLVMBasicBlockRef end)
{
	LLVMBasicBlockRef otherwise = gen_block(g, "else");
	uint32_t mark = g->probe.scratch.used;

	gen_location(g, st->span);
	gen_only_if(g, gen_int(g, st->branch.cond), otherwise);
	gen_stmts(g, &st->branch.then);
	LLVMBuildBr(g->b, end);
	LLVMPositionBuilderAtEnd(g->b, otherwise);
	gen_scratch_release(g, mark);
}

/* Generate as many branches from `st` on as fit one part. Returns the rest of the chain; the last
 * `if` that was generated is in `last`. */
static struct stmt *gen_some_branches(struct gen *g, struct stmt *st, LLVMBasicBlockRef end,
				      struct stmt **last)
{
	uint32_t cost = 0;
	struct part p;

	begin_part(g, &p, st->span);
	p.taken = LLVMAppendBasicBlockInContext(g->llvm, g->body.fn, "taken");
	for (; st && (!cost || cost + cost_of_branch(st) <= part_cost(g)); st = next_of(st)) {
		cost += cost_of_branch(st);
		gen_branch(g, st, p.taken);
		*last = st;
	}
	end_part(g, &p, end);
	return st;
}

void gen_branches(struct gen *g, struct stmt *st)
{
	LLVMBasicBlockRef end = gen_block(g, "end");
	struct stmt *last = st;

	while (st) {
		last = st;
		if (next_of(st) && cost_of_branch(st) <= part_cost(g)) {
			st = gen_some_branches(g, st, end, &last);
			continue;
		}
		gen_branch(g, st, end);
		st = next_of(st);
	}
	gen_stmts(g, &last->branch.otherwise);
	gen_enter(g, end);
}

bool gen_part_is_chain(const struct gen *g, struct stmt *st)
{
	return g->probe.splits && g->body.n_parts < MOST_PARTS_NESTED && cost_of(st) > part_cost(g);
}
