/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of iterators. The kernel runs them once for each object, and once more without an object
 * at the end, which is ignored. If the object is a thread, or belongs to one, that thread is the
 * subject. printf writes to the iterator's file (bpf_seq_printf), so that a pinned iterator prints
 * for every reader.
 */
#include "parser/lang/field_type.h"
#include "codegen/gen_prog.h"

/* Load a pointer from `from` + `offset`. The load is volatile, else LLVM moves ctx arithmetic to
 * where the verifier rejects it. */
static LLVMValueRef load_pointer(struct gen *g, LLVMValueRef from, uint32_t offset)
{
	LLVMValueRef v = LLVMBuildLoad2(g->b, g->ptr, gen_at(g, from, offset), "");

	LLVMSetVolatile(v, true);
	return v;
}

void gen_iter_program(struct gen *g, LLVMBasicBlockRef out)
{
	const struct iter_field *object, *task;
	LLVMValueRef at;

	prog_select_probe(g, g->prog.plan->probes[0]);
	object = iter_object(point_iter(g->probe.point)->kind);
	task = iter_task(point_iter(g->probe.point)->kind);
	if (object) {
		at = load_pointer(g, g->body.ctx, object->offset);
		gen_only_if(g, at, out);
		g->body.subject = task ? at : NULL;
	}
	if (task)
		prog_scope_test(g, out);
	prog_body(g);
	g->body.subject = NULL;
	LLVMBuildBr(g->b, out);
}

/* The `ctx` of the script, as in other probes: an address. */
static struct value context(struct gen *g, struct expr *e)
{
	return gen_int_value(GEN_CALL(g, "sonde_memory_number", g->body.ctx), e->type);
}

struct value gen_iter_field(struct gen *g, struct expr *e)
{
	const struct iter_field *f;
	LLVMValueRef v;

	if (e->kind != EX_FIELD)
		return context(g, e);
	f = iter_field(point_iter(g->probe.point)->kind, e->field.name);
	if (f->is_pointer) {
		v = load_pointer(g, g->body.ctx, f->offset);
		return gen_int_value(GEN_CALL(g, "sonde_memory_number", v), e->type);
	}
	return gen_load(g, iter_field_type(g->arena, f), gen_at(g, g->body.ctx, f->offset));
}

/* ---- printf ------------------------------------------------------------------------------- */

/* The address of a string argument: bpf_seq_printf() takes strings by address. */
static LLVMValueRef string_address(struct gen *g, struct expr *e)
{
	struct value v = gen_expr(g, e);
	const struct plan_probe *q = g->probe.plan;

	if (v.type->kind == TY_NAME)
		return gen_constant(g, q->name, (uint32_t)strlen(q->name));
	return gen_text_address(g, v);
}

static LLVMValueRef int_argument(struct gen *g, const struct format_piece *p, struct expr *e)
{
	bool is_signed = p->conv == 'd' || p->conv == 'i';

	return gen_narrow(g, gen_int(g, e), type_int(p->bits / 8, is_signed));
}

struct value gen_iter_printf(struct gen *g, struct expr *e)
{
	const struct plan_event *ev = &g->plan->events[e->call.event];
	uint32_t n = e->call.n_args - 1, len;
	const char *format = gen_kernel_format(g, ev->pieces, ev->n_pieces, e->call.args + 1);
	LLVMValueRef data = gen_buffer(g, n ? n * 8 : 8), meta;

	for (uint32_t i = 0; i < ev->n_pieces; i++) {
		const struct format_piece *p = &ev->pieces[i];
		struct expr *arg = p->conv ? e->call.args[1 + p->field] : NULL;
		LLVMValueRef v;

		if (!arg)
			continue;
		v = arg->type->kind == TY_STRING || arg->type->kind == TY_NAME
			    ? string_address(g, arg)
			    : int_argument(g, p, arg);
		LLVMBuildStore(g->b, v, gen_at(g, data, p->field * 8));
	}
	meta = load_pointer(g, g->body.ctx,
			    0); /* the first member of struct bpf_iter_meta is the file */
	meta = load_pointer(g, meta, 0);
	len = (uint32_t)strlen(format);
	GEN_HELPER(g, BPF_FUNC_seq_printf, meta, gen_constant(g, format, len), gen_u64(g, len + 1),
		   n ? data : LLVMConstNull(g->ptr), gen_u64(g, n * 8));
	return (struct value){.kind = V_NONE, .type = &type_void};
}
