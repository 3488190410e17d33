/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PROGRAM@PATTERN:FUNCTION: functions of those libraries of a program whose names match, such as
 * ./app@libc*:malloc. Libraries are those that the program needs, or that the process of -p has
 * loaded.
 */
#include "parser/attach/probe_user.h"
#include "parser/base/arena.h"
#include <errno.h>
#include <string.h>

/* No library has that name, so the lookup offers all of them. */
static const char no_library[] = "";

struct library_list {
	struct user_matching *m;
	const char *pattern;
	const char **paths;
	uint32_t n;
};

static const char *file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void take_library(const char *path, void *ctx)
{
	struct library_list *l = ctx;
	struct arena *a = l->m->r->arena;
	const char *name = file_name(path);

	if (!strstr(name, ".so") || !pattern_matches(l->pattern, name)) /* the program itself */
		return;
	for (uint32_t i = 0; i < l->n; i++)
		if (strcmp(file_name(l->paths[i]), name) == 0)
			return;
	arena_push(a, l->paths, l->n, arena_strdup(a, path));
}

int user_match_libraries(struct user_matching *m, const char *program, const char *pattern)
{
	struct library_list l = {.m = m, .pattern = pattern};
	struct kernel *k = m->r->kernel;
	struct diags *d = m->r->diags;
	const char *path;
	int err = k->user_library ? k->user_library(k, program, no_library, &path, take_library, &l)
				  : -ENOSYS;

	if (err && err != -ESRCH)
		return err;
	if (!l.n) {
		diag_error(d, m->p->span, "no-library", "%s loads no library that matches '%s'",
			   program, pattern);
		return diag_hint(d, "`ldd %s` lists the libraries it loads", program);
	}
	for (uint32_t i = 0; i < l.n && !m->status; i++) {
		err = user_match_file(m, l.paths[i]);
		m->n_files += err == 0 || err == -1;
	}
	if (m->status || m->p->n_targets || m->n_sizeless || m->n_left_out)
		return m->status;
	return diag_error(d, m->p->span, "no-match",
			  "none of the %u libraries of %s that match '%s' has a function %s'%s'",
			  l.n, program, pattern, m->is_pattern ? "that matches " : "", m->pattern);
}
