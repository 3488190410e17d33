/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers that look as if their unit was forgotten: times are nanoseconds, so `delta > 10` is
 * hardly meant. A sum or difference with a time is a time, and so are variables and maps to which
 * nothing else is assigned; a quotient is not. Points in time are times, too, but text does not
 * show them in units: the difference of two is how long something took.
 */
#include "parser/sema/sema_advice.h"
#include "parser/lang/agg.h"

enum {
	ROUNDS = 4,   /* through how many variables and maps a time is followed */
	SMALL = 1000, /* literals below are suspicious: less than a microsecond */
};

/* What `st` assigns to; NULL for what has no value yet. */
static struct held *held_by(const struct stmt *st)
{
	const struct expr *target = ast_target(st);

	if (target->kind == EX_VAR)
		return target->var.var ? &target->var.var->held : NULL;
	return target->kind == EX_MAP && target->map.map ? &target->map.map->held : NULL;
}

void units_note(struct sema *s)
{
	for (uint32_t round = 0; round <= ROUNDS; round++)
		for (uint32_t i = 0; i < s->n_assigns; i++) {
			const struct stmt *st = s->assigns[i];
			const struct expr *value = ast_assigned(st);
			struct held *held = held_by(st);

			if (!held || !value->type)
				continue; /* dead statements have no types */
			held->has_clocks |= ast_is_clock(value);
			if (ast_is_time(value))
				held->has_times = true;
			else if (round == ROUNDS &&
				 !(value->kind == EX_INT && !value->integer.value))
				held->has_others = true; /* 0 only clears it */
		}
}

/* A literal from 1 to 999 that is written without a unit. */
static bool is_bare(const struct sema *s, const struct expr *e)
{
	const char *text;

	if (e->kind != EX_INT || e->type->kind != TY_INT || !e->integer.value ||
	    e->integer.value >= SMALL)
		return false;
	text = advice_text(s, e->span, 0);
	return text && !text[strspn(text, "0123456789")];
}

static void report(struct sema *s, const struct expr *e)
{
	uint64_t n = e->integer.value;

	diag_warning(s->diags, e->span, "unit", "this is compared with nanoseconds: %llu ns",
		     (unsigned long long)n);
	diag_hint(s->diags, "write the unit: %lluus, %llums, or %lluns if that is meant",
		  (unsigned long long)n, (unsigned long long)n, (unsigned long long)n);
}

static void advise_scale(struct sema *s, const struct expr *e)
{
	const struct builtin *b = ast_builtin(e);

	if (!b || b->kind != BUILTIN_AGG || e->call.n_args < 4 || !ast_is_time(e->call.args[0]) ||
	    !is_bare(s, e->call.args[2]))
		return;
	report(s, e->call.args[2]);
}

/* sum(delta / 1000000): what is less than a millisecond adds nothing. */
static void advise_sum(struct sema *s, const struct expr *e)
{
	const struct builtin *b = ast_builtin(e);
	const struct expr *v = e->call.n_args ? e->call.args[0] : NULL;

	if (!b || !v || b->kind != BUILTIN_AGG || agg_rows[b->agg].layout != AL_SUM ||
	    v->kind != EX_BINARY || v->binary.op != OP_DIV || !ast_is_time(v->binary.left) ||
	    v->binary.right->kind != EX_INT || v->binary.right->integer.value < SMALL)
		return;
	diag_warning(s->diags, v->span, "rounded-sum",
		     "this is rounded down before it is added, so short times count as 0");
	diag_hint(s->diags,
		  "add nanoseconds; 'print(@map, 0, %llu)' divides the sum, and --time-unit "
		  "chooses the unit that is printed",
		  (unsigned long long)v->binary.right->integer.value);
}

void advise_unit(struct sema *s, const struct expr *e)
{
	const struct expr *l, *r;

	if (e->kind == EX_CALL) {
		advise_scale(s, e);
		advise_sum(s, e);
	}
	if (e->kind != EX_BINARY || e->binary.op < OP_LT || e->binary.op > OP_GE)
		return;
	l = e->binary.left;
	r = e->binary.right;
	if (is_bare(s, r) && ast_is_time(l))
		report(s, r);
	else if (is_bare(s, l) && ast_is_time(r))
		report(s, l);
}
