/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions that always have the same result, and loops that never run. What is known of a
 * comparison with a number is the range of numbers for which it holds: it is compared with the
 * range of the other operand's type, and with the ranges of other comparisons of the same value.
 */
#include "parser/sema/sema_advice.h"
#include "parser/sema/sema_type.h"
#include <ctype.h>

/* `value` is from `low` to `high`, or, if `is_not`, is not. */
struct range {
	const struct expr *value;
	__int128 low, high;
	bool is_not;
};

static const __int128 least = INT64_MIN, greatest = UINT64_MAX;

/* The numbers that a value of this type can have. */
static struct range range_of_type(const struct type *t)
{
	return (struct range){.low = constant_least(t->size, t->is_signed),
			      .high = constant_greatest(t->size, t->is_signed)};
}

/* The comparison with its operands exchanged. */
static enum op mirrored(enum op op)
{
	switch (op) {
	case OP_LT: return OP_GT;
	case OP_LE: return OP_GE;
	case OP_GT: return OP_LT;
	case OP_GE: return OP_LE;
	default: return op;
	}
}

static bool set_range(struct range *r, enum op op, __int128 v)
{
	r->low = least;
	r->high = greatest;
	r->is_not = op == OP_NE;
	switch (op) {
	case OP_EQ:
	case OP_NE: r->low = r->high = v; return true;
	case OP_LT: r->high = v - 1; return true;
	case OP_LE: r->high = v; return true;
	case OP_GT: r->low = v + 1; return true;
	case OP_GE: r->low = v; return true;
	default: return false;
	}
}

/* The range of a comparison of an integer with a literal. False for all else. */
static bool find_range(const struct expr *e, struct range *r)
{
	bool is_right;
	__int128 v;

	if (!ast_is_comparison(e))
		return false;
	if (e->binary.left->is_parameter || e->binary.right->is_parameter)
		return false; /* the option may have another value in the next run */
	is_right = constant_number(e->binary.right, &v);
	if (!is_right && !constant_number(e->binary.left, &v))
		return false;
	r->value = is_right ? e->binary.left : e->binary.right;
	if (r->value->type->kind != TY_INT || r->value->type->enumeration ||
	    type_is_tagged(r->value->type))
		return false;
	if (v < 0 && !r->value->type->is_signed && r->value->type->size == 8)
		return false; /* the bits are compared */
	return set_range(r, is_right ? e->binary.op : mirrored(e->binary.op), v);
}

/* ---- one comparison ---------------------------------------------------------------------- */

static void report_same(struct sema *s, const struct expr *e, bool is_true)
{
	diag_warning(s->diags, e->span, "constant-condition", "this is always %s",
		     is_true ? "true" : "false");
}

/* argN, and `retval` without a type: all 64 bits of a register. */
static bool is_register(const struct expr *e)
{
	const struct builtin *b = e->kind == EX_NAME ? e->name.builtin : NULL;

	return b && (b->check == chk_retval || b->check == chk_argn) && e->type->size == 8;
}

static void report_range(struct sema *s, const struct range *r, const struct expr *e, bool is_true)
{
	const struct type *t = r->value->type;
	__int128 most = range_of_type(t).high;

	report_same(s, e, is_true);
	if (is_register(r->value) && r->high <= 0)
		diag_hint(
			s->diags,
			"the value is a register, which has no sign: compare (int32)%s if it is an int, (int64)%s if it is a long",
			r->value->name.name, r->value->name.name);
	else if (!t->is_signed && (r->high <= 0 || (r->low == 0 && r->high > most)))
		diag_hint(
			s->diags,
			"the value is %s, which has no sign: compare (int%u)(…) if it may be negative",
			type_str(s->arena, t), 8 * t->size);
	else
		diag_hint(s->diags, "the value is %s, from %s to %s", type_str(s->arena, t),
			  constant_str(s->arena, range_of_type(t).low),
			  constant_str(s->arena, most));
}

static void advise_range(struct sema *s, const struct expr *e)
{
	struct range r, type;
	bool is_none, is_all;

	if (!find_range(e, &r))
		return;
	type = range_of_type(r.value->type);
	is_none = r.high < type.low || r.low > type.high;
	is_all = r.low <= type.low && r.high >= type.high;
	if (is_none || is_all)
		report_range(s, &r, e, is_none ? r.is_not : !r.is_not);
}

const struct expr *advice_compared(const struct expr *e, enum op op, const struct expr **value)
{
	const struct expr *l, *r;

	if (e->kind != EX_BINARY || e->binary.op != op)
		return NULL;
	l = e->binary.left;
	r = e->binary.right;
	*value = r->kind == EX_STRING ? l : r;
	return r->kind == EX_STRING ? r : l->kind == EX_STRING ? l : NULL;
}

/* A string that is longer than the other one can be. */
static void advise_length(struct sema *s, const struct expr *e)
{
	const struct expr *value, *text = advice_compared(e, e->binary.op, &value);

	if (!text || text->is_parameter || value->kind != EX_NAME ||
	    value->type->kind != TY_STRING || text->string.len < value->type->size)
		return;
	report_same(s, e, e->binary.op == OP_NE);
	diag_hint(s->diags, "%s has at most %u characters, and this text %u: write \"%.*s\"",
		  value->name.name, value->type->size - 1, text->string.len,
		  (int)value->type->size - 1, text->string.text);
}

/* Pointers to different types. */
static void advise_pointers(struct sema *s, const struct expr *e)
{
	const struct type *x = struct_resolve(s, e->binary.left),
			  *y = struct_resolve(s, e->binary.right);

	if (x->kind != TY_POINTER || y->kind != TY_POINTER || x->to->kind == TY_VOID ||
	    y->to->kind == TY_VOID || type_equal(x->to, y->to))
		return;
	diag_warning(s->diags, e->span, "pointer-types", "this compares %s with %s",
		     type_str(s->arena, x), type_str(s->arena, y));
	diag_hint(s->diags, "cast one of them if that is meant: (%s)…", type_str(s->arena, x));
}

/* ---- two comparisons --------------------------------------------------------------------- */

/* x == "a" && x == "b", x != "a" || x != "b" */
static bool texts_exclude(const struct expr *x, const struct expr *y, enum op op)
{
	const struct expr *of_x, *of_y;
	const struct expr *a = advice_compared(x, op == OP_LAND ? OP_EQ : OP_NE, &of_x);
	const struct expr *b = advice_compared(y, op == OP_LAND ? OP_EQ : OP_NE, &of_y);

	return a && b && !a->is_parameter && !b->is_parameter && ast_is_same(of_x, of_y) &&
	       !ast_is_same(a, b);
}

/* The range outside of which `r` holds. False where that is not one range. */
static bool invert(struct range *r)
{
	if (!r->is_not && r->low > least && r->high < greatest)
		return false;
	if (!r->is_not && r->low == least) {
		r->low = r->high + 1;
		r->high = greatest;
	} else if (!r->is_not) {
		r->high = r->low - 1;
		r->low = least;
	}
	r->is_not = false;
	return true;
}

/* True if two comparisons of one value cannot both hold (&&), or if one of them always holds (||).
 */
static bool exclude(const struct expr *x, const struct expr *y, enum op op)
{
	struct range a, b;

	if (texts_exclude(x, y, op))
		return true;
	if (!find_range(x, &a) || !find_range(y, &b) || !ast_is_same(a.value, b.value))
		return false;
	if (op == OP_LOR && (!invert(&a) || !invert(&b)))
		return false;
	return !a.is_not && !b.is_not && (a.low > b.high || b.low > a.high);
}

/* Compare `x` with each operand of the chain `y`. */
static bool exclude_any(const struct expr *x, const struct expr *y, enum op op)
{
	if (y->kind == EX_BINARY && y->binary.op == op)
		return exclude_any(x, y->binary.left, op) || exclude_any(x, y->binary.right, op);
	return exclude(x, y, op);
}

static bool exclude_each(const struct expr *x, const struct expr *y, enum op op)
{
	if (x->kind == EX_BINARY && x->binary.op == op)
		return exclude_each(x->binary.left, y, op) || exclude_each(x->binary.right, y, op);
	return exclude_any(x, y, op);
}

static void advise_chain(struct sema *s, const struct expr *e)
{
	bool is_or = e->binary.op == OP_LOR;

	if (!exclude_each(e->binary.left, e->binary.right, e->binary.op))
		return;
	report_same(s, e, is_or);
	diag_hint(s->diags, is_or ? "one of the two always holds; write && if both must"
				  : "the two cannot both hold; write || if one is enough");
}

/* ---- operators --------------------------------------------------------------------------- */

/* True if a '(' is directly before the expression's text or begins it. */
static bool is_in_parentheses(const struct sema *s, const struct expr *e)
{
	struct place p = source_place(s->program->source, e->span.start);
	uint32_t len;
	const char *line = source_line(p.in, p.line, &len);
	uint32_t at = p.col - 1;

	if (at < len && line[at] == '(')
		return true;
	while (at > 0 && isspace((unsigned char)line[at - 1]))
		at--;
	return at > 0 && line[at - 1] == '(';
}

/* The comparison that `e` is or, if its operands were literals, was; NULL. */
static const char *comparison_in(const struct sema *s, const struct expr *e)
{
	const char *text;

	if (ast_is_comparison(e))
		return op_str(e->binary.op);
	if (e->kind != EX_INT || e->type->kind != TY_BOOL)
		return NULL;
	for (text = advice_text(s, e->span, 0); text && *text; text++)
		for (enum op op = OP_EQ; op <= OP_GE; op++)
			if (strncmp(text, op_str(op), strlen(op_str(op))) == 0)
				return op_str(op);
	return NULL;
}

/* x & y == z */
static void advise_bits(struct sema *s, const struct expr *e)
{
	const struct expr *l = e->binary.left, *r = e->binary.right;
	const char *left = comparison_in(s, l), *right = comparison_in(s, r);
	const char *bits = op_str(e->binary.op), *compare = left ? left : right;

	if (!compare || (left && right) || (left ? r : l)->type->kind == TY_BOOL ||
	    is_in_parentheses(s, left ? l : r))
		return;
	diag_warning(s->diags, e->span, "operator-order", "'%s' binds more tightly than '%s'",
		     compare, bits);
	if (left)
		diag_hint(s->diags, "write … %s (… %s …)", compare, bits);
	else
		diag_hint(s->diags, "write (… %s …) %s …", bits, compare);
}

void advise_binary(struct sema *s, const struct expr *e)
{
	enum op op = e->binary.op;

	if (advice_is_copy(s, e->span))
		return;
	if (ast_is_comparison(e)) {
		advise_range(s, e);
		advise_pointers(s, e);
	}
	if (op == OP_EQ || op == OP_NE)
		advise_length(s, e);
	if (op == OP_LAND || op == OP_LOR)
		advise_chain(s, e);
	if (op == OP_BAND || op == OP_BOR || op == OP_BXOR)
		advise_bits(s, e);
}

/* ---- literals ---------------------------------------------------------------------------- */

/* True if the text consists of literals and operators only, so that its value can never change. */
static bool is_literal(const struct sema *s, struct span span)
{
	const char *text = advice_text(s, span, 0), *end;

	for (const char *c = text; c && *c; c = end + (*end != '\0')) {
		for (end = c; isalnum((unsigned char)*end) || *end == '_';)
			end++;
		if (end > c && !isdigit((unsigned char)*c) &&
		    !(end - c == 4 && memcmp(c, "true", 4) == 0) &&
		    !(end - c == 5 && memcmp(c, "false", 5) == 0))
			return false;
		if (*end && strchr("$@\"", *end))
			return false;
	}
	return text;
}

void advise_condition(struct sema *s, const struct expr *e, struct span around)
{
	if (e->kind != EX_INT || e->span.start < around.start || e->span.end > around.end ||
	    advice_is_copy(s, e->span) || !is_literal(s, e->span))
		return;
	report_same(s, e, e->integer.value != 0);
	diag_hint(s->diags, "remove the condition, or what it %s",
		  e->integer.value ? "can never reach" : "guards");
}

void advise_loop(struct sema *s, const struct stmt *st)
{
	__int128 from, to;
	struct span span = span_join(st->loop.from->span, st->loop.to->span);

	if (!constant_number(st->loop.from, &from) || !constant_number(st->loop.to, &to) ||
	    from < to || !is_literal(s, span))
		return;
	diag_warning(s->diags, span, "empty-loop", "this range has no numbers");
	diag_hint(s->diags, "a range goes upwards, and its end is not part of it");
}
