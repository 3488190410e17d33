/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Check hooks of the aggregations in builtins.def: the type of the map they are assigned to, and
 * the limits of their literal arguments. Their names in messages.
 */
#include "parser/lang/agg.h"
#include "parser/sema/sema_type.h"

enum {
	HIST_MAX_K = 5,
	QUANTILES_K =
		5, /* 32 buckets per power of two: the middle of a bucket is at most 1.6 % off */
	LHIST_MAX_STEPS = 1000,
	TSERIES_MAX = 1000000,
};

const struct type *chk_agg(struct sema *s, struct expr *e)
{
	const struct expr *v = e->call.args[0];

	return type_agg(e->call.builtin->agg, v->type->is_signed && v->kind != EX_INT);
}

static const struct type *of_scale(struct sema *s, const struct expr *e, int64_t a, int64_t b,
				   int64_t c)
{
	return type_buckets(s->arena, e->call.builtin->agg, (int64_t[]){a, b, c});
}

const struct type *chk_hist(struct sema *s, struct expr *e)
{
	const struct expr *k = e->call.n_args > 1 ? e->call.args[1] : NULL;

	if (k && k->integer.value > HIST_MAX_K) {
		sema_error(s, k->span, "hist-scale", "%s's second argument must be 0 to %d",
			   e->call.name, HIST_MAX_K);
		return &type_error;
	}
	return of_scale(s, e, k ? (int64_t)k->integer.value : 0, 0, 0);
}

const struct type *chk_quantiles(struct sema *s, struct expr *e)
{
	return of_scale(s, e, QUANTILES_K, 0, 0);
}

static const struct type *bad_scale(struct sema *s, const struct expr *e, const char *what)
{
	sema_error(s, e->span, "lhist-scale", "%s", what);
	return sema_hint(s, "lhist(value, min, max, step): from min to max in at most %d steps",
			 LHIST_MAX_STEPS);
}

const struct type *chk_lhist(struct sema *s, struct expr *e)
{
	uint64_t step = e->call.args[3]->integer.value;
	__int128 min, max;

	if (!constant_number(e->call.args[1], &min) || !constant_number(e->call.args[2], &max))
		return &type_error;
	if (min > INT64_MAX || max > INT64_MAX)
		return bad_scale(s, e->call.args[min > INT64_MAX ? 1 : 2],
				 "this does not fit in a signed 64-bit integer");
	if (min > max)
		return bad_scale(s, e->call.args[1], "lhist's min is greater than its max");
	if (step == 0)
		return bad_scale(s, e->call.args[3], "lhist's step is 0");
	if (step > max - min)
		return bad_scale(s, e->call.args[3], "lhist's step is greater than max - min");
	if ((max - min) / step > LHIST_MAX_STEPS)
		return bad_scale(s, e->call.args[3], "lhist has too many steps");
	return of_scale(s, e, (int64_t)min, (int64_t)max, (int64_t)step);
}

static const struct type *bad_series(struct sema *s, const struct expr *e, const char *what)
{
	sema_error(s, e->span, "tseries-scale", "%s", what);
	return sema_hint(s,
			 "tseries(value, interval, n, \"avg\"): the last n intervals, at most %d",
			 TSERIES_MAX);
}

const struct type *chk_tseries(struct sema *s, struct expr *e)
{
	const struct expr *v = e->call.args[0];
	const struct expr *what = e->call.n_args > 3 ? e->call.args[3] : NULL;
	uint64_t interval = e->call.args[1]->integer.value, n = e->call.args[2]->integer.value;
	int op = what ? series_op_find(what->string.text) : SERIES_LAST;
	struct type *t;

	if (interval == 0)
		return bad_series(s, e->call.args[1], "tseries's interval is 0");
	if (interval > INT64_MAX)
		return bad_series(s, e->call.args[1],
				  "this does not fit in a signed 64-bit integer");
	if (n == 0 || n > TSERIES_MAX)
		return bad_series(s, e->call.args[2], "tseries keeps 1 to 1000000 intervals");
	if (op < 0)
		return bad_series(s, what, "tseries keeps \"avg\", \"max\", \"min\" or \"sum\"");
	t = arena_new_of(s->arena, struct type);
	*t = *of_scale(s, e, (int64_t)interval, (int64_t)n, op);
	t->is_signed = v->type->is_signed && v->kind != EX_INT;
	return t;
}

const char *sema_name_of(struct sema *s, const struct type *t)
{
	const char *text = type_str(s->arena, t), *scale = strchr(text, '(');

	if (t->kind != TY_AGG) /* an aggregation is known by its function */
		return text;
	return arena_printf(s->arena, "%s(%s%s", builtin_of_agg(t->agg)->name, scale ? "…, " : "",
			    scale ? scale + 1 : ")");
}
