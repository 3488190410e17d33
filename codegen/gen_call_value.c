/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `call`: a struct sonde_call in the span's slot. The start stores the arguments, the end the
 * result. What is a text is in a table in .rodata, since a program is on many functions.
 */
#include "codegen/gen_prog.h"
#include "codegen/gen_span.h"
#include "parser/base/regs.h"
#include "parser/lang/call_value.h"

/* Where text i of arguments is, counted from the value. */
static uint32_t text_at(const struct type *t, uint32_t i)
{
	return call_texts_at(t) + (uint32_t)sizeof(struct sonde_call_text) * i;
}

/* The texts of all functions, by their numbers. */
static LLVMValueRef table(struct gen *g, uint32_t *n)
{
	static const char symbol[] = "texts_of_calls";
	LLVMValueRef *rows, global = LLVMGetNamedGlobal(g->module, symbol);

	for (*n = 1; *n < g->plan->names.n;)
		*n *= 2;
	if (global)
		return global;
	rows = arena_alloc(g->arena, *n * sizeof(*rows));
	for (uint32_t i = 0; i < *n; i++)
		rows[i] = gen_u64(g, i < g->plan->n_calls ? g->plan->calls[i].texts : 0);
	return gen_constant_data(g, LLVMConstArray2(g->i64, rows, *n), symbol, ".rodata.names");
}

static LLVMValueRef texts_of(struct gen *g, LLVMValueRef function)
{
	LLVMValueRef all, at;
	uint32_t n;

	if (LLVMIsConstant(function))
		return gen_u64(g, g->plan->calls[LLVMConstIntGetZExtValue(function)].texts);
	all = table(g, &n);
	function = gen_masked(g, function, n - 1);
	at = LLVMBuildGEP2(g->b, g->i64, all, &function, 1, "");
	return gen_word(g, at);
}

/* The number of the function. */
static LLVMValueRef function_of(struct gen *g)
{
	return g->probe.ast->points[g->probe.plan->point].is_named ? gen_func_name(g)
								   : gen_probe_name(g);
}

static LLVMValueRef text_byte(struct gen *g, LLVMValueRef texts, uint32_t bit)
{
	LLVMValueRef byte = gen_masked(g, gen_shifted(g, texts, bit), 0xff);

	return LLVMBuildTrunc(g->b, byte, g->i32, "");
}

/* Store the words of registers at `to`. Returns the number of the first word on the stack. */
static uint32_t store_registers(struct gen *g, LLVMValueRef to, uint32_t n)
{
	uint32_t i = 0;

	for (; i < n; i++) {
		struct regs_place place = regs_argument(probe_abi(g->probe.point), i);

		if (place.is_on_stack)
			break;
		LLVMBuildStore(g->b, gen_register(g, place.offset), gen_at(g, to, 8 * i));
	}
	return i;
}

static void store_words(struct gen *g, LLVMValueRef to, uint32_t n, LLVMValueRef texts)
{
	uint32_t first = store_registers(g, to, n);
	struct regs_place place = regs_argument(probe_abi(g->probe.point), first);

	if (first < n)
		GEN_CALL(g, "sonde_call_stack", gen_at(g, to, 8 * first),
			 gen_u32(g, 8 * (n - first)),
			 gen_plus(g, gen_register(g, regs.sp), place.offset), texts);
}

void span_store_call(struct gen *g, LLVMValueRef slot)
{
	const struct plan_field *f = &g->probe.plan->state.call;
	LLVMValueRef call, words, texts, function;

	if (!f->type)
		return;
	call = gen_at(g, slot, f->offset);
	function = function_of(g);
	texts = texts_of(g, function);
	words = gen_at(g, call, call_arguments_at(f->type));
	LLVMBuildStore(g->b, function, gen_at(g, call, offsetof(struct sonde_call, function)));
	LLVMBuildStore(g->b, gen_u64(g, 0),
		       gen_at(g, call, offsetof(struct sonde_call, is_returned)));
	store_words(g, words, call_arguments(f->type), texts);
	for (uint32_t i = 0; i < call_texts(f->type); i++)
		GEN_CALL(g, "sonde_call_text", gen_at(g, call, text_at(f->type, i)), words,
			 gen_u32(g, call_arguments(f->type)), text_byte(g, texts, 8 * i));
}

void span_prefault_call(struct gen *g)
{
	const struct type *t = g->probe.plan->state.call.type;
	LLVMValueRef words, texts;

	if (!t || !call_texts(t))
		return;
	words = gen_buffer(g, 8 * call_arguments(t));
	gen_zero(g, words, 8 * call_arguments(t));
	texts = texts_of(g, function_of(g));
	store_words(g, words, call_arguments(t), texts);
	for (uint32_t i = 0; i < call_texts(t); i++)
		GEN_CALL(g, "sonde_call_fault", words, gen_u32(g, call_arguments(t)),
			 text_byte(g, texts, 8 * i), gen_u32(g, g->prog.plan->is_sleepable));
	gen_buffer_end(g, words, 8 * call_arguments(t));
}

/* The result is known where the function returns, not where it jumps to another one. */
static LLVMValueRef is_returned(struct gen *g)
{
	LLVMValueRef format;

	if (!g->prog.plan->has_jumps)
		return gen_u64(g, 1);
	format = gen_masked(g, gen_cookie_format(g), PLAN_IS_JUMP);
	return LLVMBuildZExt(g->b, gen_compare(g, LLVMIntEQ, format, 0), g->i64, "");
}

/* Store the registers of results. Returns where they are. */
static LLVMValueRef store_registers_of_result(struct gen *g, LLVMValueRef call, uint32_t n)
{
	enum user_abi abi = probe_abi(g->probe.point);
	LLVMValueRef result = gen_at(g, call, call_results_at());

	for (uint32_t i = 0; i < n && (abi != USER_ABI_C || i < 2); i++)
		LLVMBuildStore(g->b, gen_register(g, regs_result(abi, i)),
			       gen_at(g, result, 8 * i));
	return result;
}

void span_prefault_result(struct gen *g)
{
	const struct plan_field *f = &g->probe.plan->state.call;
	LLVMValueRef call, words;
	uint32_t n;

	if (!f->type || !call_has_text(f->type) || !g->body.span || g->probe.is_open ||
	    g->probe.is_left)
		return;
	n = call_results(f->type);
	call = gen_at(g, g->body.span, f->offset);
	words = store_registers_of_result(g, call, n);
	GEN_CALL(g, "sonde_call_fault", words, gen_u32(g, n),
		 text_byte(g, texts_of(g, gen_word(g, call)), SONDE_CALL_RESULT_BIT),
		 gen_u32(g, g->prog.plan->is_sleepable));
}

static void store_result(struct gen *g, LLVMValueRef call, const struct type *t)
{
	uint32_t n = call_results(t);
	LLVMValueRef texts = texts_of(g, gen_word(g, call));
	LLVMValueRef result = store_registers_of_result(g, call, n);

	LLVMBuildStore(g->b, is_returned(g),
		       gen_at(g, call, offsetof(struct sonde_call, is_returned)));
	GEN_CALL(g, "sonde_call_text", gen_at(g, call, offsetof(struct sonde_call, text)), result,
		 gen_u32(g, n), text_byte(g, texts, SONDE_CALL_RESULT_BIT));
}

struct value gen_call(struct gen *g, struct expr *e)
{
	const struct plan_field *f = &g->probe.plan->state.call;
	LLVMValueRef call = gen_at(g, g->body.span, f->offset);

	if (call_is_known(f->type) && !g->probe.is_open && !g->probe.is_left)
		store_result(g, call, f->type);
	return (struct value){.kind = V_MEM, .type = f->type, .v = call};
}
