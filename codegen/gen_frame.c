/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a probe's variables and epochs are. Normally each has a place of its own on the BPF stack,
 * which LLVM mostly turns into registers. A loop's body is a function of its own, which the kernel
 * calls with one pointer: probes with loops keep all in one frame, and what else a body may need
 * (context, a span's ends) beside it.
 */
#include "../parser/arena.h"
#include "gen.h"

enum { AT_STATE = 0, AT_CTX = 8, AT_DELTA = 16, AT_SPAN = 24, AT_SUBJECT = 32 };

static uint32_t slot_size(const struct type *t)
{
	return t->kind == TY_STRING || type_is_compound(t) ? (t->size + 7) / 8 * 8 : 8;
}

static void lay_epoch(struct expr *e, void *ctx)
{
	struct gen *g = ctx;

	if (e->kind == EX_MAP && !g->epoch_at[e->map.map->id]) {
		g->epoch_at[e->map.map->id] = g->frame_size;
		g->frame_size += 8;
	}
	ast_each_child(e, lay_epoch, g);
}

static void lay_frame(struct gen *g)
{
	g->frame_size = g->span ? AT_SUBJECT + 8 : AT_CTX + 8;
	g->epoch_at = arena_alloc(g->arena, (g->plan->n_maps + 1) * sizeof(*g->epoch_at));
	if (g->ast->predicate)
		lay_epoch(g->ast->predicate, g);
	ast_each_in_block((struct block *)&g->ast->body, lay_epoch, g);
	g->var_at = arena_alloc(g->arena, (g->ast->n_vars + 1) * sizeof(*g->var_at));
	for (uint32_t i = 0; i < g->ast->n_vars; i++) {
		g->var_at[i] = g->frame_size;
		g->frame_size += slot_size(g->ast->vars[i]->type);
	}
}

static void point_into(struct gen *g)
{
	g->vars = arena_alloc(g->arena, (g->ast->n_vars + 1) * sizeof(*g->vars));
	g->epochs = arena_alloc(g->arena, (g->plan->n_maps + 1) * sizeof(*g->epochs));
	for (uint32_t i = 0; i < g->ast->n_vars; i++)
		g->vars[i] = gen_at(g, g->frame, g->var_at[i]);
	for (uint32_t i = 0; i < g->plan->n_maps; i++)
		if (g->epoch_at[i])
			g->epochs[i] = gen_at(g, g->frame, g->epoch_at[i]);
}

static void begin_frame(struct gen *g)
{
	lay_frame(g);
	g->frame = gen_buffer(g, g->frame_size);
	gen_zero(g, g->frame, g->frame_size);
	LLVMBuildStore(g->b, g->ctx, gen_at(g, g->frame, AT_CTX));
	if (g->span) {
		LLVMBuildStore(g->b, g->delta, gen_at(g, g->frame, AT_DELTA));
		LLVMBuildStore(g->b, g->span, gen_at(g, g->frame, AT_SPAN));
		LLVMBuildStore(g->b, g->subject, gen_at(g, g->frame, AT_SUBJECT));
	}
	point_into(g);
	for (uint32_t i = 0; i < g->plan->n_maps; i++)
		if (g->epoch_at[i])
			gen_epoch_forget(g, i);
}

static void begin_places(struct gen *g)
{
	g->vars = arena_alloc(g->arena, (g->ast->n_vars + 1) * sizeof(*g->vars));
	for (uint32_t i = 0; i < g->ast->n_vars; i++) {
		uint32_t size = slot_size(g->ast->vars[i]->type);

		g->vars[i] = gen_buffer(g, size);
		gen_zero(g, g->vars[i], size);
	}
}

void gen_frame_begin(struct gen *g)
{
	g->frame = NULL;
	if (g->ast->has_loops)
		begin_frame(g);
	else
		begin_places(g);
}

/* In a loop's function: everything is where the probe has put it. */
void gen_frame_enter(struct gen *g, LLVMValueRef frame)
{
	g->frame = frame;
	g->ctx = LLVMBuildLoad2(g->b, g->ptr, gen_at(g, frame, AT_CTX), "");
	g->pid_tgid = NULL;
	if (g->span) {
		g->delta = LLVMBuildLoad2(g->b, g->i64, gen_at(g, frame, AT_DELTA), "");
		g->span = LLVMBuildLoad2(g->b, g->ptr, gen_at(g, frame, AT_SPAN), "");
		g->subject = LLVMBuildLoad2(g->b, g->ptr, gen_at(g, frame, AT_SUBJECT), "");
	}
	point_into(g);
}

LLVMValueRef gen_frame_state(struct gen *g)
{
	return gen_at(g, g->frame, AT_STATE);
}
