/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suggestions for files, functions and variables of programs that do not exist.
 */
#include "parser/attach/near.h"
#include "parser/base/arena.h"
#include "parser/attach/probe_user.h"
#include <errno.h>
#include <string.h>

struct near_search {
	const struct probe_reader *r;
	struct nearest nearest;
};

static void offer_name(const char *name, void *ctx)
{
	struct near_search *s = ctx;

	nearest_keep(&s->nearest, s->r->arena, name);
}

static void offer_file(const char *path, void *ctx)
{
	offer_name(strrchr(path, '/') + 1, ctx);
}

void user_hint_file(const struct probe_reader *r, const char *path)
{
	struct kernel *k = r->kernel;
	struct near_search s = {.r = r};
	int n_dir = (int)(strrchr(path, '/') - path);

	if (pattern_is(path))
		return;
	nearest_init(&s.nearest, path + n_dir + 1);
	if (k->each_user_file)
		k->each_user_file(k, arena_printf(r->arena, "%.*s/*", n_dir, path), offer_file, &s);
	if (s.nearest.best)
		diag_hint(r->diags, "did you mean %.*s/%s?", n_dir, path, s.nearest.best);
	else
		diag_hint(r->diags,
			  "write the path of a program or library, or a name that is found "
			  "in $PATH: uprobe:bash:FUNCTION");
}

int user_hint_bare_name(const struct user_matching *m, const char *name)
{
	struct kernel *k = m->r->kernel;
	const char *type = probe_rows[m->p->id].name, *function = m->pattern ? m->pattern : "";
	bool is_plain = *function && !pattern_is(function);
	struct user_symbol f = {0};

	if (is_plain && k->user_symbol && k->user_symbol(k, "libc", function, &f) == 0)
		return diag_hint(m->r->diags, "'%s' is in libc: write %s:libc:%s", function, type,
				 function);
	return diag_hint(m->r->diags,
			 "no program in $PATH and no library of the dynamic linker has that name: "
			 "write its path, %s:/path/to/%s:%s",
			 type, name, is_plain ? function : "FUNCTION");
}

/* True for a source file of a compiled language. */
static bool is_source(const char *path)
{
	static const char *const ends[] = {".c", ".h", ".cc", ".cpp", ".cxx", ".rs", ".go"};
	const char *end = strrchr(path, '.');

	for (size_t i = 0; end && i < sizeof(ends) / sizeof(*ends); i++)
		if (strcmp(ends[i], end) == 0)
			return true;
	return false;
}

void user_hint_no_program(const struct probe_reader *r, const char *path)
{
	if (is_source(path))
		diag_hint(r->diags,
			  "it is source: probe the program that is made from it, as "
			  "uprobe:PROGRAM@%s:LINE or uprobe:PROGRAM:FUNCTION",
			  strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
	else
		diag_hint(r->diags,
			  "functions of scripts cannot be probed: probe the interpreter's");
}

/* ---- libraries ----------------------------------------------------------------------------- */

struct libraries {
	const struct probe_reader *r;
	const char **paths;
	uint32_t n;
};

static void keep_library(const char *path, void *ctx)
{
	struct libraries *l = ctx;
	const char *copy = arena_strdup(l->r->arena, path);

	arena_push(l->r->arena, l->paths, l->n, copy);
}

bool user_hint_library(struct user_matching *m, const char *program)
{
	struct kernel *k = m->r->kernel;
	struct libraries l = {.r = m->r};
	struct user_symbol f = {0};
	const char *none, *name;

	/* no library is named "", so the callback gets all of them */
	if (!k->user_library || k->user_library(k, program, "", &none, keep_library, &l) != -ESRCH)
		return false;
	for (uint32_t i = 0; i < l.n; i++) {
		if (k->user_symbol(k, l.paths[i], m->pattern, &f))
			continue;
		name = strrchr(l.paths[i], '/') + 1;
		if (m->nearest.best)
			diag_hint(m->r->diags,
				  "did you mean %s:%s:%s? Its library %s has %s: write %s:%s@%s:%s",
				  probe_rows[m->p->id].name, program, m->nearest.best, name,
				  m->pattern, probe_rows[m->p->id].name, program, name, m->pattern);
		else
			diag_hint(m->r->diags, "its library %s has: write %s:%s@%s:%s", name,
				  probe_rows[m->p->id].name, program, name, m->pattern);
		return true;
	}
	return false;
}

/* ---- variables ----------------------------------------------------------------------------- */

const char *user_near_variable(const struct probe_reader *r, const char *path, const char *name)
{
	struct kernel *k = r->kernel;
	struct near_search s = {.r = r};

	nearest_init(&s.nearest, name);
	if (k->each_user_object)
		k->each_user_object(k, path, offer_name, &s);
	return s.nearest.best;
}

/* ---- patterns ------------------------------------------------------------------------------ */

static void offer_words(const struct user_symbol *f, void *ctx)
{
	near_words_offer(ctx, f->symbol);
}

const char *user_near_pattern(const struct user_matching *m)
{
	struct near_words w;

	if (!near_words_init(&w, m->r->arena, m->pattern))
		return NULL;
	m->r->kernel->each_user_function(m->r->kernel, m->path, offer_words, &w);
	return near_words_pattern(&w);
}
