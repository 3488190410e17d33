/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points of the kernel's functions: one function, or all that a pattern matches (programs'
 * are in probe_user.c). An attach point on many functions stays one: its targets share a
 * program, and `func` and `probe` say at run time which it was.
 */
#include "arena.h"
#include "diag.h"
#include "limits.h"
#include "probe_parse.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct matching {
	const struct probe_reader *r;
	struct attach_point *p;
	const char *pattern, *path;
	struct nearest nearest;
	uint32_t n_offered; /* how many there are at all */
};

static void begin_matching(struct matching *m, const struct probe_reader *r, struct attach_point *p,
			   const char *pattern)
{
	char *letters = arena_strndup(r->arena, pattern, strlen(pattern)), *to = letters;

	*m = (struct matching){.r = r, .p = p, .pattern = pattern};
	for (const char *c = pattern; *c; c++) /* what is near to the pattern's letters */
		if (*c != '*')
			*to++ = *c;
	*to = '\0';
	nearest_init(&m->nearest, letters);
}

/* The nearest name is kept: that which is offered is gone afterwards. */
static void note_nearest(struct matching *m, const char *name)
{
	const char *before = m->nearest.best;

	m->n_offered++;
	nearest_offer(&m->nearest, name);
	if (m->nearest.best != before)
		m->nearest.best = arena_strndup(m->r->arena, name, strlen(name));
}

static void add_target(const struct matching *m, struct attach_target t)
{
	arena_push(m->r->arena, m->p->targets, m->p->n_targets, t);
}

/* ---- the kernel's ------------------------------------------------------------------------ */

static void offer_kernel_function(const char *name, void *ctx)
{
	struct matching *m = ctx;
	size_t len = strcspn(name, " ");
	char word[256];
	const char *symbol;

	if (len >= sizeof(word))
		return;
	memcpy(word, name, len);
	word[len] = '\0';
	note_nearest(m, word);
	if (!probe_matches(m->pattern, word))
		return;
	symbol = arena_strndup(m->r->arena, name, len);
	add_target(m, (struct attach_target){.function = symbol, .symbol = symbol});
}

static int too_many(const struct matching *m)
{
	if (m->p->n_targets <= LIMIT_TARGETS)
		return 0;
	diag_error(m->r->diags, m->p->span, "limit-probes",
		   "%s matches %u functions, a probe can be on %d", m->pattern, m->p->n_targets,
		   LIMIT_TARGETS);
	return diag_hint(m->r->diags, "write more of the names' letters");
}

static int match_kernel_functions(const struct probe_reader *r, struct attach_point *p)
{
	struct matching m;
	int err;

	begin_matching(&m, r, p, p->function);
	err = r->kernel->each_kernel_function(r->kernel, offer_kernel_function, &m);
	if (err) {
		diag_error(r->diags, p->span, "no-functions",
			   "the kernel does not say which functions it has: %s", strerror(-err));
		return diag_hint(r->diags, "'*' takes the kernel's available_filter_functions");
	}
	if (p->n_targets)
		return too_many(&m);
	diag_error(r->diags, p->span, "no-match", "no function of this kernel matches '%s'",
		   p->function);
	if (m.nearest.best)
		diag_hint(r->diags, "did you mean %s:%s?", probe_rows[p->id].name, m.nearest.best);
	return -1;
}

int prs_kernel_function(const struct probe_reader *r, struct attach_point *p, char **parts,
			uint32_t n)
{
	struct matching m;

	if (n != 1 || !*parts[0])
		return probe_wrong_form(r, p);
	if (strchr(parts[0], '+'))
		return diag_error(r->diags, p->span, "not-built", "offsets in %s are not built yet",
				  probe_rows[p->id].name);
	p->function = arena_strndup(r->arena, parts[0], strlen(parts[0]));
	if (!r->kernel->has_feature(r->kernel, KF_KPROBE)) {
		diag_error(r->diags, p->span, "no-kprobes",
			   "this kernel has no kprobes (CONFIG_KPROBES is off)");
		return diag_hint(r->diags, "a tracepoint near the function may do");
	}
	if (strchr(p->function, '*'))
		return match_kernel_functions(r, p);
	if (r->kernel->kernel_function(r->kernel, p->function) == -ENOENT)
		return diag_error(r->diags, p->span, "unknown-function",
				  "this kernel has no function '%s'", p->function);
	begin_matching(&m, r, p, p->function);
	add_target(&m, (struct attach_target){.function = p->function, .symbol = p->function});
	return 0;
}
