/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions. Integers and booleans are i64 in registers, extended by their own type's sign.
 */
#include "codegen/gen_prefault.h"

/* The gen column of builtins.def. */
static gen_fn *const hooks[] = {
#define VAR(id, sig, where, traits, needs, check, gen, ...) [BI_##id] = gen,
#define FN(id, sig, where, traits, needs, event, check, gen, ...) [BI_##id] = gen,
#define AGG(id, sig, agg, check, gen, ...) [BI_##id] = gen,
#include "parser/lang/builtins.def"
};

_Static_assert(sizeof(hooks) / sizeof(*hooks) == BI_COUNT, "one hook for each builtin");

LLVMValueRef gen_int(struct gen *g, struct expr *e)
{
	struct value v = gen_expr(g, e);

	return v.kind == V_INT ? v.v : gen_u64(g, 0);
}

/* ---- arithmetic -------------------------------------------------------------------------- */

static LLVMValueRef negate_if(struct gen *g, LLVMValueRef v, LLVMValueRef cond)
{
	return LLVMBuildSelect(g->b, cond, LLVMBuildNeg(g->b, v, ""), v, "");
}

static LLVMValueRef is_negative(struct gen *g, LLVMValueRef v)
{
	return gen_compare(g, LLVMIntSLT, v, 0);
}

/* BPF before v4 has unsigned division only: divide the magnitudes, then set the sign. */
static LLVMValueRef signed_divide(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool modulo)
{
	LLVMValueRef nx = is_negative(g, x), ny = is_negative(g, y);
	LLVMValueRef ax = negate_if(g, x, nx), ay = negate_if(g, y, ny);

	if (modulo)
		return negate_if(g, LLVMBuildURem(g->b, ax, ay, ""), nx);
	return negate_if(g, LLVMBuildUDiv(g->b, ax, ay, ""), LLVMBuildXor(g->b, nx, ny, ""));
}

LLVMValueRef gen_quotient(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
	return is_signed ? signed_divide(g, x, y, false) : LLVMBuildUDiv(g->b, x, y, "");
}

/* x / y or x % y. If y is 0 the result is 1, as in bpftrace, and a loss is counted. */
static LLVMValueRef divide(struct gen *g, LLVMValueRef x, LLVMValueRef y, bool modulo,
			   bool is_signed)
{
	LLVMBasicBlockRef zero = gen_block(g, "div.zero"), some = gen_block(g, "div"),
			  end = gen_block(g, "div.end");
	LLVMValueRef quotient;

	gen_unless(g, y, some, zero);
	gen_lost(g, SONDE_LOSS_DIVISION);
	LLVMBuildBr(g->b, end);
	zero = LLVMGetInsertBlock(g->b);
	LLVMPositionBuilderAtEnd(g->b, some);
	quotient = is_signed ? signed_divide(g, x, y, modulo)
			     : (modulo ? LLVMBuildURem : LLVMBuildUDiv)(g->b, x, y, "");
	gen_enter(g, end);
	return gen_phi(g, gen_u64(g, 1), zero, quotient, some);
}

LLVMValueRef gen_arith(struct gen *g, enum op op, LLVMValueRef x, LLVMValueRef y, bool is_signed)
{
	switch (op) {
	case OP_ADD: return LLVMBuildAdd(g->b, x, y, "");
	case OP_SUB: return LLVMBuildSub(g->b, x, y, "");
	case OP_MUL: return LLVMBuildMul(g->b, x, y, "");
	case OP_DIV:
	case OP_MOD: return divide(g, x, y, op == OP_MOD, is_signed);
	case OP_SHL: /* a shift by 64 or more is undefined in LLVM; the machine masks */
		return LLVMBuildShl(g->b, x, gen_masked(g, y, 63), "");
	case OP_SHR:
		return (is_signed ? LLVMBuildAShr : LLVMBuildLShr)(g->b, x, gen_masked(g, y, 63),
								   "");
	case OP_BAND: return LLVMBuildAnd(g->b, x, y, "");
	case OP_BOR: return LLVMBuildOr(g->b, x, y, "");
	case OP_BXOR: return LLVMBuildXor(g->b, x, y, "");
	default: /* comparisons and logic have their own functions */ return gen_u64(g, 0);
	}
}

static LLVMIntPredicate predicate(enum op op, bool is_signed)
{
	switch (op) {
	case OP_EQ: return LLVMIntEQ;
	case OP_NE: return LLVMIntNE;
	case OP_LT: return is_signed ? LLVMIntSLT : LLVMIntULT;
	case OP_LE: return is_signed ? LLVMIntSLE : LLVMIntULE;
	case OP_GT: return is_signed ? LLVMIntSGT : LLVMIntUGT;
	default: return is_signed ? LLVMIntSGE : LLVMIntUGE;
	}
}

/* Is the comparison signed? A literal takes the other side's sign, so `delta > 5` compares unsigned
 * values. */
static bool compares_signed(const struct expr *l, const struct expr *r)
{
	bool ls = l->type->kind == TY_INT && l->type->is_signed && l->kind != EX_INT;
	bool rs = r->type->kind == TY_INT && r->type->is_signed && r->kind != EX_INT;

	return ls || rs || (l->kind == EX_INT && r->kind == EX_INT);
}

/* ---- strings ----------------------------------------------------------------------------- */

LLVMValueRef gen_begins_with(struct gen *g, struct value m, struct value s, uint32_t n)
{
	LLVMValueRef differ = gen_u64(g, 0);

	if (n > INLINE_BYTES) {
		LLVMValueRef constant = gen_constant(g, s.literal, s.len);

		return gen_truth(g,
				 GEN_CALL(g, "sonde_string_equal", m.v, constant, gen_u32(g, n)));
	}
	for (uint32_t at = 0, step; at < n; at += step) {
		LLVMValueRef got;
		uint64_t expected = 0;

		for (step = 8; step > n - at;)
			step /= 2;
		memcpy(&expected, s.literal + at, s.len - at < step ? s.len - at : step);
		got = LLVMBuildLoad2(g->b, gen_int_type(g, step), gen_at(g, m.v, at), "");
		LLVMSetAlignment(got, step);
		got = LLVMBuildZExtOrBitCast(g->b, got, g->i64, "");
		differ = LLVMBuildOr(g->b, differ,
				     LLVMBuildXor(g->b, got, gen_u64(g, expected), ""), "");
	}
	return gen_compare(g, LLVMIntEQ, differ, 0);
}

/* Compare a string in memory with a literal, including its NUL. Bytes after the NUL may be
 * anything. */
static LLVMValueRef equals_literal(struct gen *g, struct value m, struct value s)
{
	if (s.len > m.type->size)
		return LLVMConstInt(LLVMInt1TypeInContext(g->llvm), 0, false);
	return gen_begins_with(g, m, s, s.len < m.type->size ? s.len + 1 : m.type->size);
}

static LLVMValueRef equals_memory(struct gen *g, struct value x, struct value y)
{
	uint32_t n = x.type->size < y.type->size ? x.type->size : y.type->size;

	return gen_truth(g, GEN_CALL(g, "sonde_string_equal", x.v, y.v, gen_u32(g, n)));
}

/* Are two buffers equal? A buffer begins with its length, and the space after its bytes is 0. So it
 * is enough to compare as many bytes as the smaller type has. */
static LLVMValueRef equals_buffer(struct gen *g, struct value x, struct value y)
{
	LLVMValueRef n = gen_u32(g, x.type->size), m = gen_u32(g, y.type->size);
	uint32_t least = x.type->size < y.type->size ? x.type->size : y.type->size;

	if (least <= INLINE_BYTES)
		return gen_equal_bytes(g, x.v, y.v, least);
	return gen_compare(g, LLVMIntEQ,
			   GEN_CALL(g, "sonde_string_memory", x.v, n, y.v, m, gen_u64(g, least)),
			   0);
}

/* Compare a name with a literal: compare name ids. The literal's id is 0 if nothing has that
 * name. */
static LLVMValueRef equals_name(struct gen *g, struct value name, struct value s)
{
	uint32_t id = plan_name_find(g->plan, s.literal, s.len);

	return gen_compare(g, LLVMIntEQ, name.v, id ? id : UINT32_MAX);
}

LLVMValueRef gen_equal(struct gen *g, struct value x, struct value y)
{
	if (x.kind == V_INT && y.kind == V_INT)
		return LLVMBuildICmp(g->b, LLVMIntEQ, x.v, y.v, "");
	if (x.kind == V_INT || y.kind == V_INT)
		return x.kind == V_INT ? equals_name(g, x, y) : equals_name(g, y, x);
	if (type_is_compound(x.type))
		return gen_equal_parts(g, x, y);
	if (x.type->kind == TY_BUFFER)
		return equals_buffer(g, x, y);
	if (x.type->kind == TY_ARRAY || x.type->kind == TY_INET || x.type->kind == TY_MAC)
		return gen_equal_bytes(g, x.v, y.v, x.type->size);
	if (x.kind == V_LITERAL && y.kind == V_LITERAL)
		return LLVMConstInt(LLVMInt1TypeInContext(g->llvm),
				    x.len == y.len && memcmp(x.literal, y.literal, x.len) == 0,
				    false);
	if (x.kind == V_LITERAL)
		return equals_literal(g, y, x);
	if (y.kind == V_LITERAL)
		return equals_literal(g, x, y);
	return equals_memory(g, x, y);
}

/* ---- by kind ----------------------------------------------------------------------------- */

/* && and ||: the right side is evaluated only if the left side does not decide. */
static LLVMValueRef gen_logic(struct gen *g, struct expr *e)
{
	LLVMBasicBlockRef right = gen_block(g, "logic.right"), end = gen_block(g, "logic.end"),
			  decided;
	LLVMValueRef left = gen_truth(g, gen_int(g, e->binary.left)), v;
	bool is_and = e->binary.op == OP_LAND;

	decided = LLVMGetInsertBlock(g->b);
	LLVMBuildCondBr(g->b, left, is_and ? right : end, is_and ? end : right);
	LLVMPositionBuilderAtEnd(g->b, right);
	v = gen_extended(g, gen_truth(g, gen_int(g, e->binary.right)));
	right = LLVMGetInsertBlock(g->b);
	gen_enter(g, end);
	return gen_phi(g, gen_u64(g, !is_and), decided, v, right);
}

void gen_condition(struct gen *g, struct expr *e, LLVMBasicBlockRef then,
		   LLVMBasicBlockRef otherwise)
{
	enum op op = e->kind == EX_BINARY  ? e->binary.op
		     : e->kind == EX_UNARY ? e->unary.op
					   : OP_NONE;
	LLVMBasicBlockRef right;

	if (op == OP_NOT) {
		gen_condition(g, e->unary.operand, otherwise, then);
		return;
	}
	if (op != OP_LAND && op != OP_LOR) {
		LLVMBuildCondBr(g->b, gen_truth(g, gen_int(g, e)), then, otherwise);
		return;
	}
	right = gen_block(g, "logic.right");
	gen_condition(g, e->binary.left, op == OP_LAND ? right : then,
		      op == OP_LAND ? otherwise : right);
	LLVMPositionBuilderAtEnd(g->b, right);
	gen_condition(g, e->binary.right, then, otherwise);
}

LLVMValueRef gen_scaled(struct gen *g, LLVMValueRef n, const struct type *t)
{
	uint32_t size = t->kind == TY_POINTER ? t->to->size : 1;

	return size > 1 ? LLVMBuildMul(g->b, n, gen_u64(g, size), "") : n;
}

static bool is_leaf(const struct expr *e)
{
	return e->kind == EX_INT || e->kind == EX_VAR || e->kind == EX_NAME;
}

/* Generate `e` and return its i64. `x`, which is used afterwards, is kept in the meantime
 * (gen_keep). */
static LLVMValueRef gen_behind(struct gen *g, struct expr *e, LLVMValueRef *x)
{
	struct gen_kept kept = gen_keep(g, gen_int_value(*x, e->type));
	LLVMValueRef y = gen_int(g, e);

	*x = gen_kept_value(g, &kept).v;
	return y;
}

static LLVMValueRef gen_binary(struct gen *g, struct expr *e)
{
	struct expr *l = e->binary.left, *r = e->binary.right;
	LLVMValueRef x, y, eq;

	switch (e->binary.op) {
	case OP_LAND:
	case OP_LOR: return gen_logic(g, e);
	case OP_EQ:
	case OP_NE:
		if (type_is_memory(l->type) || l->type->kind == TY_NAME) {
			struct gen_kept left = gen_keep(g, gen_expr(g, l));
			struct value right = gen_expr(g, r);

			eq = gen_equal(g, gen_kept_value(g, &left), right);
			return gen_extended(g, e->binary.op == OP_EQ ? eq
								     : LLVMBuildNot(g->b, eq, ""));
		}
		break;
	default: break;
	}
	x = gen_int(g, l);
	y = is_leaf(r) ? gen_int(g, r) : gen_behind(g, r, &x);
	if (e->type->kind == TY_BOOL)
		return gen_extended(g, LLVMBuildICmp(g->b,
						     predicate(e->binary.op, compares_signed(l, r)),
						     x, y, ""));
	if (e->type->kind != TY_POINTER)
		return gen_arith(g, e->binary.op, x, y, e->type->is_signed);
	if (l->type->kind == TY_POINTER)
		y = gen_scaled(g, y, l->type);
	else
		x = gen_scaled(g, x, r->type);
	return gen_arith(g, e->binary.op, x, y, e->type->is_signed);
}

/* One branch of ?:. A value in memory is stored in `buf`, which both branches share. */
static LLVMValueRef gen_branch(struct gen *g, struct expr *e, struct expr *branch, LLVMValueRef buf,
			       LLVMBasicBlockRef end)
{
	LLVMValueRef v = NULL;

	if (buf)
		gen_expr_into(g, branch, e->type, buf);
	else
		v = gen_int(g, branch);
	LLVMBuildBr(g->b, end);
	return v;
}

static struct value gen_ternary(struct gen *g, struct expr *e)
{
	LLVMBasicBlockRef then = gen_block(g, "then"), otherwise = gen_block(g, "else"),
			  end = gen_block(g, "end"), then_end;
	bool in_memory = type_is_memory(e->type);
	LLVMValueRef buf = in_memory ? gen_big_buffer(g, e->type->size) : NULL, x, y;
	struct value cond = gen_expr(g, e->ternary.cond);

	gen_if(g, cond.v, then, otherwise);
	if (e->ternary.then) {
		x = gen_branch(g, e, e->ternary.then, buf, end);
	} else { /* COND ?: OTHERWISE, of a number */
		x = cond.v;
		LLVMBuildBr(g->b, end);
	}
	then_end = LLVMGetInsertBlock(g->b);
	LLVMPositionBuilderAtEnd(g->b, otherwise);
	y = gen_branch(g, e, e->ternary.otherwise, buf, end);
	otherwise = LLVMGetInsertBlock(g->b);
	LLVMPositionBuilderAtEnd(g->b, end);
	if (buf)
		return (struct value){.kind = V_MEM, .type = e->type, .v = buf};
	return gen_int_value(gen_phi(g, x, then_end, y, otherwise), e->type);
}

static LLVMValueRef gen_unary(struct gen *g, struct expr *e)
{
	LLVMValueRef v = gen_int(g, e->unary.operand);

	switch (e->unary.op) {
	case OP_NEG: return LLVMBuildNeg(g->b, v, "");
	case OP_BNOT: return LLVMBuildNot(g->b, v, "");
	default: return gen_extended(g, LLVMBuildNot(g->b, gen_truth(g, v), ""));
	}
}

/* ++ and --: atomic on maps. */
static LLVMValueRef gen_incdec(struct gen *g, struct expr *e)
{
	struct expr *t = e->incdec.target;
	LLVMValueRef step = gen_u64(g, e->incdec.is_increment ? 1 : (uint64_t)-1), before, after;

	step = gen_scaled(g, step, t->type);
	if (t->kind == EX_MAP) {
		before = gen_map_add(g, t, step);
		after = LLVMBuildAdd(g->b, before, step, "");
	} else {
		before = gen_int(g, t);
		after = gen_narrow(g, LLVMBuildAdd(g->b, before, step, ""), t->var.var->type);
		LLVMBuildStore(g->b, after, gen_var_at(g, t->var.var->id));
		gen_loop_hide(g, t->var.var);
	}
	return e->incdec.is_prefix ? after : before;
}

static struct value gen_var(struct gen *g, struct expr *e)
{
	const struct type *t = e->var.var->type;
	LLVMValueRef v;

	if (g->body.prefaults)
		return gen_prefault_var(g, e->var.var);
	if (type_is_memory(t))
		return (struct value){.kind = V_MEM, .type = t, .v = gen_var_at(g, e->var.var->id)};
	v = gen_word(g, gen_var_at(g, e->var.var->id));
	/* Without the exclusive or, the verifier knows that the word in the frame is equal to what
	 * is read. Each condition on it would tell the verifier another value of the variable, and
	 * it would follow all code after that again; in a loop, with each combination of them. */
	if ((g->probe.splits || g->body.loop_frames) && t->kind == TY_INT)
		v = LLVMBuildXor(g->b, v, gen_opaque(g, gen_u64(g, 0)), "");
	return gen_int_value(v, t);
}

static struct value gen_by_kind(struct gen *g, struct expr *e)
{
	switch (e->kind) {
	case EX_INT: return gen_int_value(gen_u64(g, e->integer.value), e->type);
	case EX_STRING:
		return (struct value){.kind = V_LITERAL,
				      .type = e->type,
				      .literal = e->string.text,
				      .len = (uint32_t)strlen(e->string.text)};
	case EX_NAME: return hooks[e->name.builtin->id](g, e);
	case EX_CALL:
		if (e->call.imported)
			return gen_imported(g, e);
		return hooks[e->call.builtin->id](g, e);
	case EX_VAR: return gen_var(g, e);
	case EX_MAP: return gen_map_read(g, e);
	case EX_UNARY:
		if (e->unary.op == OP_DEREF)
			return gen_deref(g, e);
		if (e->unary.op == OP_ADDRESS)
			return gen_int_value(gen_address(g, e->unary.operand), e->type);
		return gen_int_value(gen_unary(g, e), e->type);
	case EX_BINARY: return gen_int_value(gen_binary(g, e), e->type);
	case EX_TERNARY: return gen_ternary(g, e);
	case EX_INCDEC: return gen_int_value(gen_incdec(g, e), e->type);
	case EX_FIELD:
		if (e->field.object->type &&
		    /* `args` has no object that could be compound */
		    type_is_compound(e->field.object->type))
			return gen_field(g, e);
		if (e->field.object->type && (e->field.object->type->kind == TY_STRUCT ||
					      e->field.object->type->kind == TY_POINTER))
			return gen_member(g, e);
		return hooks[ast_builtin(e->field.object)->id](g, e);
	case EX_CAST: return gen_cast(g, e);
	case EX_TUPLE:
	case EX_RECORD: return gen_list(g, e);
	case EX_INDEX: return gen_index(g, e);
	case EX_BLOCK:
		gen_stmts(g, &e->block.body);
		if (e->block.value)
			return gen_expr(g, e->block.value);
		break;
	case EX_TYPE:
	case EX_PARAM: /* replaced in pass 1 */ break;
	}
	return (struct value){.kind = V_NONE, .type = e->type};
}

/* A value in a register no longer needs the scratch memory that computing it took, so that is
 * released. What follows belongs to the expression or statement around it again. */
struct value gen_expr(struct gen *g, struct expr *e)
{
	LLVMMetadataRef place = LLVMGetCurrentDebugLocation2(g->b);
	uint32_t mark = g->probe.scratch.used;
	struct span around = g->probe.at;
	struct value v;

	gen_location(g, e->span);
	v = gen_by_kind(g, e);
	if (v.kind != V_MEM)
		gen_scratch_release(g, mark);
	g->probe.at = around;
	LLVMSetCurrentDebugLocation2(g->b, place);
	return v;
}
