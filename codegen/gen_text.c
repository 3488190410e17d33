/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of strings and of the bytes of values.
 */
#include "parser/lang/span_kind.h"
#include "parser/lang/syscalls.h"
#include "codegen/gen.h"
#include <signal.h>

/* ---- strings ------------------------------------------------------------------------------ */

/* A string in memory: bytes of the traced program, or a literal in .rodata. */
struct bytes {
	LLVMValueRef at;
	uint32_t size;
};

static struct bytes text_of(struct gen *g, struct value v)
{
	if (v.kind == V_LITERAL)
		return (struct bytes){gen_constant(g, v.literal, v.len), v.len + 1};
	return (struct bytes){v.v, v.type->size};
}

/* Of a literal: with its NUL. */
static uint32_t size_of(struct value v)
{
	return v.kind == V_LITERAL ? (uint32_t)strlen(v.literal) + 1 : v.type->size;
}

static struct bytes gen_bytes(struct gen *g, struct expr *e)
{
	return text_of(g, gen_expr(g, e));
}

struct value gen_strlen(struct gen *g, struct expr *e)
{
	struct value v = gen_expr(g, e->call.args[0]);
	struct bytes b;

	if (v.kind == V_LITERAL)
		return gen_int_value(gen_u64(g, v.len), e->type);
	b = text_of(g, v);
	return gen_int_value(GEN_CALL(g, "sonde_string_length", b.at, gen_u32(g, b.size)), e->type);
}

struct value gen_strcap(struct gen *g, struct expr *e)
{
	return gen_int_value(gen_u64(g, e->call.args[0]->type->size), e->type);
}

static LLVMValueRef find(struct gen *g, struct expr *e)
{
	struct value in = gen_expr(g, e->call.args[0]), part = gen_expr(g, e->call.args[1]);
	struct bytes a, b;

	if (in.kind == V_LITERAL && part.kind == V_LITERAL) {
		const char *at = strstr(in.literal, part.literal);

		return gen_u64(g, at ? (uint64_t)(at - in.literal) : UINT64_MAX);
	}
	a = text_of(g, in);
	b = text_of(g, part);
	return GEN_CALL(g, "sonde_string_find", a.at, gen_u32(g, a.size), b.at, gen_u32(g, b.size),
			gen_u32(g, g->probe.id));
}

struct value gen_strstr(struct gen *g, struct expr *e)
{
	return gen_int_value(find(g, e), e->type);
}

struct value gen_strcontains(struct gen *g, struct expr *e)
{
	LLVMValueRef at = find(g, e);

	at = gen_compare(g, LLVMIntSGE, at, 0);
	return gen_int_value(gen_extended(g, at), e->type);
}

/* concat(): the first string is padded to its size, so that its end can be found; after it there is
 * space for the whole second string. */
struct value gen_concat(struct gen *g, struct expr *e)
{
	const struct type *first = e->call.args[0]->type;
	uint32_t more = e->call.args[1]->type->size;
	LLVMValueRef buf = gen_big_buffer(g, first->size + more);
	struct bytes b;

	gen_store(g, gen_expr(g, e->call.args[0]), first, buf);
	gen_zero_from(g, buf, first->size, first->size + more);
	b = gen_bytes(g, e->call.args[1]);
	GEN_CALL(g, "sonde_string_append", buf, gen_u32(g, first->size), b.at, gen_u32(g, b.size));
	return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
}

struct value gen_strncmp(struct gen *g, struct expr *e)
{
	struct value x = gen_expr(g, e->call.args[0]), y = gen_expr(g, e->call.args[1]);
	uint64_t n = e->call.args[2]->integer.value;
	uint32_t of_x = size_of(x), of_y = size_of(y), least = of_x < of_y ? of_x : of_y;
	LLVMValueRef equal;

	if (n > least)
		n = least;
	if (x.kind == V_MEM && y.kind == V_LITERAL)
		equal = gen_begins_with(g, x, y, (uint32_t)n);
	else if (x.kind == V_LITERAL && y.kind == V_MEM)
		equal = gen_begins_with(g, y, x, (uint32_t)n);
	else
		equal = gen_truth(g, GEN_CALL(g, "sonde_string_equal", text_of(g, x).at,
					      text_of(g, y).at, gen_u32(g, (uint32_t)n)));
	return gen_int_value(gen_extended(g, LLVMBuildNot(g->b, equal, "")), e->type);
}

/* ---- bytes -------------------------------------------------------------------------------- */

/* The bytes of a value. A number is stored to memory in its own width. */
static struct bytes gen_stored_bytes(struct gen *g, struct expr *e)
{
	struct value v = gen_expr(g, e);
	LLVMValueRef buf;

	if (e->type->kind == TY_BUFFER)
		return (struct bytes){gen_at(g, v.v, BUFFER_HEAD), v.type->size - BUFFER_HEAD};
	if (v.kind != V_INT)
		return text_of(g, v);
	buf = gen_big_buffer(g, 8);
	gen_store(g, v, type_int(8, false), buf);
	return (struct bytes){buf, e->type->size};
}

struct value gen_memcmp(struct gen *g, struct expr *e)
{
	struct gen_kept n = gen_keep(g, gen_expr(g, e->call.args[2]));
	struct bytes a = gen_stored_bytes(g, e->call.args[0]),
		     b = gen_stored_bytes(g, e->call.args[1]);
	LLVMValueRef v = GEN_CALL(g, "sonde_string_memory", a.at, gen_u32(g, a.size), b.at,
				  gen_u32(g, b.size), gen_kept_value(g, &n).v);

	return gen_int_value(v, e->type);
}

struct value gen_bswap(struct gen *g, struct expr *e)
{
	LLVMValueRef v = gen_int(g, e->call.args[0]);
	uint32_t size = e->type->size;
	LLVMTypeRef type = LLVMIntTypeInContext(g->llvm, size * 8);
	unsigned id = LLVMLookupIntrinsicID("llvm.bswap", strlen("llvm.bswap"));

	v = LLVMBuildIntCast2(g->b, v, type, false, "");
	if (size > 1) {
		LLVMValueRef fn = LLVMGetIntrinsicDeclaration(g->module, id, &type, 1);

		v = LLVMBuildCall2(g->b, LLVMGlobalGetValueType(fn), fn, &v, 1, "");
	}
	return gen_int_value(LLVMBuildIntCast2(g->b, v, g->i64, false, ""), e->type);
}

/* ---- names of numbers --------------------------------------------------------------------- */

struct name_table {
	const char *symbol, *prefix, *unknown;
	uint32_t n;
	const char *(*name)(int number);
	const char *foreign; /* of row n + 1: for numbers of another table */
};

/* The least power of two above `most`. */
static uint32_t rows_above(uint32_t most)
{
	uint32_t n = 1;

	while (n <= most)
		n *= 2;
	return n;
}

static uint32_t n_rows(const struct name_table *t)
{
	return rows_above(t->n + (t->foreign != NULL));
}

static const char *text_instead(const struct name_table *t, uint32_t i)
{
	return t->foreign && i == t->n + 1 ? t->foreign : t->unknown;
}

/* A table of names in .rodata. Its rows have SONDE_NAME_BYTES each, their number is a power of two,
 * and the rows from t->n on are for all other numbers. */
static LLVMValueRef table_of(struct gen *g, const struct name_table *t)
{
	LLVMValueRef global = LLVMGetNamedGlobal(g->module, t->symbol), rows[SONDE_SYSCALLS];
	LLVMTypeRef row = LLVMArrayType2(g->i8, SONDE_NAME_BYTES);
	char text[SONDE_NAME_BYTES];

	if (global)
		return global;
	for (uint32_t i = 0; i < n_rows(t); i++) {
		const char *name = i < t->n ? t->name((int)i) : NULL;

		memset(text, 0, sizeof(text));
		strncpy(text, name ? t->prefix : text_instead(t, i), sizeof(text) - 1);
		if (name)
			strncat(text, name, sizeof(text) - 1 - strlen(text));
		rows[i] = LLVMConstStringInContext2(g->llvm, text, sizeof(text), true);
	}
	return gen_constant_data(g, LLVMConstArray2(row, rows, n_rows(t)), t->symbol,
				 ".rodata.names");
}

/* The address of row i of a table of `n` rows, a power of two, of `size` bytes each. The index is
 * masked, because the verifier does not always see that a comparison bounds it. */
static LLVMValueRef row_of(struct gen *g, LLVMValueRef table, uint32_t n, uint32_t size,
			   LLVMValueRef i)
{
	i = gen_masked(g, gen_opaque(g, i), n - 1);
	i = LLVMBuildMul(g->b, i, gen_u64(g, size), "");
	return LLVMBuildGEP2(g->b, g->i8, table, &i, 1, "");
}

/* The row of a number's name, or t->n. */
static LLVMValueRef name_row(struct gen *g, const struct name_table *t, LLVMValueRef number)
{
	LLVMValueRef is_known = gen_compare(g, LLVMIntULT, number, t->n);

	return LLVMBuildSelect(g->b, is_known, number, gen_u64(g, t->n), "");
}

static struct value name_in(struct gen *g, const struct name_table *t, struct expr *e,
			    LLVMValueRef at)
{
	at = row_of(g, table_of(g, t), n_rows(t), SONDE_NAME_BYTES, at);
	return (struct value){.kind = V_MEM, .type = e->type, .v = at};
}

enum { ERRORS = 134, SIGNALS = 32 };

/* True for what a system call or a kernel function returns: an error is negative, all else is a
 * success. */
static bool is_kernel_result(const struct gen *g, const struct expr *e)
{
	const struct builtin *b = ast_builtin(e);

	return (b && b->check == chk_retval &&
		!prog_kind_is(g->prog.plan->kind, PK_USER_FUNCTION)) ||
	       (ast_is_args_field(e) && strcmp(e->field.name, "ret") == 0);
}

/* strerror(): -2 gives the same text as 2, since the kernel's functions return negative numbers. */
struct value gen_strerror(struct gen *g, struct expr *e)
{
	struct expr *of = e->call.args[0];
	static const struct name_table errors = {"names_of_errors", "", "Unknown error", ERRORS,
						 strerrordesc_np};
	LLVMValueRef n, negative;
	bool is_result;

	if (of->kind == EX_UNARY && of->unary.op == OP_NEG &&
	    is_kernel_result(g, of->unary.operand))
		of = of->unary.operand;
	is_result = is_kernel_result(g, of);
	n = gen_int(g, of);
	negative = gen_compare(g, LLVMIntSLT, n, 0);
	n = LLVMBuildSelect(g->b, negative, LLVMBuildNeg(g->b, n, ""),
			    is_result ? gen_u64(g, 0) : n, "");
	return name_in(g, &errors, e, name_row(g, &errors, n));
}

struct value gen_signal_name(struct gen *g, struct expr *e)
{
	static const struct name_table signals = {"names_of_signals", "SIG", "Unknown signal",
						  SIGNALS, sigabbrev_np};

	return name_in(g, &signals, e, name_row(g, &signals, gen_int(g, e->call.args[0])));
}

/* True where 32-bit programs make calls, too, whose numbers are of another table. */
static bool has_foreign_calls(const struct plan_prog *prog)
{
	return prog->event && event_is_any_call(prog->event) &&
	       !prog_kind_is(prog->kind, PK_SYSCALL);
}

struct value gen_syscall_name(struct gen *g, struct expr *e)
{
	static const struct name_table calls = {"names_of_calls",   "",		  "Unknown syscall",
						SONDE_SYSCALLS - 2, syscall_name, "32-bit syscall"};
	LLVMValueRef at = name_row(g, &calls, gen_int(g, e->call.args[0])), foreign;

	if (has_foreign_calls(g->prog.plan)) {
		foreign = GEN_CALL(g, "sonde_syscall_is_compat", gen_task(g));
		at = LLVMBuildSelect(g->b, gen_truth(g, foreign), gen_u64(g, calls.n + 1), at, "");
	}
	return name_in(g, &calls, e, at);
}

/* ---- names of attach points and functions -------------------------------------------------- */

/* All names of the plan in .rodata, in rows of `size` bytes. */
static LLVMValueRef plan_table(struct gen *g, uint32_t size)
{
	const struct plan_names *names = &g->plan->names;
	uint32_t n = rows_above(names->n);
	LLVMTypeRef row = LLVMArrayType2(g->i8, size);
	LLVMValueRef *rows, global = LLVMGetNamedGlobal(g->module, "names_of_plan");

	if (global)
		return global;
	rows = arena_alloc(g->arena, n * sizeof(*rows));
	for (uint32_t i = 0; i < n; i++) {
		char *text = arena_alloc(g->arena, size);

		if (i < names->n)
			strncpy(text, names->text[i], size - 1);
		rows[i] = LLVMConstStringInContext2(g->llvm, text, size, true);
	}
	return gen_constant_data(g, LLVMConstArray2(row, rows, n), "names_of_plan",
				 ".rodata.names");
}

struct value gen_name_text(struct gen *g, struct expr *name)
{
	const struct type *type = type_string(g->arena, (uint32_t)g->program->name_bytes);
	LLVMValueRef table = plan_table(g, type->size), id = gen_int(g, name);

	return (struct value){.kind = V_MEM,
			      .type = type,
			      .v = row_of(g, table, rows_above(g->plan->names.n), type->size, id)};
}
