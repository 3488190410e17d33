/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs of iterators. The kernel runs them once for each object, and once more without an object
 * at the end, which is ignored. If the object is a thread, or belongs to one, that thread is the
 * subject. printf writes to the iterator's file (bpf_seq_printf), so that a pinned iterator prints
 * for every reader.
 */
#include "parser/base/arena.h"
#include "parser/lang/field_type.h"
#include "codegen/gen.h"
#include "codegen/gen_hooks.h"
#include "codegen/gen_prog.h"
#include <linux/bpf.h>
#include <string.h>

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

struct buffer {
	char *at;
	uint32_t n;
};

static void put(struct gen *g, struct buffer *t, char c)
{
	arena_push(g->arena, t->at, t->n, c);
}

static void put_string(struct gen *g, struct buffer *t, const char *s)
{
	while (*s)
		put(g, t, *s++);
}

static bool is_string(const struct type *t)
{
	return t->kind == TY_STRING || t->kind == TY_NAME;
}

/* The conversion as bpf_seq_printf() spells it: all integers have 64 bits. */
static const char *conversion_of(const struct format_piece *p, const struct type *type)
{
	if (p->conv == 'c')
		return "c";
	if (is_string(type))
		return "s";
	if (type->kind == TY_KSYM)
		return "ps";
	if (p->conv == 'x')
		return "llx";
	if (p->conv == 'X')
		return "llX";
	if (p->conv == 'p')
		return "llx";
	return p->conv == 'u' || (p->conv == 's' && !type->is_signed) ? "llu" : "lld";
}

static void put_conversion(struct gen *g, struct buffer *t, const struct format_piece *p,
			   const struct type *type)
{
	char width[16] = "";

	if (p->conv == 'p')
		put_string(g, t, "0x");
	put(g, t, '%');
	if (p->left)
		put(g, t, '-');
	if (p->plus)
		put(g, t, '+');
	if (p->space)
		put(g, t, ' ');
	if (p->zero)
		put(g, t, '0');
	if (p->width > 0)
		snprintf(width, sizeof(width), "%d", p->width);
	put_string(g, t, width);
	put_string(g, t, conversion_of(p, type));
}

static LLVMValueRef format_string(struct gen *g, const struct plan_event *ev, struct expr *call,
				  uint32_t *len)
{
	struct buffer t = {0};

	for (uint32_t i = 0; i < ev->n_pieces; i++) {
		const struct format_piece *p = &ev->pieces[i];

		for (uint32_t c = 0; c < p->text_len; c++) {
			put(g, &t, p->text[c]);
			if (p->text[c] == '%')
				put(g, &t, '%');
		}
		if (p->conv)
			put_conversion(g, &t, p, call->call.args[1 + p->field]->type);
	}
	*len = t.n + 1;
	return gen_constant(g, t.at ? t.at : "", t.n);
}

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
	LLVMValueRef data = gen_buffer(g, n ? n * 8 : 8), meta, format;

	for (uint32_t i = 0; i < ev->n_pieces; i++) {
		const struct format_piece *p = &ev->pieces[i];
		struct expr *arg = p->conv ? e->call.args[1 + p->field] : NULL;
		LLVMValueRef v;

		if (!arg)
			continue;
		v = is_string(arg->type) ? string_address(g, arg) : int_argument(g, p, arg);
		LLVMBuildStore(g->b, v, gen_at(g, data, p->field * 8));
	}
	meta = load_pointer(g, g->body.ctx,
			    0); /* the first member of struct bpf_iter_meta is the file */
	meta = load_pointer(g, meta, 0);
	format = format_string(g, ev, e, &len);
	GEN_HELPER(g, BPF_FUNC_seq_printf, meta, format, gen_u64(g, len),
		   n ? data : LLVMConstNull(g->ptr), gen_u64(g, n * 8));
	return (struct value){.kind = V_NONE, .type = &type_void};
}
