/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns in attach points: tracepoint:sched:sched_wake* stands for every event it matches, each
 * resolved as if it had been written out.
 */
#include "arena.h"
#include "ast.h"
#include "diag.h"
#include "limits.h"
#include "probe_parse.h"
#include <stdlib.h>
#include <string.h>

/* '*' matches any number of characters. Linear in practice: on a mismatch only the last '*' takes
 * one character more. */
bool probe_matches(const char *pattern, const char *s)
{
	const char *star = NULL, *from = NULL;

	while (*s) {
		if (*pattern == '*') {
			star = pattern++;
			from = s;
		} else if (*pattern == *s) {
			pattern++;
			s++;
		} else if (star) {
			pattern = star + 1;
			s = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

struct expansion {
	struct arena *arena;
	const char *pattern;
	bool any_category;
	char **names;
	uint32_t n;
	struct nearest nearest;
};

/* Events of the category "ftrace" are made by the function tracer itself: nothing can be attached. */
static void offer(const char *name, void *ctx)
{
	struct expansion *x = ctx;
	const char *before = x->nearest.best;

	if (x->any_category && strncmp(name, "ftrace:", 7) == 0)
		return;
	nearest_offer(&x->nearest, name);
	if (x->nearest.best != before)
		x->nearest.best = arena_strndup(x->arena, name, strlen(name));
	if (probe_matches(x->pattern, name))
		arena_push(x->arena, x->names, x->n, arena_strndup(x->arena, name, strlen(name)));
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

static int no_match(const struct probe_reader *r, const struct attach_text *text,
		    const struct expansion *x)
{
	diag_error(r->diags, text->span, "no-match", "no tracepoint of this kernel matches %s",
		   x->pattern);
	if (x->nearest.best)
		return diag_hint(r->diags, "did you mean tracepoint:%s?", x->nearest.best);
	return diag_hint(r->diags, "'tracepoint:sched:*' is every event of a category");
}

static int resolve_each(const struct probe_reader *r, const struct attach_text *text,
			const struct expansion *x, struct attach_point **points, uint32_t *n_points)
{
	for (uint32_t i = 0; i < x->n; i++) {
		struct attach_text one = {.span = text->span};
		struct attach_point point;

		one.text = arena_printf(r->arena, "%s:%s", probe_rows[PROBE_TRACEPOINT].name,
					x->names[i]);
		if (probe_resolve(r, &one, &point))
			return -1;
		point.pattern = arena_printf(r->arena, "%s:%s", probe_rows[point.id].name, x->pattern);
		arena_push(r->arena, *points, *n_points, point);
	}
	return 0;
}

static int expand(const struct probe_reader *r, const struct attach_text *text, const char *pattern,
		  struct attach_point **points, uint32_t *n_points)
{
	const char *colon = strchr(pattern, ':'), *star = strchr(pattern, '*');
	struct expansion x = {.arena = r->arena, .pattern = pattern, .any_category = star < colon};
	char *without = arena_strndup(r->arena, pattern, strlen(pattern)), *to = without;
	int err;

	for (const char *c = pattern; *c; c++) /* what is near to the pattern's letters */
		if (*c != '*')
			*to++ = *c;
	*to = '\0';
	nearest_init(&x.nearest, without);
	err = r->kernel->each_tracepoint(r->kernel,
					 x.any_category ? NULL
							: arena_strndup(r->arena, pattern,
									colon - pattern),
					 offer, &x);
	if (err && !x.n) /* the message of an event that is not there, or not to be read */
		return probe_resolve(r, text, &(struct attach_point){0});
	if (!x.n)
		return no_match(r, text, &x);
	if (x.n > LIMIT_PROBES) {
		diag_error(r->diags, text->span, "limit-probes",
			   "%s matches %u tracepoints, a script can have %d attach points", pattern, x.n,
			   LIMIT_PROBES);
		return -1;
	}
	qsort(x.names, x.n, sizeof(*x.names), by_name);
	return resolve_each(r, text, &x, points, n_points);
}

int probe_resolve_all(const struct probe_reader *r, const struct attach_text *text,
		      struct attach_point **points, uint32_t *n_points)
{
	const char *rest = strchr(text->text, ':');
	struct attach_point point;
	int typed = probe_typed_expand(r, text, points, n_points);

	if (typed <= 0)
		return typed;
	if (rest && strchr(rest, '*') && strchr(rest + 1, ':') &&
	    probe_type_is(text->text, (size_t)(rest - text->text), PROBE_TRACEPOINT))
		return expand(r, text, rest + 1, points, n_points);
	if (probe_resolve(r, text, &point))
		return -1;
	arena_push(r->arena, *points, *n_points, point);
	return 0;
}
