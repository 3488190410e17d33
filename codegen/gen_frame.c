/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a probe's variables and epochs are stored. In a probe without loops each has its own buffer
 * on the BPF stack, which LLVM mostly turns into registers. The body of a loop is a separate
 * function, to which the kernel passes one pointer: a probe with loops keeps variables and epochs
 * in one frame, together with everything else a body may need (the context, a span's ends).
 * Variables that are too long for the stack are in scratch memory; in a probe that spills, all
 * variables and epochs are. The epochs of the maps that a probe uses are read once, at its start.
 */
#include "parser/base/limits.h"
#include "codegen/gen_prog.h"
#include "codegen/gen_part.h"
#include "codegen/stack_depth.h"

enum { AT_STATE = 0, AT_SHARED = 8 };

#define NO_EPOCH UINT32_MAX /* epoch_at of a map that the probe does not use */

/* The members of struct gen_body that the body of a loop needs from the function around it, if that
 * has them. */
static const size_t shared[] = {
	offsetof(struct gen_body, ctx),	    offsetof(struct gen_body, delta),
	offsetof(struct gen_body, span),    offsetof(struct gen_body, depth),
	offsetof(struct gen_body, subject), offsetof(struct gen_body, syscall),
	offsetof(struct gen_body, began),   offsetof(struct gen_body, self),
	offsetof(struct gen_body, length),  offsetof(struct gen_body, cut),
};

/* The first N_FIXED members have fixed places; the places of the others follow the pointer to
 * scratch memory. */
enum {
	N_SHARED = sizeof(shared) / sizeof(*shared),
	N_FIXED = 6,
	AT_SCRATCH = AT_SHARED + 8 * N_FIXED,
	AT_OTHERS = AT_SCRATCH + 8,
};

static LLVMValueRef *shared_member(struct gen *g, int i)
{
	return (LLVMValueRef *)((char *)&g->body + shared[i]);
}

/* The offset of a member in the frame; for N_SHARED, the end of all of them. */
static uint32_t shared_at(struct gen *g, int i)
{
	uint32_t at = AT_OTHERS;

	if (i < N_FIXED)
		return AT_SHARED + 8 * (uint32_t)i;
	for (int k = N_FIXED; k < i; k++)
		at += *shared_member(g, k) ? 8 : 0;
	return at;
}

static uint32_t slot_size(const struct type *t)
{
	return type_is_memory(t) ? (t->size + 7) / 8 * 8 : 8;
}

static const struct type *type_of(const struct gen *g, uint32_t var)
{
	return g->probe.ast->vars[var]->type;
}

static bool is_in_scratch(const struct gen *g, uint32_t var)
{
	return g->probe.spills || slot_size(type_of(g, var)) > LIMIT_ON_STACK;
}

/* ---- layout ------------------------------------------------------------------------------ */

static void find_map(struct expr *e, void *ctx)
{
	struct gen *g = ctx;

	if (e->kind == EX_MAP)
		g->probe.frame.epoch_at[e->map.map->id] = 0;
	ast_each_child(e, find_map, g);
}

static void find_maps(struct gen *g)
{
	const struct probe *p = g->probe.ast;
	uint32_t n = g->plan->n_maps;

	g->probe.frame.epoch_at = arena_alloc(g->arena, (n + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++)
		g->probe.frame.epoch_at[i] = NO_EPOCH;
	ast_each_in_probe(p, find_map, g);
}

static void lay_out_epochs(struct gen *g)
{
	for (uint32_t i = 0; i < g->plan->n_maps; i++) {
		uint32_t *at = &g->probe.frame.epoch_at[i];

		if (*at == NO_EPOCH)
			continue;
		*at = g->probe.spills ? gen_scratch_take(g, 8) : g->probe.frame.size;
		g->probe.frame.size += g->probe.spills ? 0 : 8;
	}
}

static void lay_out_var(struct gen *g, uint32_t var)
{
	uint32_t size = slot_size(type_of(g, var));

	if (is_in_scratch(g, var)) {
		g->probe.frame.var_at[var] = gen_scratch_take_var(g, g->probe.ast->vars[var], size);
		return;
	}
	g->probe.frame.var_at[var] = g->probe.frame.size;
	g->probe.frame.size += size;
}

static void lay_out(struct gen *g)
{
	const struct probe *p = g->probe.ast;

	g->probe.frame.rounds_at = shared_at(g, N_SHARED);
	g->probe.frame.size = g->probe.frame.rounds_at;
	if (gen_frame_is_timed(g))
		g->probe.frame.size += sizeof(struct sonde_loop);
	else if (p->has_counted)
		g->probe.frame.size += 8;
	g->probe.frame.result_at = g->probe.frame.size;
	if (prog_kind_is(g->prog.plan->kind, PK_TEST))
		g->probe.frame.size += 8;
	lay_out_epochs(g);
	g->probe.frame.var_at =
		arena_alloc(g->arena, (p->n_vars + 1) * sizeof(*g->probe.frame.var_at));
	for (uint32_t i = 0; i < p->n_vars; i++)
		lay_out_var(g, i);
}

/* True when variables and epochs alone take more stack than there is. A frame is in memory as a
 * whole; of other probes LLVM keeps integers in registers, where it can. */
static bool exceeds_stack(const struct gen *g)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < g->plan->n_maps && g->probe.has_frame; i++)
		if (g->probe.frame.epoch_at[i] != NO_EPOCH)
			bytes += 8;
	for (uint32_t i = 0; i < g->probe.ast->n_vars; i++)
		if (!is_in_scratch(g, i) && (g->probe.has_frame || type_is_memory(type_of(g, i))))
			bytes += slot_size(type_of(g, i));
	return bytes > STACK_BYTES;
}

/* ---- addresses --------------------------------------------------------------------------- */

/* A probe that spills computes the address at each use: a kept address would be on the BPF
 * stack. */
LLVMValueRef gen_var_at(struct gen *g, uint32_t var)
{
	if (g->probe.spills)
		return gen_scratch_at(g, g->probe.frame.var_at[var]);
	return g->body.vars[var];
}

static LLVMValueRef var_address(struct gen *g, uint32_t var)
{
	if (is_in_scratch(g, var))
		return gen_scratch_at(g, g->probe.frame.var_at[var]);
	return gen_at(g, g->body.frame, g->probe.frame.var_at[var]);
}

static void set_addresses(struct gen *g)
{
	g->body.vars = arena_alloc(g->arena, (g->probe.ast->n_vars + 1) * sizeof(*g->body.vars));
	g->body.epochs = arena_alloc(g->arena, (g->plan->n_maps + 1) * sizeof(*g->body.epochs));
	for (uint32_t i = 0; i < g->probe.ast->n_vars && !g->probe.spills; i++)
		g->body.vars[i] = var_address(g, i);
	for (uint32_t i = 0; i < g->plan->n_maps && !g->probe.spills; i++)
		if (g->probe.frame.epoch_at[i] != NO_EPOCH)
			g->body.epochs[i] = gen_at(g, g->body.frame, g->probe.frame.epoch_at[i]);
}

LLVMValueRef gen_epoch_at(struct gen *g, uint32_t map)
{
	if (g->probe.spills)
		return gen_scratch_at(g, g->probe.frame.epoch_at[map]);
	return g->body.epochs[map];
}

/* ---- a probe's start --------------------------------------------------------------------- */

/* Store the initial count of iterations. The verifier must not know it: see hide_values() in
 * gen_loop.c. */
static void begin_rounds(struct gen *g)
{
	bool is_timed = gen_frame_is_timed(g);
	LLVMValueRef zero;

	if (!is_timed && !g->probe.ast->has_counted)
		return;
	zero = GEN_CALL(g, "sonde_control_zero");
	if (is_timed)
		LLVMBuildStore(g->b, zero,
			       gen_at(g, gen_frame_rounds(g),
				      offsetof(struct sonde_loop, start_ns)));
	if (is_timed)
		zero = gen_plus(g, zero, SONDE_LOOP_CLOCK);
	LLVMBuildStore(g->b, zero, gen_frame_rounds(g));
}

static void read_epochs(struct gen *g)
{
	for (uint32_t i = 0; i < g->plan->n_maps; i++)
		if (g->probe.frame.epoch_at[i] != NO_EPOCH)
			gen_epoch_refresh(g, i);
}

static void begin_frame(struct gen *g)
{
	lay_out(g);
	g->body.frame = gen_buffer(g, g->probe.frame.size);
	gen_zero(g, g->body.frame, g->probe.frame.size);
	for (int i = 0; i < N_SHARED; i++)
		if (*shared_member(g, i))
			LLVMBuildStore(g->b, *shared_member(g, i),
				       gen_at(g, g->body.frame, shared_at(g, i)));
	LLVMBuildStore(g->b, LLVMBuildLoad2(g->b, g->ptr, g->body.scratch, ""),
		       gen_at(g, g->body.frame, AT_SCRATCH));
	begin_rounds(g);
	set_addresses(g);
	read_epochs(g);
	for (uint32_t i = 0; i < g->probe.ast->n_vars; i++)
		if (is_in_scratch(g, i))
			gen_zero(g, gen_var_at(g, i), slot_size(type_of(g, i)));
}

static void begin_buffers(struct gen *g)
{
	uint32_t n = g->probe.ast->n_vars + 1;

	g->probe.frame.var_at = arena_alloc(g->arena, n * sizeof(*g->probe.frame.var_at));
	g->body.vars = arena_alloc(g->arena, n * sizeof(*g->body.vars));
	for (uint32_t i = 0; i < g->probe.ast->n_vars; i++) {
		uint32_t size = slot_size(type_of(g, i));

		if (is_in_scratch(g, i))
			lay_out_var(g, i);
		if (!g->probe.spills)
			g->body.vars[i] =
				is_in_scratch(g, i) ? var_address(g, i) : gen_buffer(g, size);
		gen_zero(g, gen_var_at(g, i), size);
	}
	lay_out_epochs(g);
	for (uint32_t i = 0; i < g->plan->n_maps && !g->probe.spills; i++)
		if (g->probe.frame.epoch_at[i] != NO_EPOCH)
			g->body.epochs[i] = gen_buffer(g, 4);
	read_epochs(g);
}

void gen_frame_begin(struct gen *g)
{
	g->body.frame = NULL;
	g->probe.splits = gen_part_splits(g);
	g->probe.unrolls_loop = gen_unrolls_loop(g);
	g->probe.has_frame = g->probe.ast->has_loops || g->probe.splits || g->probe.unrolls_loop;
	find_maps(g);
	g->probe.spills |= exceeds_stack(g);
	if (g->probe.has_frame)
		begin_frame(g);
	else
		begin_buffers(g);
}

/* ---- loops' bodies ----------------------------------------------------------------------- */

/* Read what begin_frame() has stored. */
void gen_frame_enter(struct gen *g, LLVMValueRef frame)
{
	g->body.frame = frame;
	for (int i = 0; i < N_SHARED; i++) {
		LLVMValueRef *member = shared_member(g, i);

		if (*member)
			*member = LLVMBuildLoad2(g->b, LLVMTypeOf(*member),
						 gen_at(g, frame, shared_at(g, i)), "");
	}
	g->body.scratch = gen_at(g, frame, AT_SCRATCH);
	g->body.current = NULL;
	prog_rebuild_words(g);
	set_addresses(g);
}

/* Does the type contain a pointer, on any level? The verifier may know what the pointer points to,
 * so it must not be hidden. */
static bool has_pointer(const struct type *t)
{
	for (uint32_t i = 0; i < t->n_members; i++)
		if (has_pointer(t->members[i].type))
			return true;
	return t->kind == TY_POINTER || (t->kind == TY_ARRAY && has_pointer(t->to));
}

uint32_t gen_frame_hidable(const struct gen *g, uint32_t var)
{
	const struct type *t = type_of(g, var);

	return is_in_scratch(g, var) || has_pointer(t) ? 0 : slot_size(t);
}

LLVMValueRef gen_frame_state(struct gen *g)
{
	return gen_at(g, g->body.frame, AT_STATE);
}

LLVMValueRef gen_frame_rounds(struct gen *g)
{
	return gen_at(g, g->body.frame, g->probe.frame.rounds_at);
}

LLVMValueRef gen_frame_result(struct gen *g)
{
	if (!g->body.frame || !prog_kind_is(g->prog.plan->kind, PK_TEST))
		return NULL;
	return gen_at(g, g->body.frame, g->probe.frame.result_at);
}

bool gen_frame_is_timed(const struct gen *g)
{
	return prog_kind_is(g->prog.plan->kind, PK_ATOMIC);
}
