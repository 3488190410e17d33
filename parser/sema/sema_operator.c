/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of operators, a part of pass 2: arithmetic, comparisons, conditions, ? : and sizeof.
 */
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_type.h"

enum { SHOWN_MOST = 60 }; /* bytes of an expression in a hint */

static bool is_literal_int(const struct expr *e)
{
	return e->kind == EX_INT && constant_type(e) == &sema_literal;
}

const struct type *sema_check_int(struct sema *s, const struct expr *e, const char *op)
{
	const struct type *t = e->type;

	if (t->kind == TY_ERROR || type_is_integral(t))
		return t;
	if (t->kind == TY_AGG && e->kind == EX_CALL) /* pass 3 reports a misplaced count() */
		return &type_error;
	if (t->kind == TY_AGG) {
		sema_error(s, e->span, "agg-read", "a %s cannot be read as a number",
			   sema_name_of(s, t));
		if (e->kind == EX_MAP)
			sema_hint(s, "print it: print(%s)", e->map.name);
		return &type_error;
	}
	if (t->kind == TY_FLOAT)
		return float_refuse(s, e, arena_printf(s->arena, "'%s'", op));
	sema_error(s, e->span, "operand-type", "'%s' needs integers, but this is %s", op,
		   sema_name_of(s, t));
	if (t->kind == TY_STRING && hint_parameter(s, e))
		return &type_error;
	if (t->kind == TY_STRING && strcmp(op, "%") == 0)
		sema_hint(s, "values follow the format: printf(\"%%d\\n\", pid)");
	else if (t->kind == TY_STRING && strcmp(op, "+") == 0)
		sema_hint(s, "strings are joined when they are printed: printf(\"%%s%%s\", …)");
	else if (e->kind == EX_STRING && strcmp(op, "*") == 0)
		sema_hint(s, "write the text as long as it shall be: printf(\"--------\\n\")");
	else if (t->kind == TY_STRING && strcmp(op, "!") == 0)
		sema_hint(s, "'!' negates only the text after it; to compare, write %s != \"…\"",
			  e->kind == EX_NAME ? e->name.name : "…");
	else if (t->kind == TY_STRING)
		sema_hint(
			s,
			"a text is compared by == and !=, or a key of a map; strlen(%s) is its length",
			advice_text(s, e->span, SHOWN_MOST) ?: "…");
	else if (t->kind == TY_TUPLE)
		sema_hint(s, "its first value is %s.0", advice_text(s, e->span, SHOWN_MOST) ?: "…");
	return &type_error;
}

const struct type *sema_need_int(struct sema *s, struct expr *e, const char *op)
{
	sema_type_expr(s, e);
	return sema_check_int(s, e, op);
}

/* Of an operand whose type is known: typing it again would take twice as long at each level. */
static const struct type *typed_truth(struct sema *s, const struct expr *e, const char *op)
{
	return e->type->kind == TY_POINTER ? e->type : sema_check_int(s, e, op);
}

const struct type *sema_check_truth(struct sema *s, struct expr *e, const char *op)
{
	sema_type_expr(s, e);
	return typed_truth(s, e, op);
}

static bool unsigned_with(const struct expr *e, const struct type *t)
{
	return !t->is_signed || is_literal_int(e);
}

/* Check both operands, whose types are known; of two wrong ones only the first is reported. */
static bool check_ints(struct sema *s, const struct expr *e)
{
	const char *op = op_str(e->binary.op);

	if (e->binary.op == OP_ADD && hint_join_texts(s, e))
		return false;

	return !sema_is_wrong(sema_check_int(s, e->binary.left, op)) &&
	       !sema_is_wrong(sema_check_int(s, e->binary.right, op));
}

/* The type of an operation on `t` and an operand whose type is not known yet. */
static const struct type *guess(const struct type *t)
{
	return t->kind == TY_INT ? sema_stored(t) : &sema_literal;
}

/* `2 ** 3`, which reads as 2 * (*3) */
static bool is_power(const struct sema *s, const struct expr *e)
{
	const struct expr *r = e->binary.right;
	uint32_t at = r->span.start;
	const char *text;

	if (e->binary.op != OP_MUL || r->kind != EX_UNARY || r->unary.op != OP_DEREF || !at ||
	    !type_is_integral(r->unary.operand->type))
		return false;
	text = advice_text(s, (struct span){at - 1, at + 1}, 0);
	return text && strcmp(text, "**") == 0;
}

static const struct type *no_power(struct sema *s, const struct expr *e)
{
	const struct expr *x = e->binary.left, *n = e->binary.right->unary.operand;
	uint64_t times = n->kind == EX_INT ? n->integer.value : 0;
	const char *text = advice_text(s, x->span, 0);

	sema_error(s, e->span, "operand-type", "there is no operator '**' for powers");
	if (x->kind == EX_INT && x->integer.value == 2)
		return sema_hint(s, "a power of two is 1 << n");
	if (times == 2 && text)
		return sema_hint(s, "write %s * %s", text, text);
	if (times == 3 && text)
		return sema_hint(s, "write %s * %s * %s", text, text, text);
	return sema_hint(s, "multiply in a loop: for ($i : 0..n) { $y *= $x; }");
}

static const struct type *type_arith(struct sema *s, struct expr *e)
{
	struct expr *l = e->binary.left, *r = e->binary.right;
	bool scales = float_take_scale(s);
	const struct type *x = sema_type_expr(s, l), *y = sema_type_expr(s, r);
	const struct type *text = constant_string(s, e), *u;
	bool is_unsigned;

	if (scales && float_is_scaled(x, y))
		return x->kind == TY_FLOAT ? x : y;
	if (text)
		return text;
	if (is_power(s, e))
		return no_power(s, e);
	if (x->kind == TY_POINTER || y->kind == TY_POINTER)
		return memory_arith(s, e);
	if (!check_ints(s, e))
		return &type_error;
	if ((x == &sema_unknown || y == &sema_unknown) && e->binary.op != OP_SUB)
		return guess(x == &sema_unknown ? y : x);
	is_unsigned = unsigned_with(l, x) && unsigned_with(r, y) && !(x->is_signed && y->is_signed);
	u = tag_keep(s, e, sema_word(e->binary.op == OP_SUB || !is_unsigned));
	return type_is_tagged(x) || type_is_tagged(y) ? u : constant_binary(s, e, u);
}

/* A name is a number in the kernel program, so it can only be compared with a string literal. */
static bool is_name_and_string(const struct expr *name, const struct expr *text)
{
	return name->type->kind == TY_NAME && text->kind == EX_STRING;
}

static const struct type *hint_name(struct sema *s, const struct expr *e)
{
	const char *name = e->kind == EX_NAME ? e->name.name : "probe";

	return sema_hint(s, "write %s == \"name\" or %s != \"name\"", name, name);
}

/* Types that sema_check_int accepts or reports itself. */
static bool may_be_number(const struct type *t)
{
	return type_is_integral(t) || t->kind == TY_ERROR || t->kind == TY_AGG;
}

static const struct type *no_equality(struct sema *s, const struct expr *e, const struct type *t)
{
	if (t->kind == TY_FLOAT)
		return float_refuse(s, t == e->binary.left->type ? e->binary.left : e->binary.right,
				    arena_printf(s->arena, "'%s'", op_str(e->binary.op)));
	sema_error(s, e->span, "operand-type", "'%s' cannot compare %s", op_str(e->binary.op),
		   sema_name_of(s, t));
	return sema_hint(s, "it compares numbers, addresses, strings, arrays, tuples and records");
}

/* <, <=, > and >= of strings: only of two literals. */
static const struct type *compare_strings(struct sema *s, struct expr *e)
{
	const struct type *t = constant_string(s, e);

	return t ? t
		 : sema_error(
			   s, e->span, "operand-type",
			   "'%s' compares strings only when both are literals; == and != compare any",
			   op_str(e->binary.op));
}

/* A name that is compared with a computed string: by its text. */
static bool compare_name(struct sema *s, struct expr *name, const struct type *text)
{
	if (name->type->kind != TY_NAME || text->kind != TY_STRING)
		return false;
	sema_wrap(s, name, "str");
	return sema_type_expr(s, name)->kind == TY_STRING;
}

static const struct type *type_compare(struct sema *s, struct expr *e)
{
	const struct type *x = sema_type_expr(s, e->binary.left),
			  *y = sema_type_expr(s, e->binary.right);
	bool equality = e->binary.op == OP_EQ || e->binary.op == OP_NE;

	if (equality && x->kind == y->kind && type_is_bytes(x)) {
		constant_string(s, e);
		return &type_bool;
	}
	if (x->kind == TY_STRING && y->kind == TY_STRING)
		return compare_strings(s, e);
	if (equality && (is_name_and_string(e->binary.left, e->binary.right) ||
			 is_name_and_string(e->binary.right, e->binary.left) ||
			 (x->kind == TY_NAME && y->kind == TY_NAME)))
		return sema_check_reason(s, e->binary.left, e->binary.right) &&
				       sema_check_reason(s, e->binary.right, e->binary.left)
			       ? &type_bool
			       : &type_error;
	if ((type_is_compound(x) && type_is_compound(y)) ||
	    (x->kind == TY_ARRAY && y->kind == TY_ARRAY))
		return compound_compare(s, e, equality);
	if (memory_comparable(x, y) ||
	    (equality && x->kind == TY_USERNAME && y->kind == TY_USERNAME))
		return &type_bool;
	if (equality && (compare_name(s, e->binary.left, y) || compare_name(s, e->binary.right, x)))
		return &type_bool;
	if (x->kind == TY_NAME || y->kind == TY_NAME ||
	    ((x->kind == TY_STRING) != (y->kind == TY_STRING) && x->kind != TY_ERROR &&
	     y->kind != TY_ERROR)) {
		sema_error(s, e->span, "type-mismatch", "cannot compare %s with %s",
			   sema_name_of(s, x), sema_name_of(s, y));
		return x->kind == TY_NAME   ? hint_name(s, e->binary.left)
		       : y->kind == TY_NAME ? hint_name(s, e->binary.right)
					    : hint_compare(s, e);
	}
	if (equality && (x->kind == TY_ERROR || y->kind == TY_ERROR)) /* reported already */
		return &type_error;
	if (equality && !may_be_number(x))
		return no_equality(s, e, x);
	if (equality && !may_be_number(y))
		return no_equality(s, e, y);
	return check_ints(s, e) ? constant_compare(e) : &type_error;
}

/* `comm == "app" || "ls"` */
static void hint_bare_text(struct sema *s, const struct expr *e)
{
	const struct expr *l = e->binary.left, *text = e->binary.right;

	while (l->kind == EX_BINARY && (l->binary.op == OP_LOR || l->binary.op == OP_LAND))
		l = l->binary.right;
	if (text->kind == EX_STRING && l->kind == EX_BINARY &&
	    (l->binary.op == OP_EQ || l->binary.op == OP_NE) && l->binary.left->kind == EX_NAME)
		sema_hint(s, "compare it too: %s %s %s \"%s\"", op_str(e->binary.op),
			  l->binary.left->name.name, op_str(l->binary.op), text->string.text);
}

/* `pid > 1 && exit()`: a call that gives no value, as in a shell. */
static void hint_void(struct sema *s, const struct expr *e)
{
	const char *cond = advice_text(s, e->binary.left->span, SHOWN_MOST) ?: "…";
	const char *call = advice_text(s, e->binary.right->span, SHOWN_MOST) ?: "…";

	sema_hint(s, "write if (%s%s%s) { %s; }", e->binary.op == OP_LOR ? "!(" : "", cond,
		  e->binary.op == OP_LOR ? ")" : "", call);
}

static const struct type *type_logic(struct sema *s, struct expr *e)
{
	const struct type *right;

	sema_type_expr(s, e->binary.left);
	sema_type_expr(s, e->binary.right);
	if (hint_join_texts(s, e))
		return &type_error;
	typed_truth(s, e->binary.left, op_str(e->binary.op));
	right = typed_truth(s, e->binary.right, op_str(e->binary.op));
	if (sema_is_wrong(right) && e->binary.right->type->kind == TY_VOID) {
		hint_void(s, e);
		return right;
	}
	if (sema_is_wrong(right))
		hint_bare_text(s, e);
	return constant_logic(e); /* also where the right side is wrong, but never computed */
}

const struct type *sema_type_binary(struct sema *s, struct expr *e)
{
	switch (e->binary.op) {
	case OP_EQ:
	case OP_NE:
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE: return type_compare(s, e);
	case OP_LAND:
	case OP_LOR: return type_logic(s, e);
	default: /* arithmetic: all share one rule */ return type_arith(s, e);
	}
}

/* The parser turns sizeof(TYPE) into sizeof of a cast whose operand starts at the same offset. */
const struct type *sema_type_alone(struct sema *s, struct expr *e)
{
	const struct type *t;

	if (e->kind == EX_TYPE) {
		t = compound_named(s, e->named);
		return e->type = t ? t : &type_error;
	}
	if (e->kind != EX_CAST || e->cast.operand->span.start != e->span.start)
		return sema_type_expr(s, e);
	t = compound_named(s, e->cast.to);
	sema_type_expr(s, e->cast.operand);
	return e->type = t ? t : &type_error;
}

/* Becomes a literal once the types are final. */
static const struct type *type_sizeof(struct sema *s, struct expr *e)
{
	const struct type *t = sema_type_alone(s, e->unary.operand);

	if (sema_is_wrong(t))
		return t;
	if (t->kind != TY_VOID && !struct_has_size(t))
		return sema_error(s, e->span, "no-value", "sizeof: %s has no fixed size",
				  sema_name_of(s, t));
	if (t->kind == TY_VOID)
		return sema_error(s, e->span, "no-value", "sizeof: this expression has no value");
	if (comptime_folds(s, e->unary.operand, t))
		ast_become_int(e, t == &sema_literal ? 8 : t->size, NULL);
	return &sema_literal;
}

const struct type *sema_type_unary(struct sema *s, struct expr *e)
{
	const struct type *t;

	if (e->unary.op == OP_DEREF)
		return compound_deref(s, e);
	if (e->unary.op == OP_SIZEOF)
		return type_sizeof(s, e);
	if (e->unary.op == OP_COMPTIME)
		return sema_type_comptime(s, e);
	if (e->unary.op == OP_OFFSETOF)
		return struct_offsetof(s, e);
	if (e->unary.op == OP_ADDRESS)
		return struct_address(s, e);
	t = e->unary.op == OP_NOT ? sema_check_truth(s, e->unary.operand, op_str(OP_NOT))
				  : sema_need_int(s, e->unary.operand, op_str(e->unary.op));
	if (sema_is_wrong(t))
		return t;
	if (e->unary.op == OP_NOT && e->unary.operand->kind == EX_INT)
		*e = *ast_bool(s->arena, e->span, !e->unary.operand->integer.value);
	if (e->kind == EX_INT || e->unary.op == OP_NOT)
		return &type_bool;
	if (e->unary.op == OP_NEG && t != &sema_unknown)
		return constant_negated(s, e, sema_word(true));
	return t == &sema_unknown ? &sema_literal
				  : sema_word(e->unary.op == OP_NEG || t->is_signed);
}

/* A choice between literals by a literal is one. */
static bool is_known_choice(const struct expr *e, const struct type *x, const struct type *y)
{
	return e->ternary.cond->kind == EX_INT && x->kind == y->kind &&
	       (!e->ternary.then || comptime_is_literal(e->ternary.then)) &&
	       comptime_is_literal(e->ternary.otherwise);
}

static const struct type *fold_choice(struct sema *s, struct expr *e)
{
	const struct expr *cond = e->ternary.cond;
	const struct expr *then = e->ternary.then ? e->ternary.then : cond;
	struct span span = e->span;

	advise_condition(s, cond, span);
	*e = cond->integer.value ? *then : *e->ternary.otherwise;
	e->span = span;
	return sema_type_expr(s, e);
}

const struct type *sema_type_ternary(struct sema *s, struct expr *e)
{
	const struct type *x, *y, *u;
	bool was = comptime_is(e->ternary.cond);

	sema_check_truth(s, e->ternary.cond, "? :");
	u = comptime_choose(s, e, was);
	if (u)
		return u;
	x = e->ternary.then ? sema_type_expr(s, e->ternary.then) : e->ternary.cond->type;
	y = sema_type_expr(s, e->ternary.otherwise);
	u = sema_unify(s, sema_stored(x), sema_stored(y));
	if (u && u->kind != TY_AGG && u->kind != TY_VOID)
		return is_known_choice(e, x, y) ? fold_choice(s, e) : u;
	if (u)
		return sema_error(s, e->span, "no-value",
				  "the branches of '? :' must have values, not %s",
				  sema_name_of(s, u));
	sema_error(s, e->span, "type-mismatch",
		   "the branches of '? :' have different types, %s and %s", sema_name_of(s, x),
		   sema_name_of(s, y));
	if ((x->kind == TY_STRING && type_is_integral(y)) ||
	    (y->kind == TY_STRING && type_is_integral(x)))
		sema_hint(
			s,
			"write a text in both, \"0\" in place of 0, or use if (…) { … } else { … }");
	return &type_error;
}
