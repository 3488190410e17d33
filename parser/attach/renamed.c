/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See renamed.h.
 */
#include "parser/attach/renamed.h"
#include "parser/base/text.h"
#include "parser/attach/probe_parse.h"

static const struct renamed {
	const char *was, *version, *is, *event;
	bool is_inlined;
} renamed[] = {
#define RENAMED(was, version, is, event) {was, version, is, event},
#define INLINED(was, version, is, event) {was, version, is, event, true},
#include "parser/attach/renamed.def"
};
enum { N_RENAMED = sizeof(renamed) / sizeof(*renamed) };

/* What the '*' of `pattern` is in `name`; "" without one; NULL: the pattern does not match. */
static const char *rest_of(const char *pattern, const char *name)
{
	size_t len = strlen(pattern);

	if (pattern[len - 1] != '*')
		return strcmp(pattern, name) == 0 ? "" : NULL;
	return strncmp(pattern, name, len - 1) == 0 ? name + len - 1 : NULL;
}

static const char *fill(struct arena *a, const char *pattern, const char *rest)
{
	return arena_printf(a, "%.*s%s", (int)strcspn(pattern, "*"), pattern, rest);
}

static bool has_event(const struct probe_reader *r, const char *event)
{
	size_t n = strcspn(event, ":");
	const struct tp_format *format;

	return r->kernel->tracepoint(r->kernel, arena_strndup(r->arena, event, n), event + n + 1,
				     &format) == 0;
}

/* The name that follows `function`, through names that are gone, too; NULL: none is there. */
static const char *newer(const struct renamed_query *q, const char *function, const char **version)
{
	for (int i = 0; i < N_RENAMED; i++) {
		const char *rest = rest_of(renamed[i].was, function), *name;

		if (!rest || !renamed[i].is)
			continue;
		*version = renamed[i].version;
		name = fill(q->r->arena, renamed[i].is, rest);
		name = q->has(q, name) ? name : newer(q, name, version);
		if (name)
			return name;
	}
	return NULL;
}

static const char *older(const struct renamed_query *q, const char *function)
{
	for (int i = N_RENAMED; i-- > 0;) {
		const char *rest = renamed[i].is ? rest_of(renamed[i].is, function) : NULL, *name;

		if (!rest)
			continue;
		name = fill(q->r->arena, renamed[i].was, rest);
		name = q->has(q, name) ? name : older(q, name);
		if (name)
			return name;
	}
	return NULL;
}

static const char *event_of(const struct renamed_query *q, const char *function)
{
	for (int i = 0; i < N_RENAMED; i++) {
		const char *rest = rest_of(renamed[i].was, function), *event;

		if (!rest || !renamed[i].event)
			continue;
		event = fill(q->r->arena, renamed[i].event, rest);
		if (has_event(q->r, event))
			return event;
	}
	return NULL;
}

void renamed_warn(const struct renamed_query *q, struct span at, const char *function)
{
	__auto_type row = TEXT_ROW(renamed, was, function, strlen(function));

	if (!row || !row->is_inlined || !q->has(q, row->is))
		return;
	diag_warning(q->r->diags, at, "inlined-function",
		     "since Linux %s the calls of %s are inlined: a probe there is hardly ever hit",
		     row->version, function);
	diag_hint(q->r->diags, "write %s:%s", q->type, row->is);
}

bool renamed_hint(const struct renamed_query *q, const char *function)
{
	const char *version, *is = newer(q, function, &version);

	if (is)
		return diag_hint(q->r->diags, "since Linux %s it is %s: write %s:%s", version, is,
				 q->type, is),
		       true;
	is = older(q, function);
	if (is)
		return diag_hint(q->r->diags, "in this kernel it is %s: write %s:%s", is, q->type,
				 is),
		       true;
	is = event_of(q, function);
	if (is)
		return diag_hint(q->r->diags, "this kernel has tracepoint:%s in its place", is),
		       true;
	return false;
}
