/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exclusions: in a probe's head, `!PATTERN` removes what it matches from the attach point before
 * it. It matches functions by any of their names, tracepoints by EVENT or CATEGORY:EVENT, functions
 * and tracepoints with BTF also by MODULE:NAME, USDT probes by NAME or PROVIDER:NAME. It may begin
 * with the probe type, `!kprobe:vfs_write`, as the lines of a listing do.
 */
#include "parser/lang/ast.h"
#include "parser/attach/exclude.h"
#include "parser/attach/probe_user.h"

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

/* BEFORE:NAME */
static bool matches_joined(const struct leaving *l, const char *before, const char *name)
{
	return before && name &&
	       pattern_matches(l->pattern, arena_join(l->r->arena, before, ":", name));
}

/* A USDT probe by NAME, PROVIDER:NAME or PATH:PROVIDER:NAME: `name` is usdt:PATH:PROVIDER:NAME. */
static bool excludes_usdt(const struct leaving *l, const struct attach_target *t)
{
	const char *name = t->name + strlen(probe_rows[PROBE_USDT].name) + 1;
	const char *provider = name + strlen(target_path(t)) + 1;

	return matches(l->pattern, t->symbol) || matches(l->pattern, name) ||
	       matches(l->pattern, provider) || matches_joined(l, t->path, provider);
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

static bool excludes_user(const struct leaving *l, const struct attach_target *t)
{
	/* a pattern that is taken as a name is not compared as a whole */
	if (has_user_name(&l->user, t) || (!l->user.is_exact && matches(l->pattern, t->function)))
		return true;
	if (!l->path)
		return false;
	if ((pattern_matches(l->path, t->path) || pattern_matches(l->path, target_path(t))) &&
	    has_user_name(&l->user_in_file, t))
		return true;
	return !l->user_in_file.is_exact && (matches_joined(l, t->path, t->function) ||
					     matches_joined(l, target_path(t), t->function));
}

static bool excludes_target(const struct leaving *l, const struct attach_point *p,
			    const struct attach_target *t)
{
	if (point_has(p, ARM_USDT))
		return excludes_usdt(l, t);
	if (t->path)
		return excludes_user(l, t);
	return matches_joined(l, t->module, t->function) || matches(l->pattern, t->function) ||
	       matches(l->pattern, t->symbol);
}

/* Functions and tracepoints match by NAME or MODULE:NAME, functions of BPF programs also by
 * ID:NAME. */
static bool excludes_typed(const struct leaving *l, const struct typed_function *f)
{
	return matches(l->pattern, f->name) || matches_joined(l, f->module, f->name) ||
	       (f->prog_id &&
		matches_joined(l, arena_printf(l->r->arena, "%u", f->prog_id), f->name));
}

static bool excludes_event(const struct leaving *l, const struct tp_format *f)
{
	return strchr(l->pattern, ':') ? matches_joined(l, f->category, f->event)
				       : pattern_matches(l->pattern, f->event);
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
	uint32_t kept = 0;

	for (uint32_t i = 0; i < p->n_names; i++)
		if (!excludes_name(l, p->id, p->names[i]))
			p->names[kept++] = p->names[i];
	return kept;
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

/* Exclude from one point. Returns how many functions or events are left: of a point that is one
 * event, 1 or 0. */
static uint32_t exclude_point(const struct leaving *l, struct attach_point *p)
{
	if (p->n_targets) {
		p->n_targets = exclude_targets(l, p, p->targets, p->n_targets);
		if (point_has(p, ARM_USER))
			p->user.n_entries =
				exclude_targets(l, p, p->user.entries, p->user.n_entries);
		name_last_usdt(p);
		return p->n_targets;
	}
	if (p->n_names)
		return p->n_names = exclude_names(l, p);
	return !(probe_typed(p)	   ? excludes_typed(l, probe_typed(p))
		 : probe_format(p) ? excludes_event(l, probe_format(p))
				   : excludes_point(l, p));
}

/* Functions or events of a point. */
static uint32_t size_of(const struct attach_point *p)
{
	return p->n_targets ? p->n_targets : p->n_names ? p->n_names : 1;
}

/* Exclude from points[first] and later. Returns the number of points that are left; *n_excluded
 * counts the functions and events that were removed. */
static uint32_t exclude(const struct leaving *l, struct attach_point *points, uint32_t first,
			uint32_t n, uint32_t *n_excluded)
{
	uint32_t kept = first;

	for (uint32_t i = first; i < n; i++) {
		uint32_t before = size_of(&points[i]), left = before;

		if (l->id == PROBE_COUNT || l->id == points[i].id)
			left = exclude_point(l, &points[i]);
		*n_excluded += before - left;
		if (left)
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
