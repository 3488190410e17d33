/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faults in the user memory that a body reads, before the body (parser/lang/prefault.h). Either the
 * body's own program is sleepable and does this at its start, or a sleepable program of its own,
 * which runs before it at the same instruction (`prefaults` in the plan). Addresses are computed
 * with the code of expressions, whose reads fault in, too, and count no losses: body.prefaults.
 */
#include "parser/lang/prefault.h"
#include "codegen/gen_prefault.h"
#include "codegen/gen_prog.h"
#include "codegen/gen_span.h"

LLVMValueRef gen_prefault_words(struct gen *g)
{
	LLVMTypeRef type = LLVMFunctionType(g->ptr, &g->ptr, 1, false);
	LLVMValueRef same = LLVMGetInlineAsm(type, "", 0, "=r,0", 4, true, false,
					     LLVMInlineAsmDialectATT, false);

	return LLVMBuildCall2(g->b, type, same, &g->body.words, 1, "");
}

static LLVMValueRef in_section(struct gen *g)
{
	return gen_u32(g, g->prog.plan->is_sleepable);
}

void gen_prefault_to(struct gen *g, LLVMValueRef to, uint32_t size, LLVMValueRef address)
{
	GEN_CALL(g, "sonde_fault_read", to, gen_u32(g, size), address, in_section(g));
}

struct value gen_prefault_var(struct gen *g, const struct var *v)
{
	LLVMValueRef value = gen_int(g, prefault_value(g->probe.ast, v));

	return gen_int_value(gen_narrow(g, value, v->type), v->type);
}

static void fault_in(struct gen *g, LLVMValueRef at, uint32_t size)
{
	GEN_CALL(g, "sonde_fault_first", at, in_section(g));
	for (uint32_t page = 1; (page - 1) * SONDE_FAULT_PAGE + 1 < size; page++)
		GEN_CALL(g, "sonde_fault_next", at, gen_u32(g, size), gen_u32(g, page),
			 in_section(g));
}

/* The conditions around the reads that are being generated. What follows a condition's code is in
 * `next`. */
struct nest {
	struct gen *g;
	struct {
		struct prefault_cond cond;
		LLVMValueRef value;
		LLVMBasicBlockRef next;
	} open[PREFAULT_CONDS];
	uint32_t n;
};

static void close_to(struct nest *s, uint32_t n)
{
	while (s->n > n)
		gen_enter(s->g, s->open[--s->n].next);
}

/* `value`: that of the condition if it was computed already, or NULL. */
static void open_cond(struct nest *s, struct prefault_cond cond, LLVMValueRef value)
{
	struct gen *g = s->g;
	LLVMBasicBlockRef next = gen_block(g, "prefault.next");

	if (!value)
		value = gen_truth(g, gen_int(g, cond.expr));
	gen_only_if(g, cond.is_true ? value : LLVMBuildNot(g->b, value, ""), next);
	s->open[s->n].cond = cond;
	s->open[s->n].value = value;
	s->open[s->n++].next = next;
}

/* Conditions that this read shares with the one before it are tested once. */
static void open_conds(struct nest *s, const struct prefault_cond *conds, uint32_t n)
{
	LLVMValueRef value = NULL;
	uint32_t i = 0;

	while (i < n && i < s->n && s->open[i].cond.expr == conds[i].expr &&
	       s->open[i].cond.is_true == conds[i].is_true)
		i++;
	if (i < n && i < s->n && s->open[i].cond.expr == conds[i].expr)
		value = s->open[i].value;
	close_to(s, i);
	for (; i < n; i++, value = NULL)
		open_cond(s, conds[i], value);
}

static void gen_read(const struct prefault_read *r, void *nest)
{
	struct gen *g = ((struct nest *)nest)->g;
	uint32_t head = r->expr->type->kind == TY_BUFFER ? BUFFER_HEAD : 0;

	open_conds(nest, r->conds, r->n_conds);
	if (r->expr->type->kind == TY_VOID) {
		GEN_CALL(g, "sonde_join_fault", gen_int(g, r->expr->call.args[0]), in_section(g));
		return;
	}
	fault_in(g,
		 r->expr->kind == EX_CALL ? gen_int(g, r->expr->call.args[0])
					  : gen_address(g, r->expr),
		 r->expr->type->size - head);
}

/* If the predicate can be tested without reading memory, only runs that pass it fault anything
 * in. */
void gen_prefault_body(struct gen *g, LLVMBasicBlockRef out)
{
	const struct probe *p = g->probe.ast;
	struct nest nest = {.g = g};

	if (p->predicate && prefault_is_plain(p->predicate))
		prog_predicate(g, p->predicate, out);
	g->body.prefaults = true;
	prefault_body_reads(p, g->body.span, gen_read, &nest);
	close_to(&nest, 0);
	span_prefault_result(g);
	g->body.prefaults = false;
}

void gen_prefault_entries(struct gen *g)
{
	struct nest nest = {.g = g};

	g->body.prefaults = true;
	prefault_entry_reads(g->probe.ast, gen_read, &nest);
	close_to(&nest, 0);
	g->body.prefaults = false;
}

void gen_prefault_program(struct gen *g, LLVMBasicBlockRef out)
{
	const struct plan_prog *of = &g->plan->progs[g->prog.plan->prefaults - 1];

	prog_select_probe(g, of->n_probes ? of->probes[0] : of->starts[0]);
	prog_scope_test(g, out);
	if (of->n_probes)
		gen_prefault_body(g, out);
	else
		span_prefault_entries(g);
	LLVMBuildBr(g->b, out);
}
