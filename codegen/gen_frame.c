/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a probe's variables and epochs are. Normally each has a place of its own on the BPF stack,
 * which LLVM mostly turns into registers. A loop's body is a function of its own, which the kernel
 * calls with one pointer: probes with loops keep all in one frame, and what else a body may need
 * (context, a span's ends) beside it.
 */
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "codegen/gen.h"
#include <stddef.h>

enum { AT_STATE = 0, AT_WORDS = 8 };

/* What a body needs of the probe around it, where the probe has it: members of struct gen_body. */
static const size_t words[] = {
	offsetof(struct gen_body, ctx),	    offsetof(struct gen_body, delta),
	offsetof(struct gen_body, span),    offsetof(struct gen_body, depth),
	offsetof(struct gen_body, subject), offsetof(struct gen_body, syscall),
};

enum { N_WORDS = sizeof(words) / sizeof(*words), AT_SCRATCH = AT_WORDS + 8 * N_WORDS };

static LLVMValueRef *word_of(struct gen *g, int i)
{
	return (LLVMValueRef *)((char *)&g->body + words[i]);
}

static uint32_t slot_size(const struct type *t)
{
	return type_is_memory(t) ? (t->size + 7) / 8 * 8 : 8;
}

static void lay_epoch(struct expr *e, void *ctx)
{
	struct gen *g = ctx;

	if (e->kind == EX_MAP && !g->probe.frame.epoch_at[e->map.map->id]) {
		g->probe.frame.epoch_at[e->map.map->id] = g->probe.frame.size;
		g->probe.frame.size += 8;
	}
	ast_each_child(e, lay_epoch, g);
}

static void lay_frame(struct gen *g)
{
	g->probe.frame.rounds_at = AT_SCRATCH + 8;
	g->probe.frame.size = g->probe.frame.rounds_at + (g->probe.ast->has_counted ? 8 : 0);
	g->probe.frame.epoch_at =
		arena_alloc(g->arena, (g->plan->n_maps + 1) * sizeof(*g->probe.frame.epoch_at));
	if (g->probe.ast->predicate)
		lay_epoch(g->probe.ast->predicate, g);
	ast_each_in_block((struct block *)&g->probe.ast->body, lay_epoch, g);
	g->probe.frame.var_at =
		arena_alloc(g->arena, (g->probe.ast->n_vars + 1) * sizeof(*g->probe.frame.var_at));
	for (uint32_t i = 0; i < g->probe.ast->n_vars; i++) {
		uint32_t size = slot_size(g->probe.ast->vars[i]->type);

		g->probe.frame.var_at[i] =
			size > LIMIT_ON_STACK ? gen_scratch_take(g, size) : g->probe.frame.size;
		g->probe.frame.size += size > LIMIT_ON_STACK ? 0 : size;
	}
}

static LLVMValueRef place_of(struct gen *g, uint32_t i)
{
	if (slot_size(g->probe.ast->vars[i]->type) > LIMIT_ON_STACK)
		return gen_scratch_at(g, g->probe.frame.var_at[i]);
	return gen_at(g, g->body.frame, g->probe.frame.var_at[i]);
}

static void point_into(struct gen *g)
{
	g->body.vars = arena_alloc(g->arena, (g->probe.ast->n_vars + 1) * sizeof(*g->body.vars));
	g->body.epochs = arena_alloc(g->arena, (g->plan->n_maps + 1) * sizeof(*g->body.epochs));
	for (uint32_t i = 0; i < g->probe.ast->n_vars; i++)
		g->body.vars[i] = place_of(g, i);
	for (uint32_t i = 0; i < g->plan->n_maps; i++)
		if (g->probe.frame.epoch_at[i])
			g->body.epochs[i] = gen_at(g, g->body.frame, g->probe.frame.epoch_at[i]);
}

static void begin_frame(struct gen *g)
{
	lay_frame(g);
	g->body.frame = gen_buffer(g, g->probe.frame.size);
	gen_zero(g, g->body.frame, g->probe.frame.size);
	for (int i = 0; i < N_WORDS; i++)
		if (*word_of(g, i))
			LLVMBuildStore(g->b, *word_of(g, i),
				       gen_at(g, g->body.frame, AT_WORDS + 8 * i));
	LLVMBuildStore(g->b, LLVMBuildLoad2(g->b, g->ptr, g->body.scratch, ""),
		       gen_at(g, g->body.frame, AT_SCRATCH));
	if (g->probe.ast->has_counted) /* as hide_values in gen_loop.c */
		LLVMBuildStore(g->b, GEN_CALL(g, "sonde_control_zero"), gen_frame_rounds(g));
	point_into(g);
	for (uint32_t i = 0; i < g->plan->n_maps; i++)
		if (g->probe.frame.epoch_at[i])
			gen_epoch_forget(g, i);
	for (uint32_t i = 0; i < g->probe.ast->n_vars; i++)
		if (slot_size(g->probe.ast->vars[i]->type) > LIMIT_ON_STACK)
			gen_zero(g, g->body.vars[i], slot_size(g->probe.ast->vars[i]->type));
}

static void begin_places(struct gen *g)
{
	g->body.vars = arena_alloc(g->arena, (g->probe.ast->n_vars + 1) * sizeof(*g->body.vars));
	for (uint32_t i = 0; i < g->probe.ast->n_vars; i++) {
		uint32_t size = slot_size(g->probe.ast->vars[i]->type);

		g->body.vars[i] = gen_big_buffer(g, size);
		gen_zero(g, g->body.vars[i], size);
	}
}

void gen_frame_begin(struct gen *g)
{
	g->body.frame = NULL;
	if (g->probe.ast->has_loops)
		begin_frame(g);
	else
		begin_places(g);
}

/* In a loop's function: everything is where the probe has put it. */
void gen_frame_enter(struct gen *g, LLVMValueRef frame)
{
	g->body.frame = frame;
	for (int i = 0; i < N_WORDS; i++) {
		LLVMValueRef *word = word_of(g, i);

		if (*word)
			*word = LLVMBuildLoad2(g->b, LLVMTypeOf(*word),
					       gen_at(g, frame, AT_WORDS + 8 * i), "");
	}
	g->body.scratch = gen_at(g, frame, AT_SCRATCH);
	g->body.current = NULL;
	point_into(g);
}

/* Pointers are left out, also in tuples: the verifier may know what they point to. */
static bool has_pointer(const struct type *t)
{
	for (uint32_t i = 0; i < t->n_members; i++)
		if (has_pointer(t->members[i].type))
			return true;
	return t->kind == TY_POINTER || (t->kind == TY_ARRAY && has_pointer(t->to));
}

uint32_t gen_frame_plain(const struct gen *g, uint32_t var)
{
	const struct type *t = g->probe.ast->vars[var]->type;

	return slot_size(t) > LIMIT_ON_STACK || has_pointer(t) ? 0 : slot_size(t);
}

LLVMValueRef gen_frame_state(struct gen *g)
{
	return gen_at(g, g->body.frame, AT_STATE);
}

LLVMValueRef gen_frame_rounds(struct gen *g)
{
	return gen_at(g, g->body.frame, g->probe.frame.rounds_at);
}
