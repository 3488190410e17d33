/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `retval` at the exits of a function: see sema.h.
 */
#include "parser/lang/builtin.h"
#include "parser/sema/sema.h"

enum { NAMES_MAX = 3 };

static uint32_t remove_jumping(struct attach_target *t, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!t[i].has_jump)
			t[kept++] = t[i];
	return kept;
}

/* "a, b, c, …"; NULL if no function ends in a jump. */
static const char *names_of_jumping(struct sema *s, const struct attach_point *p, uint32_t *n)
{
	const char *list = NULL;

	*n = 0;
	for (uint32_t i = 0; i < p->user.n_entries; i++) {
		const char *name = *n < NAMES_MAX ? p->user.entries[i].function : "…";

		if (p->user.entries[i].has_jump && (*n)++ <= NAMES_MAX)
			list = list ? arena_join(s->arena, list, ", ", name) : name;
	}
	return list;
}

static bool no_result(struct sema *s, const struct expr *e, const struct attach_point *p)
{
	const struct attach_target *f = p->user.entries;
	const char *to = f->jumps_to ? f->jumps_to : "another function";
	const struct user_switch *x = probe_switches(p);

	sema_error(s, e->span, "no-value", "%s has no 'retval': it ends in a jump to %s",
		   f->function, to);
	if (x && x->file)
		sema_hint(s,
			  "the probe is on instructions, since %s uses %s; -p and -c limit it to "
			  "other programs",
			  x->file, x->function);
	else
		sema_hint(s,
			  "it returns what %s returns: probe that function, or do not use 'retval'",
			  f->jumps_to ? to : "the other");
	return false;
}

bool sema_exits_have_result(struct sema *s, const struct expr *e, struct attach_point *p)
{
	uint32_t n, n_before = p->user.n_entries;
	const char *names;

	if (!probe_is_at_returns(p))
		return true;
	names = names_of_jumping(s, p, &n);
	if (!n)
		return true;
	if (!p->pattern)
		return no_result(s, e, p);
	if (n == n_before) {
		sema_error(s, e->span, "no-value",
			   "no function of %s has a 'retval': they end in jumps to other functions",
			   p->pattern);
		sema_hint(s, "they are: %s", names);
		return false;
	}
	p->n_targets = remove_jumping(p->targets, p->n_targets);
	p->user.n_entries = remove_jumping(p->user.entries, n_before);
	if (s->probe->start)
		s->probe->start->points[p - s->probe->points].user.n_entries = p->user.n_entries;
	diag_warning(s->diags, p->span, "left-out",
		     "%u function%s left out, which end%s in jumps to other functions and so "
		     "ha%s no 'retval': %s",
		     n, n == 1 ? " is" : "s are", n == 1 ? "s" : "", n == 1 ? "s" : "ve", names);
	return true;
}

/* ---- missing_probes ------------------------------------------------------------------------ */

static void find_retval(struct expr *e, void *ctx)
{
	const struct builtin *b = e->kind == EX_NAME ? builtin_find(e->name.name) : NULL;

	*(bool *)ctx |= b && b->check == chk_retval;
	ast_each_child(e, find_retval, ctx);
}

void sema_drop_jumping(struct sema *s, struct probe *p)
{
	bool reads_result = false;
	uint32_t n = 0;

	if (s->program->config.missing_probes == MISSING_ERROR)
		return;
	ast_each_in_block(&p->body, find_retval, &reads_result);
	for (uint32_t i = 0; i < p->n_points; i++) {
		const struct attach_point *a = &p->points[i];

		if (reads_result && probe_is_at_returns(a) && !a->pattern && a->user.n_entries &&
		    a->user.entries->has_jump)
			arena_push(s->arena, s->jumping, s->n_jumping, *a);
		else
			p->points[n++] = p->points[i];
	}
	p->n_points = n;
}

void sema_report_jumping(struct sema *s)
{
	const struct attach_point *first = s->jumping;
	const struct user_switch *x = s->n_jumping ? probe_switches(first) : NULL;
	const char *list = "";

	if (!s->n_jumping || s->program->config.missing_probes != MISSING_WARN)
		return;
	for (uint32_t i = 0; i < s->n_jumping; i++)
		list = arena_join(s->arena, list, i ? ", " : "",
				  s->jumping[i].user.entries->function);
	diag_warning(
		s->diags, first->span, "left-out",
		"%s: left out, since the result of a function that ends in a jump is not known",
		list);
	if (x && x->file)
		diag_hint(
			s->diags,
			"the probe is on instructions, since %s uses %s; with -p or -c of a program "
			"that does not, nothing is left out",
			x->file, x->function);
}
