/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constant folding, a part of pass 2: operations on literal numbers and strings are computed
 * exactly and replaced by their result. The result is treated as a literal: up to the range of
 * uint64, with the sign of what it is combined with, and allowed wherever a literal is required.
 * Errors: results that do not fit in 64 bits, division by 0, shifts by 64 and more. Casts and ~
 * are not folded, because they depend on a width.
 * Before: the operands have their types. After: a folded node is an EX_INT, a negated EX_INT, or
 * an EX_STRING.
 */
#include "parser/sema/sema_type.h"

enum { MOST_SHIFT = 63 };

/* The range of 64-bit numbers, signed or unsigned. */
static const __int128 least = INT64_MIN, greatest = UINT64_MAX;

static bool is_negated(const struct expr *e)
{
	return e->kind == EX_UNARY && e->unary.op == OP_NEG;
}

/* Read a literal or folded number. */
static bool read_number(const struct expr *e, __int128 *v)
{
	const struct expr *digits = is_negated(e) ? e->unary.operand : e;

	if (digits->kind != EX_INT)
		return false;
	*v = (__int128)digits->integer.value;
	/* a negative constant of C; a literal of that value is unsigned */
	if (digits->integer.type && digits->integer.type->is_signed)
		*v = (int64_t)digits->integer.value;
	*v = is_negated(e) ? -*v : *v;
	return true;
}

/* The same, also through casts and ~: the value of a divisor or shift count. */
static bool known_number(const struct expr *e, __int128 *v)
{
	if (e->kind == EX_CAST && e->type->kind == TY_INT && known_number(e->cast.operand, v)) {
		__int128 range = (__int128)1 << (8 * e->type->size);

		*v = (*v % range + range) % range;
		*v -= e->type->is_signed && *v >= range / 2 ? range : 0;
		return true;
	}
	if (e->kind == EX_UNARY && e->unary.op == OP_BNOT && known_number(e->unary.operand, v)) {
		*v = ~*v;
		return true;
	}
	return read_number(e, v);
}

const char *constant_str(struct arena *a, __int128 v)
{
	char text[48], *at = text + sizeof(text);
	bool is_negative = v < 0;

	*--at = 0;
	do
		*--at = (char)('0' + (is_negative ? -(v % 10) : v % 10));
	while (v /= 10);
	if (is_negative)
		*--at = '-';
	return arena_printf(a, "%s", at);
}

/* ---- operations without a result ---------------------------------------------------------- */

bool constant_check_right(struct sema *s, enum op op, const struct expr *right)
{
	__int128 v;

	if (!known_number(right, &v))
		return true;
	if ((op == OP_DIV || op == OP_MOD) && v == 0) {
		sema_error(s, right->span, "division-by-zero", "division by zero");
		sema_hint(s, "write a divisor that is not 0");
		return false;
	}
	if ((op == OP_SHL || op == OP_SHR) && (v < 0 || v > MOST_SHIFT)) {
		sema_error(s, right->span, "shift-count",
			   "invalid shift count %s: expected 0 to %d", constant_str(s->arena, v),
			   MOST_SHIFT);
		return false;
	}
	return true;
}

static const struct type *overflow(struct sema *s, const struct expr *e, const char *result)
{
	sema_error(s, e->span, "number-overflow", "this is %s, which does not fit in 64 bits",
		   result);
	return sema_hint(s, "they hold %s to %s; calculations with variables wrap around",
			 constant_str(s->arena, least), constant_str(s->arena, greatest));
}

/* ---- folding ----------------------------------------------------------------------------- */

/* False when a product exceeds 128 bits. */
static bool calculate(enum op op, __int128 x, __int128 y, __int128 *v)
{
	switch (op) {
	case OP_ADD: *v = x + y; return true;
	case OP_SUB: *v = x - y; return true;
	case OP_MUL: return !__builtin_mul_overflow(x, y, v);
	case OP_DIV: *v = x / y; return true;
	case OP_MOD: *v = x % y; return true;
	case OP_SHL: *v = x * ((__int128)1 << y); return true;
	case OP_SHR: *v = x >> y; return true;
	case OP_BAND: *v = x & y; return true;
	case OP_BOR: *v = x | y; return true;
	default: *v = x ^ y; return true;
	}
}

static bool holds(enum op op, __int128 x, __int128 y)
{
	switch (op) {
	case OP_EQ: return x == y;
	case OP_NE: return x != y;
	case OP_LT: return x < y;
	case OP_LE: return x <= y;
	case OP_GT: return x > y;
	default: return x >= y;
	}
}

static bool is_bitwise(enum op op)
{
	return op == OP_BAND || op == OP_BOR || op == OP_BXOR;
}

/* Replace `e` by the number; returns its type. */
static const struct type *write_number(struct sema *s, struct expr *e, __int128 v)
{
	struct expr *digits = v < 0 ? arena_new_of(s->arena, struct expr) : e;

	digits->span = e->span;
	ast_become_int(digits, (uint64_t)(v < 0 ? -v : v), NULL);
	digits->type = constant_type(digits);
	if (v >= 0)
		return e->type = digits->type;
	e->kind = EX_UNARY;
	e->unary.op = OP_NEG;
	e->unary.operand = digits;
	return e->type = sema_word(true);
}

const struct type *constant_type(const struct expr *e)
{
	if (e->integer.is_bool)
		return &type_bool;
	if (e->integer.type)
		return e->integer.type;
	return e->integer.value <= INT64_MAX ? &sema_literal : sema_word(false);
}

const struct type *constant_binary(struct sema *s, struct expr *e, const struct type *t)
{
	__int128 x, y, v;

	if (!constant_check_right(s, e->binary.op, e->binary.right))
		return &type_error;
	if (!read_number(e->binary.left, &x) || !read_number(e->binary.right, &y))
		return t;
	if (!calculate(e->binary.op, x, y, &v))
		return overflow(s, e, "more than 2^127");
	if (v >= least && v <= greatest)
		return write_number(s, e, v);
	/* For example -1 & a number above INT64_MAX: the bits are used as they are. */
	return is_bitwise(e->binary.op) ? t : overflow(s, e, constant_str(s->arena, v));
}

static const struct type *write_bool(struct expr *e, bool value)
{
	ast_become_int(e, value, &type_bool);
	return &type_bool;
}

const struct type *constant_compare(struct expr *e)
{
	__int128 x, y;

	if (!read_number(e->binary.left, &x) || !read_number(e->binary.right, &y))
		return &type_bool;
	return write_bool(e, holds(e->binary.op, x, y));
}

const struct type *constant_negated(struct sema *s, struct expr *e, const struct type *t)
{
	__int128 v;

	if (!read_number(e->unary.operand, &v))
		return t;
	if (-v < least)
		return overflow(s, e, constant_str(s->arena, -v));
	return v > 0 && !e->unary.operand->integer.is_bool ? t : write_number(s, e, -v);
}

const struct type *constant_logic(struct expr *e)
{
	const struct expr *l = e->binary.left, *r = e->binary.right;
	bool is_and = e->binary.op == OP_LAND;

	if (l->kind != EX_INT)
		return &type_bool;
	if (!l->integer.value == is_and) /* the right side is not evaluated */
		return write_bool(e, !is_and);
	return r->kind == EX_INT ? write_bool(e, r->integer.value) : &type_bool;
}

struct expr *constant_byte(struct arena *a, const struct expr *e)
{
	const struct expr *text = e->index.object;
	uint64_t i = e->index.at->integer.value;
	struct expr *n = ast_int(a, e->span, 0);
	int8_t byte = i < text->string.len ? (int8_t)text->string.text[i] : 0;

	n->integer.value = (uint64_t)(byte < 0 ? -byte : byte);
	return byte < 0 ? ast_unary(a, e->span, OP_NEG, n) : n;
}

bool constant_member(struct expr *e, uint32_t i, const struct expr *object)
{
	struct span span = e->span;

	if ((object->kind != EX_TUPLE && object->kind != EX_RECORD) || !comptime_is_literal(object))
		return false;
	*e = *object->list.items[i];
	e->span = span;
	return true;
}

bool constant_number(const struct expr *e, __int128 *v)
{
	return (e->kind != EX_INT || e->type->kind != TY_BOOL) && read_number(e, v);
}

/* ---- strings ----------------------------------------------------------------------------- */

/* Replace `e` by the string; returns its type. */
static const struct type *write_string(struct sema *s, struct expr *e, const char *text,
				       uint32_t len)
{
	e->is_parameter = e->binary.left->is_parameter || e->binary.right->is_parameter;
	e->kind = EX_STRING;
	e->string.text = text;
	e->string.len = len;
	return type_string(s->arena, len + 1);
}

static const struct type *join(struct sema *s, struct expr *e)
{
	const struct expr *x = e->binary.left, *y = e->binary.right;
	uint32_t len = x->string.len + y->string.len;
	char *text = arena_alloc(s->arena, len + 1);

	memcpy(text, x->string.text, x->string.len);
	memcpy(text + x->string.len, y->string.text, y->string.len);
	return write_string(s, e, text, len);
}

static const struct type *skip(struct sema *s, struct expr *e)
{
	const struct expr *x = e->binary.left;
	uint64_t n = e->binary.right->integer.value;

	if (n >= x->string.len) {
		diag_warning(s->diags, e->span, "empty-text",
			     "'+' does not join: it skips bytes of the text, and none is left");
		hint_join(s, e);
		n = x->string.len;
	}
	return write_string(s, e, x->string.text + n, x->string.len - (uint32_t)n);
}

static bool string_holds(enum op op, const struct expr *x, const struct expr *y)
{
	uint32_t n = x->string.len < y->string.len ? x->string.len : y->string.len;
	int order = memcmp(x->string.text, y->string.text, n);

	return holds(op, order ? order : (int)x->string.len - (int)y->string.len, 0);
}

const struct type *constant_string(struct sema *s, struct expr *e)
{
	const struct expr *x = e->binary.left, *y = e->binary.right;
	enum op op = e->binary.op;

	if (x->kind != EX_STRING)
		return NULL;
	if (op == OP_ADD && y->kind == EX_STRING)
		return join(s, e);
	if (op == OP_ADD && y->kind == EX_INT && !y->integer.is_bool)
		return skip(s, e);
	if (y->kind != EX_STRING || !ast_is_comparison(e))
		return NULL;
	return write_bool(e, string_holds(op, x, y));
}
