/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of listings: see lines.h.
 */
#include "parser/attach/lines.h"
#include "parser/base/escape.h"
#include "parser/base/pattern.h"

/* A part of an attach point, quoted if it contains a character that would end or divide it, or that
 * a terminal obeys. probe_unquoted() is the inverse. */
static const char *quoted(struct arena *a, const char *part)
{
	size_t n = strlen(part), clean = escape_clean(ESCAPE_MESSAGE, part, n);
	char *text, *to;

	if (n && clean == n && !strpbrk(part, " ,:{}()[];<>$\"\\"))
		return part;
	to = text = arena_alloc(a, 4 * n + 3);
	*to++ = '"';
	for (const char *c = part; *c; c++) {
		if (c == part + clean) {
			to += snprintf(to, 5, "\\x%02x", (unsigned char)*c);
			clean += 1 + escape_clean(ESCAPE_MESSAGE, c + 1, n - clean - 1);
			continue;
		}
		if (*c == '"' || *c == '\\')
			*to++ = '\\';
		*to++ = *c;
	}
	*to++ = '"';
	*to = '\0';
	return text;
}

/* A function of a program: its symbol, or its demangled name for people. */
static const char *user_line(struct arena *a, const struct attach_point *p,
			     const struct attach_target *t)
{
	const char *type = probe_rows[p->id].name, *path = quoted(a, target_path(t));

	if (t->symbol && strcmp(t->function, t->symbol) != 0)
		return arena_printf(a, "%s:%s:cpp:%s", type, path, quoted(a, t->function));
	return arena_printf(a, "%s:%s:%s", type, path,
			    quoted(a, t->symbol ? t->symbol : t->function));
}

/* usdt:PATH:PROVIDER:NAME */
static const char *usdt_line(struct arena *a, const struct attach_target *t)
{
	const char *type = probe_rows[PROBE_USDT].name;
	const char *provider = t->name + strlen(type) + 1 + strlen(target_path(t)) + 1;
	const char *name = strchr(provider, ':');

	return arena_printf(a, "%s:%s:%s:%s", type, quoted(a, target_path(t)),
			    quoted(a, arena_strndup(a, provider, (size_t)(name - provider))),
			    quoted(a, name + 1));
}

/* Points of a listing that have `names` only. */
static const char *name_line(struct arena *a, const struct attach_point *p, uint32_t i)
{
	return arena_join(a, probe_rows[p->id].name, ":", p->names[i]);
}

static const char *target_line(struct arena *a, const struct attach_point *p,
			       const struct attach_target *t)
{
	if (t->name)
		return usdt_line(a, t);
	if (t->path)
		return user_line(a, p, t);
	return arena_printf(a, "%s:%s%s%s", probe_rows[p->id].name, t->module ? t->module : "",
			    t->module ? ":" : "", t->function);
}

static const char *point_line(const struct attach_point *p)
{
	return p->is_named ? p->resolved : p->name;
}

/* A C++ name, which differs from the symbol. An address is kept. */
static bool is_demangled(const struct attach_point *p, const struct attach_target *t)
{
	return t->path && t->symbol && strcmp(t->symbol, t->function) != 0 &&
	       strstr(point_line(p), t->function);
}

/* True if each target has a line of its own. Locations within functions have none. */
static bool has_target_lines(const struct attach_point *p, const struct attach_target *t,
			     uint32_t n)
{
	bool is_user = point_has(p, ARM_USER);

	if (!n || !(t->name || t->function) || (is_user && !t->is_entry))
		return false;
	return n > 1 || p->is_listed || (p->function && pattern_is(p->function)) ||
	       (is_user && is_demangled(p, t));
}

void probe_each_line(struct arena *a, const struct attach_point *p, probe_line_fn *fn, void *ctx)
{
	uint32_t n;
	const struct attach_target *t = probe_functions(p, &n);

	for (uint32_t i = 0; i < p->n_names; i++)
		fn(name_line(a, p, i), NULL, ctx);
	if (p->n_names)
		return;
	if (!has_target_lines(p, t, n))
		return fn(point_line(p), n ? t : NULL, ctx);
	for (uint32_t i = 0; i < n; i++)
		fn(target_line(a, p, &t[i]), &t[i], ctx);
}

/* Keep of a point the lines that match. False: it has none. */
static bool keep_lines(struct arena *a, struct attach_point *p, const char *pattern)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_names; i++)
		if (pattern_matches(pattern, name_line(a, p, i)))
			p->names[n++] = p->names[i];
	if (p->n_names) {
		p->n_names = n;
		return n;
	}
	if (!has_target_lines(p, p->targets, p->n_targets))
		return pattern_matches(pattern, point_line(p));
	for (uint32_t t = 0; t < p->n_targets; t++)
		if (pattern_matches(pattern, target_line(a, p, &p->targets[t])))
			p->targets[n++] = p->targets[t];
	p->n_targets = n;
	return n;
}

uint32_t probe_keep_lines(struct arena *a, struct attach_point *points, uint32_t first, uint32_t n,
			  const char *pattern)
{
	uint32_t kept = first;

	for (uint32_t i = first; i < n; i++)
		if (keep_lines(a, &points[i], pattern))
			points[kept++] = points[i];
	return kept;
}
