/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exclusions: in a probe's head, `!PATTERN` removes what it matches from the attach point before
 * it. It matches functions by any of their names, tracepoints by EVENT or CATEGORY:EVENT, functions
 * and tracepoints with BTF also by MODULE:NAME, USDT probes by NAME or PROVIDER:NAME. It may begin
 * with the probe type, `!kprobe:vfs_write`, as the lines of a listing do.
 */
#include "parser/base/arena.h"
#include "parser/lang/ast.h"
#include "parser/base/diag.h"
#include "parser/base/pattern.h"
#include "parser/attach/exclude.h"
#include "parser/attach/probe_user.h"
#include <string.h>

bool probe_is_exclusion(const struct attach_text *text)
{
	return text->text[0] == '!';
}

/* One `!PATTERN`. */
struct leaving {
	const struct probe_reader *r;
	const char *pattern;
	uint32_t id;		   /* the enum probe_id at its start, or PROBE_COUNT for none */
	const char *path;	   /* of PATH:FUNCTION, or NULL */
	struct user_matching user; /* the pattern as the name of a user function */
	struct user_matching user_in_file; /* the part after PATH: */
};

/* A probed address has no name. */
static bool matches(const char *pattern, const char *name)
{
	return name && pattern_matches(pattern, name);
}

/* A USDT probe by NAME, PROVIDER:NAME or PATH:PROVIDER:NAME: `name` is usdt:PATH:PROVIDER:NAME. */
static bool excludes_usdt(const struct leaving *l, const struct attach_target *t)
{
	size_t type = strlen(probe_rows[PROBE_USDT].name) + 1, path = strlen(target_path(t)) + 1;

	return matches(l->pattern, t->symbol) || matches(l->pattern, t->name + type) ||
	       matches(l->pattern, t->name + type + path) ||
	       matches(l->pattern,
		       arena_printf(l->r->arena, "%s:%s", t->path, t->name + type + path));
}

/* The text after "TYPE:" if the exclusion names that probe type, else all of it. */
static const char *after_type(const char *pattern, enum probe_id id)
{
	size_t n = strcspn(pattern, ":");

	if (!pattern[n] || pattern[n + 1] == ':' || !probe_type_is(pattern, n, id))
		return pattern;
	return pattern + n + 1;
}

/* Compare as probe_user.c does: with the symbol, and with its demangled name, with or without
 * parameters. */
static bool has_user_name(const struct user_matching *m, const struct attach_target *t)
{
	return t->symbol && user_name_matches(m, t->symbol);
}

/* True if the whole pattern matches the name. A pattern that is taken as a name matches nothing
 * here. */
static bool excludes_text(const struct leaving *l, const struct user_matching *m, const char *name)
{
	return !m->is_exact && matches(l->pattern, name);
}

static bool excludes_user(const struct leaving *l, const struct attach_target *t)
{
	if (has_user_name(&l->user, t) || excludes_text(l, &l->user, t->function))
		return true;
	if (!l->path)
		return false;
	if ((pattern_matches(l->path, t->path) || pattern_matches(l->path, target_path(t))) &&
	    has_user_name(&l->user_in_file, t))
		return true;
	return excludes_text(l, &l->user_in_file,
			     arena_printf(l->r->arena, "%s:%s", t->path, t->function)) ||
	       excludes_text(l, &l->user_in_file,
			     arena_printf(l->r->arena, "%s:%s", target_path(t), t->function));
}

static bool excludes_target(const struct leaving *l, const struct attach_point *p,
			    const struct attach_target *t)
{
	if (point_has(p, ARM_USDT))
		return excludes_usdt(l, t);
	if (t->path)
		return excludes_user(l, t);
	if (t->module && t->function &&
	    matches(l->pattern, arena_printf(l->r->arena, "%s:%s", t->module, t->function)))
		return true;
	return matches(l->pattern, t->function) || matches(l->pattern, t->symbol);
}

/* Functions and tracepoints match by NAME or MODULE:NAME, functions of BPF programs also by
 * ID:NAME. */
static bool excludes_typed(const struct leaving *l, const struct typed_function *f)
{
	struct arena *a = l->r->arena;

	return matches(l->pattern, f->name) ||
	       (f->module && matches(l->pattern, arena_printf(a, "%s:%s", f->module, f->name))) ||
	       (f->prog_id && matches(l->pattern, arena_printf(a, "%u:%s", f->prog_id, f->name)));
}

static bool excludes_event(const struct leaving *l, const struct tp_format *f)
{
	if (!strchr(l->pattern, ':'))
		return pattern_matches(l->pattern, f->event);
	return pattern_matches(l->pattern,
			       arena_printf(l->r->arena, "%s:%s", f->category, f->event));
}

/* Match a point that has only a name: all of the text after "TYPE:", or the text after one of its
 * ':'. The count of a perf event is not part of its name. */
static bool excludes_name(const struct leaving *l, enum probe_id id, const char *name)
{
	bool has_count = probe_rows[id].arm == ARM_PERF;

	if (has_count)
		name = arena_strndup(l->r->arena, name, strcspn(name, ":"));
	while (!pattern_matches(l->pattern, name)) {
		name = strchr(name, ':');
		if (!name)
			return false;
		name++;
	}
	return true;
}

static uint32_t exclude_names(const struct leaving *l, struct attach_point *p)
{
	uint32_t before = p->n_names;

	p->n_names = 0;
	for (uint32_t i = 0; i < before; i++)
		if (!excludes_name(l, p->id, p->names[i]))
			p->names[p->n_names++] = p->names[i];
	return before - p->n_names;
}

/* The name that a script gives the point is not compared. */
static bool excludes_point(const struct leaving *l, const struct attach_point *p)
{
	const char *name = strchr(p->is_named ? p->resolved : p->name, ':');

	return name && excludes_name(l, p->id, name + 1);
}

/* Remove the targets that match. Returns how many are left. */
static uint32_t exclude_targets(const struct leaving *l, const struct attach_point *p,
				struct attach_target *targets, uint32_t n)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++)
		if (!excludes_target(l, p, &targets[i]))
			targets[kept++] = targets[i];
	return kept;
}

/* A pattern of USDT probes is named after the pattern. If only one probe is left, the point gets
 * that probe's name. */
static void name_last_usdt(struct attach_point *p)
{
	if (!point_has(p, ARM_USDT) || p->n_targets != 1)
		return;
	if (p->is_named)
		p->resolved = p->targets[0].name;
	else
		p->name = p->targets[0].name;
	p->function = p->targets[0].symbol;
}

/* Exclude from one point. Returns how many functions or events were removed. Sets *goes if nothing
 * is left. */
static uint32_t exclude_point(const struct leaving *l, struct attach_point *p, bool *goes)
{
	uint32_t before = p->n_targets;

	if (before) {
		p->n_targets = exclude_targets(l, p, p->targets, before);
		if (point_has(p, ARM_USER))
			p->user.n_entries =
				exclude_targets(l, p, p->user.entries, p->user.n_entries);
		*goes = p->n_targets == 0;
		name_last_usdt(p);
		return before - p->n_targets;
	}
	if (p->n_names) {
		before = exclude_names(l, p);
		*goes = p->n_names == 0;
		return before;
	}
	*goes = probe_typed(p)	  ? excludes_typed(l, probe_typed(p))
		: probe_format(p) ? excludes_event(l, probe_format(p))
				  : excludes_point(l, p);
	return *goes;
}

/* Exclude from points[first] and later. Returns the number of points that are left; *n_excluded
 * counts the functions and events that were removed. */
static uint32_t exclude(const struct leaving *l, struct attach_point *points, uint32_t first,
			uint32_t n, uint32_t *n_excluded)
{
	uint32_t kept = first;

	for (uint32_t i = first; i < n; i++) {
		bool goes = false;

		if (l->id == PROBE_COUNT || l->id == points[i].id)
			*n_excluded += exclude_point(l, &points[i], &goes);
		if (!goes)
			points[kept++] = points[i];
	}
	return kept;
}

static int check(const struct probe_reader *r, const struct attach_text *text, const char *pattern,
		 const struct attach_point *p)
{
	if (!*pattern) {
		diag_error(r->diags, text->span, "bad-exclusion", "'!' without a name or pattern");
		return diag_hint(r->diags, "write !NAME or !PATTERN after the attach point: "
					   "kprobe:vfs_*,!vfs_write*");
	}
	if (probe_rows[p->id].listing & LIST_FORM) {
		diag_error(r->diags, text->span, "bad-exclusion",
			   "nothing can be excluded from %s: it is a single attach point", p->name);
		return diag_hint(
			r->diags,
			"'!' goes with patterns of functions, events, iterators and USDT probes");
	}
	return 0;
}

int probe_no_exclusion(const struct probe_reader *r, const struct attach_text *text)
{
	diag_error(r->diags, text->span, "bad-exclusion",
		   "'%s' has no attach point before it to exclude from", text->text);
	return diag_hint(r->diags, "write an attach point before it: kprobe:vfs_*,!vfs_write*");
}

static struct user_matching user_names(const struct probe_reader *r, const char *pattern)
{
	struct user_matching m = {.r = r};

	user_name_query(&m, pattern);
	return m;
}

/* Names of C++ and Rust contain '*', as in "f(int*)". If the pattern is the name of a function in
 * one of the points, only that is excluded, as in an attach point (probe_user.c). */
static void prefer_name(struct user_matching *m, const struct attach_point *points, uint32_t n)
{
	struct user_matching name;

	if (!user_name_exact(m, &name))
		return;
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; point_has(&points[i], ARM_USER) && j < points[i].n_targets;
		     j++)
			if (has_user_name(&name, &points[i].targets[j])) {
				*m = name;
				return;
			}
}

/* Read PATH:FUNCTION, PATH or FUNCTION. */
static void read_user(struct leaving *l, const struct attach_point *points, uint32_t n)
{
	const char *colon = user_path_end(l->pattern), *function = user_after_language(l->pattern);

	l->user = user_names(l->r, function);
	prefer_name(&l->user, points, n);
	if (function != l->pattern || !colon)
		return;
	l->path = arena_strndup(l->r->arena, l->pattern, (size_t)(colon - l->pattern));
	l->user_in_file = user_names(l->r, user_after_language(colon + 1));
	prefer_name(&l->user_in_file, points, n);
}

/* A pattern of probe types yields points of several types: use the first type that the exclusion
 * names. */
static void read_type(struct leaving *l, const struct attach_point *points, uint32_t n)
{
	l->id = PROBE_COUNT;
	for (uint32_t i = 0; i < n && l->id == PROBE_COUNT; i++) {
		const char *rest = after_type(l->pattern, points[i].id);

		if (rest != l->pattern)
			l->id = points[i].id;
		l->pattern = rest;
	}
}

int probe_exclude(const struct probe_reader *r, const struct attach_text *text,
		  struct attach_point *points, uint32_t first, uint32_t *n_points)
{
	const char *pattern = probe_unquoted(r->arena, text->text + 1);
	struct leaving l = {.r = r, .pattern = pattern};
	uint32_t n_excluded = 0, kept;

	if (*n_points == first) /* the attach point failed and was reported */
		return -1;
	if (check(r, text, pattern, &points[first]))
		return -1;
	read_type(&l, &points[first], *n_points - first);
	read_user(&l, &points[first], *n_points - first);
	kept = exclude(&l, points, first, *n_points, &n_excluded);
	*n_points = kept;
	if (kept == first) {
		diag_error(r->diags, text->span, "bad-exclusion",
			   "'!%s' excludes all of the attach point before it", pattern);
		return diag_hint(r->diags, "make the pattern after '!' more specific");
	}
	if (!n_excluded)
		diag_warning(r->diags, text->span, "exclusion-unused",
			     "'!%s' matches nothing in the attach point before it", pattern);
	return 0;
}
