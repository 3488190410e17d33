/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exclusions: in a probe's head, `!PATTERN` takes what it matches away from the attach point before
 * it: functions by any of their names, tracepoints by their event or by CATEGORY:EVENT.
 */
#include "arena.h"
#include "ast.h"
#include "diag.h"
#include "exclude.h"
#include "probe_parse.h"
#include <string.h>

bool probe_is_exclusion(const struct attach_text *text)
{
	return text->text[0] == '!';
}

static bool excludes_target(struct arena *a, const char *pattern, const struct attach_target *t)
{
	if (probe_matches(pattern, t->function) || probe_matches(pattern, t->symbol))
		return true;
	return t->path && strchr(pattern, ':') &&
	       probe_matches(pattern, arena_printf(a, "%s:%s", t->path, t->function));
}

static bool excludes_event(struct arena *a, const char *pattern, const struct tp_format *f)
{
	if (!strchr(pattern, ':'))
		return probe_matches(pattern, f->event);
	return probe_matches(pattern, arena_printf(a, "%s:%s", f->category, f->event));
}

static void exclude_targets(struct arena *a, const char *pattern, struct attach_point *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_targets; i++)
		if (!excludes_target(a, pattern, &p->targets[i]))
			p->targets[n++] = p->targets[i];
	p->n_targets = n;
}

/* Those of points[first] and later that stay; *n_excluded counts functions and tracepoints. */
static uint32_t exclude(struct arena *a, const char *pattern, struct attach_point *points,
			uint32_t first, uint32_t n, uint32_t *n_excluded)
{
	uint32_t kept = first;

	for (uint32_t i = first; i < n; i++) {
		uint32_t before = points[i].n_targets;
		bool goes;

		if (before)
			exclude_targets(a, pattern, &points[i]);
		goes = before ? points[i].n_targets == 0
			      : excludes_event(a, pattern, points[i].format);
		*n_excluded += before ? before - points[i].n_targets : goes;
		if (!goes)
			points[kept++] = points[i];
	}
	return kept;
}

static int check(const struct probe_reader *r, const struct attach_text *text, const char *pattern,
		 const struct attach_point *p)
{
	if (!*pattern) {
		diag_error(r->diags, text->span, "bad-exclusion", "'!' needs what to leave out");
		return diag_hint(r->diags, "write !NAME or !PATTERN behind the attach point: "
					   "kprobe:vfs_*,!vfs_write*");
	}
	if (p && !p->n_targets && !p->format) {
		diag_error(r->diags, text->span, "bad-exclusion",
			   "nothing can be left out of %s: it is one attach point", p->name);
		return diag_hint(r->diags, "'!' goes with patterns of functions and tracepoints");
	}
	return 0;
}

int probe_no_exclusion(const struct probe_reader *r, const struct attach_text *text)
{
	diag_error(r->diags, text->span, "bad-exclusion",
		   "'%s' stands first: there is nothing yet to leave it out of", text->text);
	return diag_hint(r->diags, "write what to probe before it: kprobe:vfs_*,!vfs_write*");
}

int probe_exclude(const struct probe_reader *r, const struct attach_text *text,
		  struct attach_point *points, uint32_t first, uint32_t *n_points)
{
	const char *pattern = probe_without(r->arena, text->text + 1, '"');
	uint32_t n_excluded = 0, kept;

	if (*n_points == first) /* reported already */
		return -1;
	if (check(r, text, pattern, &points[first]))
		return -1;
	kept = exclude(r->arena, pattern, points, first, *n_points, &n_excluded);
	*n_points = kept;
	if (kept == first) {
		diag_error(r->diags, text->span, "bad-exclusion",
			   "'!%s' leaves nothing of the attach point before it", pattern);
		return diag_hint(r->diags, "make the pattern behind '!' longer");
	}
	if (!n_excluded)
		diag_warning(r->diags, text->span, "exclusion-unused",
			     "'!%s' leaves nothing out: the attach point before it has no such name",
			     pattern);
	return 0;
}
