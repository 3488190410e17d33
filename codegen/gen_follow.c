/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates the verifier's work for `unroll`. The verifier follows each copy of the body of an
 * unroll, with at most 8,192 branches in a program and a million steps, so it would refuse a long
 * body with many copies. A probe whose copies are too many gets loops of the kernel in place of its
 * unrolls.
 */
#include "parser/base/limits.h"
#include "codegen/gen.h"

/* Costs, in branches. A branch stands for about 170 of the verifier's steps, so the limit FOLLOWED
 * is about a million steps. */
enum {
	BRANCHES_EACH = 3, /* for a call, a map or a builtin: see LIMIT_BODY */
	FOLLOWED = LIMIT_BODY * BRANCHES_EACH,
	OF_LONG = 40, /* for functions that walk strings or paths */
	OF_STACK = 10,
	OF_COMPARED = 25,  /* for strings, which are compared word by word */
	OF_LOOP = 44,	   /* for a loop that is not in another loop */
	TIMES_OF_LOOP = 4, /* the cost of a copy with a loop */
};

static uint64_t branches(const struct expr *e)
{
	const struct builtin *b = ast_builtin(e);

	if (b && b->traits & (TR_LOOPS | TR_LONG))
		return OF_LONG;
	if (b && b->traits & TR_STACK)
		return OF_STACK;
	if (e->kind == EX_CALL || e->kind == EX_MAP || e->kind == EX_NAME)
		return BRANCHES_EACH;
	if (e->kind == EX_BINARY)
		return e->binary.left->type->kind == TY_STRING ? OF_COMPARED : 1;
	return e->kind == EX_TERNARY || e->kind == EX_FIELD;
}

static void add_branches(struct expr *e, void *ctx)
{
	*(uint64_t *)ctx += branches(e);
	ast_each_child(e, add_branches, ctx);
}

/* A sum over the statements of a block. */
struct sum {
	uint64_t (*of)(const struct stmt *st, uint32_t depth);
	uint64_t n;
	uint32_t depth; /* loops around the block, without unrolls */
};

static void add_block(struct block *b, void *ctx)
{
	struct sum *sum = ctx;

	for (uint32_t i = 0; i < b->n; i++) {
		struct stmt *st = b->items[i];
		bool is_loop = st->kind == ST_WHILE || st->kind == ST_FOR;

		sum->n += sum->of(st, sum->depth);
		sum->depth += is_loop;
		ast_each_block(st, add_block, sum);
		sum->depth -= is_loop;
	}
}

static uint64_t sum_of(uint64_t (*of)(const struct stmt *st, uint32_t depth), const struct block *b,
		       uint32_t depth)
{
	struct sum sum = {.of = of, .depth = depth};

	add_block((struct block *)b, &sum);
	return sum.n;
}

/* The cost of a loop at this nesting depth: the verifier follows its body again for each loop
 * around it. */
static uint64_t of_loop(const struct stmt *st, uint32_t depth)
{
	return st->kind == ST_WHILE || st->kind == ST_FOR ? (uint64_t)OF_LOOP << 2 * depth : 0;
}

/* The cost of a block with the copies of its unrolls; `depth` is the number of loops around it. */
static uint64_t with_copies(const struct block *b, uint32_t depth);

/* The cost of an unroll's copies beyond the first. The verifier follows the body of a loop in a
 * copy several times; within another loop, in each state of that one's body: then they are too
 * many. */
static uint64_t of_unroll(const struct stmt *st, uint32_t depth)
{
	const struct block *body = &st->loop.body;
	uint64_t n;

	if (st->kind != ST_UNROLL)
		return 0;
	n = (st->loop.count->integer.value - 1) * with_copies(body, depth);
	if (!sum_of(of_loop, body, depth))
		return n;
	return depth ? FOLLOWED : TIMES_OF_LOOP * n;
}

static uint64_t with_copies(const struct block *b, uint32_t depth)
{
	uint64_t n = sum_of(of_loop, b, depth);

	ast_each_in_block((struct block *)b, add_branches, &n);
	return n + sum_of(of_unroll, b, depth);
}

bool gen_unrolls_loop(const struct gen *g)
{
	const struct block *body = &g->probe.ast->body;

	return sum_of(of_unroll, body, 0) && with_copies(body, 0) > FOLLOWED;
}
