/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evaluates constant expressions of C: see c_expr.h. All arithmetic has 64 bits, as in #if, and
 * wraps around. An operand that && || or ?: leave out is parsed, but its errors of arithmetic
 * do not count.
 */
#include "parser/csection/c_expr.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"

static bool unary(struct c_eval *e, struct c_value *out);
static bool conditional(struct c_eval *e, struct c_value *out);

static const struct c_token *next(const struct c_eval *e)
{
	return &e->tokens[e->at];
}

static bool take(struct c_eval *e, int punct)
{
	if (!c_token_is(next(e), punct))
		return false;
	e->at++;
	return true;
}

bool c_expected(struct c_eval *e, const char *what)
{
	const struct c_token *t = next(e);

	if (e->is_wrong)
		return false;
	e->is_wrong = true;
	if (t->kind == CT_END)
		diag_error(e->diags, t->span, "c-expression", "expected %s", what);
	else
		diag_error(e->diags, t->span, "c-expression", "expected %s, found '%.*s'", what,
			   (int)(t->len > 40 ? 40 : t->len), t->text);
	return false;
}

static struct c_value truth(bool is_true)
{
	return (struct c_value){.bits = is_true};
}

static bool parenthesis(struct c_eval *e, struct c_value *out)
{
	bool is_unsigned = false;
	uint32_t size = 8;

	if (!e->is_type || !e->is_type(e))
		return conditional(e, out) && (take(e, ')') || c_expected(e, "')'"));
	if (!e->skip_type(e, &size, &is_unsigned) || (!take(e, ')') && !c_expected(e, "')'")) ||
	    !unary(e, out))
		return false;
	if (size && size < 8) {
		uint32_t shift = 64 - size * 8;

		out->bits <<= shift;
		out->bits =
			is_unsigned ? out->bits >> shift : (uint64_t)((int64_t)out->bits >> shift);
	}
	out->is_unsigned = is_unsigned && size == 8;
	return true;
}

static bool primary(struct c_eval *e, struct c_value *out)
{
	const struct c_token *t = next(e);

	if (take(e, '('))
		return parenthesis(e, out);
	if (t->kind == CT_NAME)
		return e->name(e, out);
	if (t->kind != CT_NUMBER)
		return c_expected(e, "an integer constant");
	e->at++;
	*out = (struct c_value){t->value, t->is_unsigned};
	return true;
}

static bool unary_of(struct c_eval *e, struct c_value *out)
{
	int punct = next(e)->kind == CT_PUNCT ? next(e)->punct : 0;

	if (punct != '-' && punct != '+' && punct != '~' && punct != '!')
		return primary(e, out);
	e->at++;
	if (!unary(e, out))
		return false;
	if (punct == '-')
		out->bits = -out->bits;
	else if (punct == '~')
		out->bits = ~out->bits;
	else if (punct == '!')
		*out = truth(!out->bits);
	return true;
}

static bool unary(struct c_eval *e, struct c_value *out)
{
	bool is_right;

	if (e->depth == LIMIT_C_NESTING) {
		if (!e->is_wrong)
			diag_error(e->diags, next(e)->span, "limit-nesting",
				   "nested too deeply: more than %d levels", LIMIT_C_NESTING);
		e->is_wrong = true;
		return false;
	}
	e->depth++;
	is_right = unary_of(e, out);
	e->depth--;
	return is_right;
}

/* ---- binary operators ---- */

/* From loosely to tightly binding; 0: not a binary operator. */
static int precedence(const struct c_token *t)
{
	if (t->kind != CT_PUNCT)
		return 0;
	switch (t->punct) {
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

static bool divide(struct c_eval *e, const struct c_token *op, struct c_value *x, struct c_value y)
{
	bool is_unsigned = x->is_unsigned || y.is_unsigned;

	if (!y.bits && !e->n_skipped) {
		diag_error(e->diags, op->span, "c-expression", "division by zero");
		e->is_wrong = true;
		return false;
	}
	if (!y.bits)
		return true;
	if (is_unsigned)
		x->bits = op->punct == '/' ? x->bits / y.bits : x->bits % y.bits;
	else if (y.bits == UINT64_MAX) /* -1: the quotient of the least number does not exist */
		x->bits = op->punct == '/' ? -x->bits : 0;
	else
		x->bits = (uint64_t)(op->punct == '/' ? (int64_t)x->bits / (int64_t)y.bits
						      : (int64_t)x->bits % (int64_t)y.bits);
	x->is_unsigned = is_unsigned;
	return true;
}

static bool is_less(struct c_value x, struct c_value y)
{
	return x.is_unsigned || y.is_unsigned ? x.bits < y.bits : (int64_t)x.bits < (int64_t)y.bits;
}

static void shift(int punct, struct c_value *x, struct c_value y)
{
	uint64_t n = y.bits & 63;

	if (punct == CP_SHL)
		x->bits <<= n;
	else
		x->bits = x->is_unsigned ? x->bits >> n : (uint64_t)((int64_t)x->bits >> n);
}

static bool operate(struct c_eval *e, const struct c_token *op, struct c_value *x, struct c_value y)
{
	struct c_value v = {.is_unsigned = x->is_unsigned || y.is_unsigned};

	switch (op->punct) {
	case CP_OR: *x = truth(x->bits || y.bits); return true;
	case CP_AND: *x = truth(x->bits && y.bits); return true;
	case CP_EQ: *x = truth(x->bits == y.bits); return true;
	case CP_NE: *x = truth(x->bits != y.bits); return true;
	case '<': *x = truth(is_less(*x, y)); return true;
	case '>': *x = truth(is_less(y, *x)); return true;
	case CP_LE: *x = truth(!is_less(y, *x)); return true;
	case CP_GE: *x = truth(!is_less(*x, y)); return true;
	case CP_SHL:
	case CP_SHR: shift(op->punct, x, y); return true;
	case '/':
	case '%': return divide(e, op, x, y);
	case '|': v.bits = x->bits | y.bits; break;
	case '^': v.bits = x->bits ^ y.bits; break;
	case '&': v.bits = x->bits & y.bits; break;
	case '+': v.bits = x->bits + y.bits; break;
	case '-': v.bits = x->bits - y.bits; break;
	default: v.bits = x->bits * y.bits; break;
	}
	*x = v;
	return true;
}

/* Operators that bind at least as tightly as `least`. The recursion is bounded by their levels. */
static bool binary(struct c_eval *e, int least, struct c_value *out)
{
	if (!unary(e, out))
		return false;
	while (precedence(next(e)) >= least) {
		const struct c_token *op = next(e);
		bool skips =
			(op->punct == CP_AND && !out->bits) || (op->punct == CP_OR && out->bits);
		struct c_value right;

		e->at++;
		e->n_skipped += skips;
		if (!binary(e, precedence(op) + 1, &right) || !operate(e, op, out, right))
			return false;
		e->n_skipped -= skips;
	}
	return true;
}

static bool choose(struct c_eval *e, struct c_value *out)
{
	bool is_true = out->bits;
	struct c_value then, otherwise;

	e->n_skipped += !is_true;
	if (!conditional(e, &then))
		return false;
	e->n_skipped -= !is_true;
	if (!take(e, ':'))
		return c_expected(e, "':'");
	e->n_skipped += is_true;
	if (!conditional(e, &otherwise))
		return false;
	e->n_skipped -= is_true;
	*out = is_true ? then : otherwise;
	out->is_unsigned = then.is_unsigned || otherwise.is_unsigned;
	return true;
}

static bool conditional(struct c_eval *e, struct c_value *out)
{
	bool is_right;

	if (!binary(e, 1, out))
		return false;
	if (!take(e, '?'))
		return true;
	if (e->depth == LIMIT_C_NESTING)
		return c_expected(e, "fewer nested '?'");
	e->depth++;
	is_right = choose(e, out);
	e->depth--;
	return is_right;
}

bool c_evaluate(struct c_eval *e, struct c_value *out)
{
	return conditional(e, out);
}
