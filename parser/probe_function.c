/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points of functions, the kernel's and programs': one function, or all that a pattern
 * matches. An attach point on many functions stays one: its targets share a
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

/* ---- programs' --------------------------------------------------------------------------- */

static void offer_symbol(const struct user_symbol *f, void *ctx)
{
	note_nearest(ctx, f->symbol);
}

static int no_symbol(const struct matching *m)
{
	const struct attach_point *p = m->p;

	if (m->n_offered == 0) {
		diag_error(m->r->diags, p->span, "no-symbols", "%s names no functions: it is stripped",
			   m->path);
		return diag_hint(m->r->diags, "install its debug symbols, or build it without -s");
	}
	if (strchr(m->pattern, '*'))
		diag_error(m->r->diags, p->span, "no-match", "%s has no function that matches '%s'",
			   m->path, m->pattern);
	else
		diag_error(m->r->diags, p->span, "unknown-symbol", "%s has no function '%s'", m->path,
			   m->pattern);
	if (m->nearest.best)
		diag_hint(m->r->diags, "did you mean '%s'?", m->nearest.best);
	return -1;
}

static int no_binary(const struct probe_reader *r, const struct attach_point *p, const char *path,
		     int err)
{
	return diag_error(r->diags, p->span, "no-binary", "cannot probe '%s': %s", path,
			  err == -ENOEXEC ? "not an ELF program or library" : strerror(-err));
}

/* The OFF of SYMBOL+OFF, decimal or 0x…; the text is cut at the '+'. 0 or -1, said. */
static int read_offset(const struct probe_reader *r, const struct attach_point *p, char *symbol,
		       uint64_t *out)
{
	char *plus = strchr(symbol, '+'), *end;

	*out = 0;
	if (!plus)
		return 0;
	*plus++ = '\0';
	errno = 0;
	*out = strtoull(plus, &end, 0);
	if (*plus < '0' || *plus > '9' || *end || errno) {
		diag_error(r->diags, p->span, "bad-offset", "'%s' is not an offset", plus);
		return diag_hint(r->diags, "write %s+16 or %s+0x10", symbol, symbol);
	}
	if (p->id == PROBE_UPROBE)
		return 0;
	diag_error(r->diags, p->span, "bad-offset", "%s has no offsets: it fires when the function returns",
		   probe_rows[p->id].name);
	return diag_hint(r->diags, "write uprobe:… to probe inside the function");
}

static int one_function(const struct matching *m, const struct user_symbol *f, uint64_t offset)
{
	const struct attach_point *p = m->p;

	if (f->is_entry && p->id == PROBE_URETPROBE) {
		diag_error(m->r->diags, p->span, "no-return",
			   "%s is where the program begins: it never returns", f->symbol);
		return diag_hint(m->r->diags, "main is the first function that does");
	}
	if (offset && f->size && offset >= f->size) {
		diag_error(m->r->diags, p->span, "bad-offset",
			   "%s+%llu is not in the function, it has %llu bytes", f->symbol,
			   (unsigned long long)offset, (unsigned long long)f->size);
		return diag_hint(m->r->diags, "the offset is that of an instruction in the function");
	}
	add_target(m, (struct attach_target){.function = f->symbol, .symbol = f->symbol,
					     .path = f->path, .offset = f->offset + offset});
	m->p->function = f->symbol;
	m->p->name = offset ? arena_printf(m->r->arena, "%s:%s:%s+%llu", probe_rows[p->id].name,
					   f->path, f->symbol, (unsigned long long)offset)
			    : arena_printf(m->r->arena, "%s:%s:%s", probe_rows[p->id].name, f->path,
					   f->symbol);
	return 0;
}

static void offer_user_function(const struct user_symbol *f, void *ctx)
{
	struct matching *m = ctx;
	struct arena *a = m->r->arena;
	const char *symbol;

	m->path = f->path;
	note_nearest(m, f->symbol);
	if ((f->is_entry && m->p->id == PROBE_URETPROBE) || !probe_matches(m->pattern, f->symbol))
		return;
	symbol = arena_strndup(a, f->symbol, strlen(f->symbol));
	add_target(m, (struct attach_target){.function = symbol, .symbol = symbol, .path = f->path,
					     .offset = f->offset});
}

/* By place; of several names of one place the plainest comes first: fewer bars, fewer letters. */
static int by_place(const void *x, const void *y)
{
	const struct attach_target *a = x, *b = y;
	size_t bars_a = strspn(a->symbol, "_"), bars_b = strspn(b->symbol, "_");

	if (a->path != b->path && strcmp(a->path, b->path) != 0)
		return strcmp(a->path, b->path);
	if (a->offset != b->offset)
		return a->offset < b->offset ? -1 : 1;
	if (bars_a != bars_b)
		return bars_a < bars_b ? -1 : 1;
	if (strlen(a->symbol) != strlen(b->symbol))
		return strlen(a->symbol) < strlen(b->symbol) ? -1 : 1;
	return strcmp(a->symbol, b->symbol);
}

/* A function with two names must not fire twice. */
static void once_a_place(struct attach_point *p)
{
	uint32_t n = 0;

	qsort(p->targets, p->n_targets, sizeof(*p->targets), by_place);
	for (uint32_t i = 0; i < p->n_targets; i++)
		if (!n || p->targets[n - 1].offset != p->targets[i].offset ||
		    strcmp(p->targets[n - 1].path, p->targets[i].path) != 0)
			p->targets[n++] = p->targets[i];
	p->n_targets = n;
}

static int match_user_functions(const struct probe_reader *r, struct attach_point *p,
				const char *path, const char *pattern)
{
	struct matching m;
	int err;

	p->function = arena_strndup(r->arena, pattern, strlen(pattern));
	begin_matching(&m, r, p, p->function);
	m.path = path;
	err = r->kernel->each_user_function(r->kernel, path, offer_user_function, &m);
	if (err)
		return no_binary(r, p, path, err);
	if (!p->n_targets)
		return no_symbol(&m);
	once_a_place(p);
	p->name = arena_printf(r->arena, "%s:%s:%s", probe_rows[p->id].name, m.path, p->function);
	p->pattern = p->name;
	return too_many(&m);
}

int prs_user_symbol(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	struct user_symbol f = {0};
	struct matching m;
	uint64_t offset;
	int err;

	if (n != 2 || !*parts[0] || !*parts[1])
		return probe_wrong_form(r, p);
	if (read_offset(r, p, parts[1], &offset))
		return -1;
	if (strchr(parts[1], '*'))
		return match_user_functions(r, p, parts[0], parts[1]);
	begin_matching(&m, r, p, parts[1]);
	err = r->kernel->user_symbol(r->kernel, parts[0], parts[1], &f);
	if (err == -ESRCH) {
		m.path = f.path;
		r->kernel->each_user_function(r->kernel, f.path, offer_symbol, &m);
		return no_symbol(&m);
	}
	if (err)
		return no_binary(r, p, parts[0], err);
	return one_function(&m, &f, offset);
}
