/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See near_program.h.
 */
#include "cli/base/near_program.h"
#include "parser/base/arena.h"
#include "parser/base/nearest.h"
#include "runtime/base/log.h"
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* Offer the programs of a folder. `shown` is what the user writes before their names. */
static void offer_folder(struct nearest *near, struct arena *a, const char *folder,
			 const char *shown)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	char path[PATH_MAX];

	while (dir && (e = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		if (is_program(path))
			nearest_offer(near, arena_printf(a, "%s%s", shown, e->d_name));
	}
	if (dir)
		closedir(dir);
}

static void offer_path(struct nearest *near, struct arena *a)
{
	const char *path = getenv("PATH");

	while (path && *path) {
		int len = (int)strcspn(path, ":");

		offer_folder(near, a, arena_printf(a, "%.*s", len, path), "");
		path += len + (path[len] == ':');
	}
}

bool near_program_hint(const char *name)
{
	const char *slash = strrchr(name, '/');
	struct arena *a = arena_new();
	struct nearest near;
	bool is_near;

	nearest_init(&near, name);
	if (slash) {
		const char *folder = arena_strndup(a, name, (size_t)(slash + 1 - name));

		offer_folder(&near, a, folder, folder);
	} else if (is_program(name)) {
		near.best = arena_printf(a, "./%s", name);
	} else {
		offer_path(&near, a);
	}
	if (near.best)
		log_hint("did you mean '%s'?", near.best);
	is_near = near.best != NULL;
	arena_free(a);
	return is_near;
}
