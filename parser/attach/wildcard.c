/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns in attach points: tracepoint:sched:sched_wake* stands for every event it matches, each
 * resolved as if it had been written out.
 */
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/base/diag.h"
#include "parser/base/pattern.h"
#include "parser/base/limits.h"
#include "parser/base/nearest.h"
#include "parser/attach/probe_parse.h"
#include <stdlib.h>
#include <string.h>

char *probe_without(struct arena *a, const char *text, char character)
{
	char *letters = arena_strdup(a, text), *to = letters;

	for (const char *c = text; *c; c++)
		if (*c != character)
			*to++ = *c;
	*to = '\0';
	return letters;
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

	if (x->any_category && strncmp(name, "ftrace:", 7) == 0)
		return;
	nearest_keep(&x->nearest, x->arena, name);
	if (pattern_matches(x->pattern, name))
		arena_push(x->arena, x->names, x->n, arena_strdup(x->arena, name));
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
		point.pattern =
			arena_printf(r->arena, "%s:%s", probe_rows[point.id].name, x->pattern);
		arena_push(r->arena, *points, *n_points, point);
	}
	return 0;
}

static int expand(const struct probe_reader *r, const struct attach_text *text, const char *pattern,
		  struct attach_point **points, uint32_t *n_points)
{
	const char *colon = strchr(pattern, ':');
	const char *category = arena_strndup(r->arena, pattern, (size_t)(colon - pattern));
	struct expansion x = {.arena = r->arena, .pattern = pattern};
	int err;

	/* alternatives may hold the ':' */
	x.any_category = pattern_is(category) || strchr(category, '{');

	nearest_init(&x.nearest, pattern_letters(r->arena, pattern));
	err = r->kernel->each_tracepoint(r->kernel, x.any_category ? NULL : category, offer, &x);
	if (err && !x.n) /* the message of an event that is not there, or not to be read */
		return probe_resolve(r, text, &(struct attach_point){0});
	if (!x.n)
		return no_match(r, text, &x);
	if (x.n > LIMIT_PROBES) {
		diag_error(r->diags, text->span, "limit-probes",
			   "%s matches %u tracepoints, a script can have %d attach points", pattern,
			   x.n, LIMIT_PROBES);
		return -1;
	}
	qsort(x.names, x.n, sizeof(*x.names), by_name);
	return resolve_each(r, text, &x, points, n_points);
}

/* The pattern of events, without quotes; of a name alone in any category. */
static const char *event_pattern(struct arena *a, const char *rest)
{
	const char *pattern = probe_without(a, rest, '"');

	return strchr(pattern, ':') ? pattern : arena_printf(a, "*:%s", pattern);
}

static int resolve_type(const struct probe_reader *r, const struct attach_text *text,
			struct attach_point **points, uint32_t *n_points)
{
	const char *rest = strchr(text->text, ':');
	struct attach_point point;
	int typed = probe_typed_expand(r, text, points, n_points);

	if (typed <= 0)
		return typed;
	if (rest && pattern_is(rest) &&
	    probe_type_is(text->text, (size_t)(rest - text->text), PROBE_TRACEPOINT))
		return expand(r, text, event_pattern(r->arena, rest + 1), points, n_points);
	if (probe_resolve(r, text, &point))
		return -1;
	arena_push(r->arena, *points, *n_points, point);
	return 0;
}

/* ---- patterns of probe types, names -------------------------------------------------------- */

/* What a pattern such as *probe can stand for: what fires for something that has a name. */
static const enum probe_id kernel_types[] = {PROBE_KPROBE,	  PROBE_FENTRY,	  PROBE_TRACEPOINT,
					     PROBE_RAWTRACEPOINT, PROBE_SOFTWARE, PROBE_HARDWARE};
static const enum probe_id user_types[] = {PROBE_UPROBE};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Each type that the pattern matches and that has such an attach point; others are left out without
 * a word. */
static int resolve_types(const struct probe_reader *r, const struct attach_text *text,
			 struct attach_point **points, uint32_t *n_points)
{
	const char *rest = strchr(text->text, ':');
	bool is_user = strchr(rest, '/') != NULL;
	const enum probe_id *ids = is_user ? user_types : kernel_types;
	const char *type = arena_strndup(r->arena, text->text, (size_t)(rest - text->text));
	uint32_t before = *n_points, n_types = 0;

	for (size_t i = 0; i < (is_user ? COUNT(user_types) : COUNT(kernel_types)); i++) {
		struct diags quiet = {.arena = r->arena, .source = r->diags->source};
		struct probe_reader reader = {r->arena, &quiet, r->kernel};
		struct attach_text one = {.span = text->span};

		if (!pattern_matches(type, probe_rows[ids[i]].name))
			continue;
		n_types++;
		one.text = arena_printf(r->arena, "%s%s", probe_rows[ids[i]].name, rest);
		resolve_type(&reader, &one, points, n_points);
	}
	if (*n_points > before)
		return 0;
	diag_error(r->diags, text->span, "no-match",
		   n_types ? "no probe matches '%s'" : "no probe type matches '%s'",
		   n_types ? text->text : type);
	return diag_hint(r->diags,
			 "of the kernel's probe types '*' can be kprobe, tracepoint, software and "
			 "hardware, before a file's name uprobe");
}

/* Length of NAME= at the start of an attach point, 0 when it has none. */
static size_t name_length(const char *text)
{
	size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");

	return n && text[n] == '=' && (text[0] < '0' || text[0] > '9') ? n + 1 : 0;
}

int probe_resolve_all(const struct probe_reader *r, const struct attach_text *text,
		      struct attach_point **points, uint32_t *n_points)
{
	size_t n = name_length(text->text);
	struct attach_text plain = {.text = text->text + n, .span = text->span};
	const char *wild = strpbrk(plain.text, "*?"), *colon = strchr(plain.text, ':');
	uint32_t first = *n_points;

	if (wild && colon && wild < colon ? resolve_types(r, &plain, points, n_points)
					  : resolve_type(r, &plain, points, n_points))
		return -1;
	for (uint32_t i = first; n && i < *n_points; i++) {
		(*points)[i].resolved = (*points)[i].name;
		(*points)[i].name = arena_strndup(r->arena, text->text, n - 1);
		(*points)[i].is_named = true;
	}
	return 0;
}
