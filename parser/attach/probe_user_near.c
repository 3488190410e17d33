/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suggestions for files, functions and variables of programs that do not exist.
 */
#include "parser/attach/near.h"
#include "parser/base/text.h"
#include "parser/attach/probe_user.h"

static void offer_file(const char *path, void *near)
{
	nearest_offer(near, strrchr(path, '/') + 1);
}

void user_hint_file(const struct probe_reader *r, const char *path)
{
	struct kernel *k = r->kernel;
	struct nearest near;
	int n_dir = (int)(strrchr(path, '/') - path);

	if (pattern_is(path))
		return;
	nearest_init(&near, path + n_dir + 1);
	near.arena = r->arena;
	if (k->each_user_file)
		k->each_user_file(k, arena_printf(r->arena, "%.*s/*", n_dir, path), offer_file,
				  &near);
	if (near.best)
		diag_hint(r->diags, "did you mean %.*s/%s?", n_dir, path, near.best);
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

	return end && TEXT_IS_IN(ends, end, strlen(end));
}

void user_hint_no_program(const struct probe_reader *r, const char *path)
{
	if (is_source(path))
		diag_hint(r->diags,
			  "it is source: probe the program that is made from it, as "
			  "uprobe:PROGRAM@%s:LINE or uprobe:PROGRAM:FUNCTION",
			  text_base_name(path));
	else
		diag_hint(r->diags,
			  "functions of scripts cannot be probed: probe the interpreter's");
}

/* ---- libraries ----------------------------------------------------------------------------- */

bool user_hint_library(struct user_matching *m, const char *program)
{
	struct kernel *k = m->r->kernel;
	struct user_symbol f = {0};
	const char **paths = NULL, *name;
	uint32_t n = 0;

	if (user_libraries(m->r, program, &paths, &n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		if (k->user_symbol(k, paths[i], m->pattern, &f))
			continue;
		name = text_base_name(paths[i]);
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

const char *user_near_variable(struct kernel *k, struct arena *a, const char *path,
			       const char *name)
{
	struct nearest near;

	nearest_init(&near, name);
	near.arena = a;
	if (k->each_user_object)
		k->each_user_object(k, path, nearest_offer_name, &near);
	return near.best;
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
