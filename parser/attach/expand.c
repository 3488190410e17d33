/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expand hooks of types whose names the kernel or a table lists: tracepoints, perf events,
 * iterators, units of time. Each name that a pattern matches becomes an attach point, resolved as
 * if it had been written out. A listing takes the names as they are.
 */
#include "parser/attach/expand.h"
#include "parser/attach/near.h"
#include "parser/attach/probe_parse.h"
#include "parser/attach/probe_perf.h"
#include "parser/base/limits.h"
#include "parser/lang/ast.h"
#include <stdlib.h>

int exp_one(struct probe_expansion *e)
{
	struct attach_point point;

	if (probe_resolve(e->r, e->text, &point))
		return -1;
	arena_push(e->r->arena, *e->points, *e->n_points, point);
	return 0;
}

void expand_to_names(struct probe_expansion *e, const char **names, uint32_t n)
{
	struct attach_point point = {.id = e->id,
				     .span = e->text->span,
				     .name = probe_rows[e->id].name,
				     .is_listed = true,
				     .names = names,
				     .n_names = n};

	arena_push(e->r->arena, *e->points, *e->n_points, point);
}

/* ---- names that match ---------------------------------------------------------------------- */

struct name_search {
	struct probe_expansion *e;
	/* Call fn for each name of the type. 0 or -errno. */
	int (*each)(const struct name_search *s, kernel_name_fn fn, void *ctx);
	const char *what;     /* name of the type, for messages */
	const char *pattern;  /* of names */
	const char *tail;     /* what follows a name: ":100" of software:*-faults:100 */
	const char *category; /* tracepoints: the requested category; NULL: all */
	const char **names;
	uint32_t n;
	struct near_names near;
};

static const char *row_name(const struct name_search *s)
{
	return probe_rows[s->e->id].name;
}

static void take_name(const char *name, void *ctx)
{
	struct name_search *s = ctx;
	const char *copy;

	if (!pattern_matches(s->pattern, name))
		return;
	/* in a listing, a name that requires a number ends with ':' */
	if (s->e->r->lists && s->e->id != PROBE_TRACEPOINT && s->e->id != PROBE_ITER)
		copy = arena_printf(s->e->r->arena, "%s:", name);
	else
		copy = arena_strdup(s->e->r->arena, name);
	arena_push(s->e->r->arena, s->names, s->n, copy);
}

static void compare_name(const char *name, void *ctx)
{
	struct name_search *s = ctx;

	near_offer(&s->near, arena_printf(s->near.arena, "%s:", row_name(s)), name);
}

/* The names' beginnings that have as many words as a pattern before its '*': sys_enter_ for
 * sys_entr_*. */
struct stem_search {
	struct nearest nearest;
	uint32_t n_words;
	struct arena *arena;
};

static void compare_stem(const char *name, void *ctx)
{
	struct stem_search *s = ctx;
	const char *end = name;

	for (uint32_t i = 0; i < s->n_words; i++) {
		end = strchr(end, '_');
		if (!end)
			return;
		end++;
	}
	nearest_offer(&s->nearest, arena_strndup(s->arena, name, (size_t)(end - name)));
}

/* Returns -1 after a hint, 0 if no name is similar. */
static int hint_stem(struct name_search *s)
{
	size_t n = strlen(s->pattern);
	const char *stem = arena_strndup(s->e->r->arena, s->pattern, n ? n - 1 : 0);
	struct stem_search found = {.arena = s->e->r->arena};

	if (n < 2 || s->pattern[n - 1] != '*' || stem[n - 2] != '_' || pattern_is(stem))
		return 0;
	for (const char *c = stem; *c; c++)
		found.n_words += *c == '_';
	nearest_init(&found.nearest, stem);
	s->each(s, compare_stem, &found);
	return found.nearest.best ? diag_hint(s->e->r->diags, "did you mean %s:%s*?", row_name(s),
					      found.nearest.best)
				  : 0;
}

struct word_search {
	struct near_words words;
	const char *category; /* of which the events are compared; NULL: all */
};

static void compare_words(const char *name, void *ctx)
{
	struct word_search *w = ctx;
	size_t n = w->category ? strlen(w->category) : 0;

	if (w->category && (strncmp(name, w->category, n) != 0 || name[n] != ':'))
		return;
	near_words_offer(&w->words, strchr(name, ':') ? strchr(name, ':') + 1 : name);
}

/* Hint a pattern for one like `sched:*swtich*`. Returns -1 after a hint, 0 if no word is similar.
 */
static int hint_words(struct name_search *s)
{
	const char *colon = strrchr(s->pattern, ':'), *best;
	size_t n = colon ? (size_t)(colon - s->pattern) : 0;
	const char *category = arena_strndup(s->e->r->arena, s->pattern, n);
	struct word_search w = {.category = colon && !pattern_is(category) ? category : NULL};

	if (!near_words_init(&w.words, s->e->r->arena, colon ? colon + 1 : s->pattern))
		return 0;
	s->each(s, compare_words, &w);
	best = near_words_pattern(&w.words);
	return best ? diag_hint(s->e->r->diags, "did you mean %s:%s%s%s?", row_name(s), category,
				colon ? ":" : "", best)
		    : 0;
}

static int no_match(struct name_search *s)
{
	struct diags *d = s->e->r->diags;
	bool any_category = strncmp(s->pattern, "*:", 2) == 0;

	diag_error(d, s->e->text->span, "no-match", "no %s of this kernel matches %s", s->what,
		   s->pattern);
	near_init(&s->near, s->e->r->arena, s->pattern + (any_category ? 2 : 0));
	s->category = NULL;
	s->each(s, compare_name, s);
	if (near_hint(d, &s->near) || hint_stem(s) || hint_words(s))
		return -1;
	if (s->e->id == PROBE_TRACEPOINT)
		return diag_hint(d, "'tracepoint:sched:*' is every event of a category");
	return diag_hint(d, "'sonde -l %s' lists them", row_name(s));
}

/* Report why the names cannot be listed, with the message for one name that cannot be looked up. */
static int no_names(struct name_search *s, int err)
{
	struct diags *d = s->e->r->diags;

	if (!s->e->r->lists)
		return exp_one(s->e);
	diag_error(d, s->e->text->span, "unchecked", "cannot read the kernel's %ss: %s", s->what,
		   strerror(-err));
	if (err == -EACCES || err == -EPERM)
		return diag_hint(d, "run sonde as root");
	return -1;
}

int expand_by_name(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static int resolve_each(struct name_search *s)
{
	struct probe_expansion *e = s->e;
	struct arena *a = e->r->arena;

	for (uint32_t i = 0; i < s->n; i++) {
		struct attach_text text = {.span = e->text->span};
		struct attach_point point;

		text.text = arena_printf(a, "%s:%s%s", row_name(s), s->names[i], s->tail);
		if (probe_resolve(e->r, &text, &point))
			return -1;
		point.pattern = arena_printf(a, "%s:%s%s", row_name(s), s->pattern, s->tail);
		arena_push(a, *e->points, *e->n_points, point);
	}
	return 0;
}

static int expand(struct name_search *s)
{
	struct diags *d = s->e->r->diags;
	int err = s->each(s, take_name, s);

	if (err && err != -ENOENT && !s->n) /* ENOENT: no such category */
		return no_names(s, err);
	if (!s->n)
		return no_match(s);
	if (s->e->r->lists) {
		expand_to_names(s->e, s->names, s->n);
		return 0;
	}
	if (s->n > LIMIT_PROBES)
		return diag_error(d, s->e->text->span, "limit-probes",
				  "%s matches %u %ss, a script can have %d attach points",
				  s->pattern, s->n, s->what, LIMIT_PROBES);
	qsort(s->names, s->n, sizeof(*s->names), expand_by_name);
	return resolve_each(s);
}

static bool expands(const struct probe_expansion *e)
{
	return e->rest && *e->rest && (e->r->lists || pattern_is(e->rest));
}

/* ---- tracepoints --------------------------------------------------------------------------- */

struct event_walk {
	kernel_name_fn fn;
	void *ctx;
};

/* Events of the category "ftrace" are made by the function tracer itself: nothing can be attached
 * to them. */
static void skip_ftrace(const char *name, void *ctx)
{
	const struct event_walk *w = ctx;

	if (strncmp(name, "ftrace:", 7) != 0)
		w->fn(name, w->ctx);
}

static int each_tracepoint(const struct name_search *s, kernel_name_fn fn, void *ctx)
{
	struct kernel *k = s->e->r->kernel;
	struct event_walk w = {fn, ctx};

	return s->category ? k->each_tracepoint(k, s->category, fn, ctx)
			   : k->each_tracepoint(k, NULL, skip_ftrace, &w);
}

/* A pattern of an event without a category matches in all categories. */
int exp_tracepoint(struct probe_expansion *e)
{
	struct name_search s = {.e = e, .each = each_tracepoint, .what = "tracepoint", .tail = ""};
	struct arena *a = e->r->arena;
	const char *colon;

	if (!expands(e))
		return exp_one(e);
	s.pattern = strchr(e->rest, ':') ? e->rest : arena_printf(a, "*:%s", e->rest);
	colon = strchr(s.pattern, ':');
	s.category = arena_strndup(a, s.pattern, (size_t)(colon - s.pattern));
	if (pattern_is(s.category) ||
	    strchr(s.category, '{')) /* alternatives may contain the ':' */
		s.category = NULL;
	return expand(&s);
}

/* ---- perf events, iterators, units of time ------------------------------------------------- */

/* A pattern in a script expands to each event once; a listing also shows its other name. */
static int each_event(const struct name_search *s, kernel_name_fn fn, void *ctx)
{
	for (uint32_t i = 0; i < n_perf_event_rows; i++) {
		const struct perf_event_row *row = &perf_event_rows[i];

		if (row->id != s->e->id)
			continue;
		fn(row->name, ctx);
		if (row->alias && s->e->r->lists)
			fn(row->alias, ctx);
	}
	return 0;
}

/* NAME or NAME:COUNT; NAME may be a pattern. */
int exp_event(struct probe_expansion *e)
{
	struct name_search s = {.e = e, .each = each_event};
	size_t n = strcspn(e->rest ? e->rest : "", ":");

	if (!expands(e) || (e->r->lists && e->rest[n] && e->rest[n + 1]))
		return exp_one(e);
	s.pattern = arena_strndup(e->r->arena, e->rest, n);
	s.tail = e->rest + n;
	s.what = arena_printf(e->r->arena, "%s event", probe_rows[e->id].name);
	if (!e->r->lists && !pattern_is(s.pattern))
		return exp_one(e);
	return expand(&s);
}

static int each_iterator(const struct name_search *s, kernel_name_fn fn, void *ctx)
{
	return s->e->r->kernel->each_iterator(s->e->r->kernel, fn, ctx);
}

/* A pin is one file: it goes with one name. */
int exp_iter(struct probe_expansion *e)
{
	struct name_search s = {.e = e, .each = each_iterator, .what = "iterator", .tail = ""};

	if (!expands(e) || strchr(e->rest, ':'))
		return exp_one(e);
	s.pattern = e->rest;
	return expand(&s);
}

static int each_unit(const struct name_search *s, kernel_name_fn fn, void *ctx)
{
	static const char *const units[] = {"hz", "ms", "s", "us"};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		fn(units[i], ctx);
	return 0;
}

/* A script needs a period; a listing may ask for the existing units. */
int exp_time(struct probe_expansion *e)
{
	struct name_search s = {.e = e, .each = each_unit, .tail = ""};
	size_t n;

	if (!e->r->lists || !e->rest || !*e->rest)
		return exp_one(e);
	n = strcspn(e->rest, ":");
	if (e->rest[n] && e->rest[n + 1])
		return exp_one(e);
	s.pattern = arena_strndup(e->r->arena, e->rest, n);
	each_unit(&s, take_name, &s);
	if (!s.n)
		return exp_one(e);
	expand_to_names(e, s.names, s.n);
	return 0;
}
