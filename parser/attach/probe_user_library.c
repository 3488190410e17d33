/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PROGRAM@PATTERN:FUNCTION: functions of those libraries of a program whose names match, such as
 * ./app@libc*:malloc. Libraries are those that the program needs, or that the process of -p has
 * loaded.
 */
#include "parser/attach/probe_user.h"
#include "parser/base/text.h"

struct library_list {
	struct arena *arena;
	const char **paths;
	uint32_t n;
};

static void keep_library(const char *path, void *ctx)
{
	struct library_list *l = ctx;

	arena_push(l->arena, l->paths, l->n, arena_strdup(l->arena, path));
}

int user_libraries(const struct probe_reader *r, const char *program, const char ***paths,
		   uint32_t *n)
{
	struct library_list l = {.arena = r->arena, .paths = *paths, .n = *n};
	struct kernel *k = r->kernel;
	const char *none;
	int err = -ENOSYS;

	if (k->user_library) /* no library is named "", so all of them are offered */
		err = k->user_library(k, program, "", &none, keep_library, &l);
	*paths = l.paths;
	*n = l.n;
	return err == -ESRCH ? 0 : err;
}

/* Keep the libraries whose names match, one of each name; the program itself is none. */
static uint32_t keep_matching(const char **paths, uint32_t n, const char *pattern)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *name = text_base_name(paths[i]);
		uint32_t k = 0;

		if (!strstr(name, ".so") || !pattern_matches(pattern, name))
			continue;
		while (k < kept && strcmp(text_base_name(paths[k]), name) != 0)
			k++;
		if (k == kept)
			paths[kept++] = paths[i];
	}
	return kept;
}

int user_match_libraries(struct user_matching *m, const char *program, const char *pattern)
{
	struct diags *d = m->r->diags;
	const char **paths = NULL;
	uint32_t n = 0;
	int err = user_libraries(m->r, program, &paths, &n);

	if (err)
		return err;
	n = keep_matching(paths, n, pattern);
	if (!n) {
		diag_error(d, m->p->span, "no-library", "%s loads no library that matches '%s'",
			   program, pattern);
		return diag_hint(d, "`ldd %s` lists the libraries it loads", program);
	}
	for (uint32_t i = 0; i < n && !m->status; i++) {
		err = user_match_file(m, paths[i]);
		m->n_files += err == 0 || err == -1;
	}
	if (m->status || m->p->n_targets || m->n_sizeless || m->n_left_out)
		return m->status;
	return diag_error(d, m->p->span, "no-match",
			  "none of the %u libraries of %s that match '%s' has a function %s'%s'", n,
			  program, pattern, m->is_pattern ? "that matches " : "", m->pattern);
}
