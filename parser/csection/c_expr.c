/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates constant expressions of C: #if, enum constants, sizes of arrays, widths of bit-fields.
 * All arithmetic has 64 bits, as in #if, and wraps around. An operand that && || or ?: leave out is
 * parsed, but its errors of arithmetic do not count.
 */
#include "parser/csection/c_headers.h"
#include "parser/csection/c_parse.h"

static struct c_value unary(struct c_parser *p);

static struct c_value truth(bool is_true)
{
	return (struct c_value){.bits = is_true};
}

/* ---- operands ---- */

/* (TYPE) x, after the '('. */
static struct c_value cast(struct c_parser *p)
{
	struct span s = c_next(p)->span;
	const struct type *t = c_type_name(p);
	uint32_t shift = t->size && t->size < 8 ? 64 - t->size * 8 : 0;
	struct c_value v;

	if (t->kind != TY_INT && t->kind != TY_BOOL && t->kind != TY_POINTER)
		c_error(p, s, "c-expression", "only casts to integers are constant");
	c_expect(p, ')', "')'");
	v = unary(p);
	v.bits <<= shift;
	v.bits = t->is_signed ? (uint64_t)((int64_t)v.bits >> shift) : v.bits >> shift;
	v.is_unsigned = !t->is_signed && t->size == 8;
	return v;
}

/* sizeof(TYPE), _Alignof(TYPE), after the word. */
static struct c_value type_number(struct c_parser *p, uint32_t (*number)(const struct type *t))
{
	struct span s = c_next(p)->span;
	const struct type *t;

	c_expect(p, '(', "'('");
	if (!c_begins_type(p))
		c_unexpected(p, "c-syntax", "a type");
	t = c_type_name(p);
	c_complete(p, t, s);
	c_expect(p, ')', "')'");
	return (struct c_value){p->is_wrong ? 0 : number(t), true};
}

static uint32_t size_of(const struct type *t)
{
	return t->size;
}

/* A name that is no macro. In #if it is 0 unless a header defines it. */
static struct c_value name_value(struct c_parser *p)
{
	const struct c_token *t = c_next(p);
	const char *name = c_take_name(p);
	const struct c_name *c = p->types ? c_types_constant(p->types, name) : NULL;
	const struct c_macro *m = preprocess_find(p->pre, t->text, t->len);
	struct c_value v = {0};

	if (c)
		v.bits = (uint64_t)c->value;
	else if (m && m->is_function)
		c_error(p, t->span, "macro-call", "%s is a macro with parameters: write %s(…)",
			name, name);
	else if (p->types && m)
		p->is_wrong = true; /* it refers to itself, which was reported */
	else if (p->types)
		c_error(p, t->span, "c-expression", "unknown constant '%.80s'", name);
	else if (c_token_is_word(t, "true"))
		v.bits = 1;
	else
		c_headers_constant(p->pre, name, &v);
	return v;
}

static struct c_value primary(struct c_parser *p)
{
	const struct c_token *t = c_next(p);
	struct c_value v = {t->value, t->is_unsigned};

	if (c_take(p, '(')) {
		if (p->types && c_begins_type(p))
			return cast(p);
		v = c_evaluate(p);
		if (!c_take(p, ')'))
			c_unexpected(p, "c-expression", "')'");
	} else if (p->types && c_take_word(p, "sizeof")) {
		v = type_number(p, size_of);
	} else if (p->types && c_take_word(p, "_Alignof")) {
		v = type_number(p, c_align);
	} else if (t->kind == CT_NAME) {
		v = name_value(p);
	} else if (t->kind == CT_NUMBER) {
		p->at++;
	} else {
		c_unexpected(p, "c-expression", "an integer constant");
	}
	return v;
}

static struct c_value unary(struct c_parser *p)
{
	struct c_value v;

	c_enter(p);
	if (c_take(p, '-')) {
		v = unary(p);
		v.bits = -v.bits;
	} else if (c_take(p, '+')) {
		v = unary(p);
	} else if (c_take(p, '~')) {
		v = unary(p);
		v.bits = ~v.bits;
	} else if (c_take(p, '!')) {
		v = truth(!unary(p).bits);
	} else {
		v = primary(p);
	}
	c_leave(p);
	return v;
}

/* ---- operators ---- */

/* 1 binds least; 0: not a binary operator. */
static int precedence(const struct c_token *t)
{
	switch (t->kind == CT_PUNCT ? t->punct : 0) {
	case CP_OR: return 1;
	case CP_AND: return 2;
	case '|': return 3;
	case '^': return 4;
	case '&': return 5;
	case CP_EQ:
	case CP_NE: return 6;
	case '<':
	case '>':
	case CP_LE:
	case CP_GE: return 7;
	case CP_SHL:
	case CP_SHR: return 8;
	case '+':
	case '-': return 9;
	case '*':
	case '/':
	case '%': return 10;
	default: return 0;
	}
}

static uint64_t divide(struct c_parser *p, const struct c_token *op, struct c_value x, uint64_t y)
{
	if (!y && !p->n_skipped)
		c_error(p, op->span, "c-expression", "division by zero");
	if (!y)
		return x.bits;
	if (x.is_unsigned)
		return op->punct == '/' ? x.bits / y : x.bits % y;
	if (y == UINT64_MAX) /* -1: the quotient of the least number does not exist */
		return op->punct == '/' ? -x.bits : 0;
	return (uint64_t)(op->punct == '/' ? (int64_t)x.bits / (int64_t)y
					   : (int64_t)x.bits % (int64_t)y);
}

static bool is_less(struct c_value x, struct c_value y)
{
	return x.is_unsigned || y.is_unsigned ? x.bits < y.bits : (int64_t)x.bits < (int64_t)y.bits;
}

static struct c_value operate(struct c_parser *p, const struct c_token *op, struct c_value x,
			      struct c_value y)
{
	struct c_value v = {.is_unsigned = x.is_unsigned || y.is_unsigned};
	uint64_t n = y.bits & 63;

	switch (op->punct) {
	case CP_OR: return truth(x.bits || y.bits);
	case CP_AND: return truth(x.bits && y.bits);
	case CP_EQ: return truth(x.bits == y.bits);
	case CP_NE: return truth(x.bits != y.bits);
	case '<': return truth(is_less(x, y));
	case '>': return truth(is_less(y, x));
	case CP_LE: return truth(!is_less(y, x));
	case CP_GE: return truth(!is_less(x, y));
	case CP_SHL: x.bits <<= n; return x;
	case CP_SHR:
		x.bits = x.is_unsigned ? x.bits >> n : (uint64_t)((int64_t)x.bits >> n);
		return x;
	case '/':
	case '%':
		x.is_unsigned = v.is_unsigned;
		v.bits = divide(p, op, x, y.bits);
		break;
	case '|': v.bits = x.bits | y.bits; break;
	case '^': v.bits = x.bits ^ y.bits; break;
	case '&': v.bits = x.bits & y.bits; break;
	case '+': v.bits = x.bits + y.bits; break;
	case '-': v.bits = x.bits - y.bits; break;
	default: v.bits = x.bits * y.bits; break;
	}
	return v;
}

/* Operators that bind at least as tightly as `least`. The recursion is bounded by their levels. */
static struct c_value binary(struct c_parser *p, int least)
{
	struct c_value v = unary(p);
	const struct c_token *op;

	while (precedence(op = c_next(p)) >= least) {
		bool skips = op->punct == CP_AND ? !v.bits : op->punct == CP_OR && v.bits;

		p->at++;
		p->n_skipped += skips;
		v = operate(p, op, v, binary(p, precedence(op) + 1));
		p->n_skipped -= skips;
	}
	return v;
}

static struct c_value choose(struct c_parser *p, bool is_true)
{
	struct c_value then, otherwise;

	p->n_skipped += !is_true;
	then = c_evaluate(p);
	p->n_skipped -= !is_true;
	if (!c_take(p, ':'))
		c_unexpected(p, "c-expression", "':'");
	p->n_skipped += is_true;
	otherwise = c_evaluate(p);
	p->n_skipped -= is_true;
	return (struct c_value){is_true ? then.bits : otherwise.bits,
				then.is_unsigned || otherwise.is_unsigned};
}

struct c_value c_evaluate(struct c_parser *p)
{
	struct c_value v = binary(p, 1);

	if (!c_take(p, '?'))
		return v;
	c_enter(p);
	v = choose(p, v.bits);
	c_leave(p);
	return v;
}
