/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the libraries of a program, as the dynamic linker would load them: those that it needs,
 * those that these need, and so on, and the dynamic linker itself, which is musl's C library. They
 * are searched for in the run paths of the file, $LD_LIBRARY_PATH, the linker's cache and the
 * default directories. Libraries that are loaded with dlopen() are known only for a running
 * process.
 */
#include "runtime/elf/elfsym.h"
#include "parser/base/find.h"
#include "runtime/elf/ldcache.h"
#include "runtime/elf/user_path.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LIBRARIES_MAX = 1024 };

struct loading {
	uint32_t pid;
	const char *root;
	char *paths[LIBRARIES_MAX]; /* in the order of loading; [0] is the program */
	size_t n, at;		    /* paths[at] is being read */
	uint16_t machine;	    /* of the program */
	char rpath[PATH_MAX], runpath[PATH_MAX];
};

/* Expand $LIB, and $ORIGIN, which is the directory of `file`. */
static void expand(const char *text, const char *file, char out[PATH_MAX])
{
	const char *slash = strrchr(file, '/');
	size_t n = 0;

	for (; *text && n < PATH_MAX - 1; text++) {
		const char *with = NULL;
		size_t skip = 0;
		int len = 0;

		if (strncmp(text, "$ORIGIN", 7) == 0 || strncmp(text, "${ORIGIN}", 9) == 0) {
			with = file;
			len = slash ? (int)(slash - file) : 0;
			skip = text[1] == '{' ? 9 : 7;
		} else if (strncmp(text, "$LIB", 4) == 0 || strncmp(text, "${LIB}", 6) == 0) {
			with = "lib/" LDCACHE_MULTIARCH;
			len = (int)strlen(with);
			skip = text[1] == '{' ? 6 : 4;
		}
		if (!with) {
			out[n++] = *text;
			continue;
		}
		n += (size_t)snprintf(out + n, PATH_MAX - n, "%.*s", len, with);
		n = n < PATH_MAX ? n : PATH_MAX - 1;
		text += skip - 1;
	}
	out[n] = '\0';
}

/* The path as seen from below the root. */
static const char *below_root(const struct loading *l, const char *path)
{
	size_t len = strlen(l->root);

	return len && strncmp(path, l->root, len) == 0 ? path + len : path;
}

static void note_paths(enum elfsym_needed kind, const char *text, void *ctx)
{
	struct loading *l = ctx;
	const char *file = below_root(l, l->paths[l->at]);

	if (kind == ELFSYM_RPATH)
		expand(text, file, l->rpath);
	else if (kind == ELFSYM_RUNPATH)
		expand(text, file, l->runpath);
}

static int look_for(const struct loading *l, const char *name, char out[PATH_MAX])
{
	char found[PATH_MAX];

	if (strchr(name, '/'))
		return user_path_find(l->pid, name, out);
	if (!(!*l->runpath && !ldcache_in_dirs(l->root, l->rpath, name, found)) &&
	    !(!*l->root && !ldcache_in_dirs("", getenv("LD_LIBRARY_PATH"), name, found)) &&
	    ldcache_in_dirs(l->root, l->runpath, name, found) &&
	    ldcache_search(l->root, l->machine, name, false, found))
		return -ENOENT;
	return user_path_find(l->pid, found, out);
}

static void note_needed(enum elfsym_needed kind, const char *name, void *ctx)
{
	struct loading *l = ctx;
	char path[PATH_MAX];

	if ((kind != ELFSYM_NEEDED && kind != ELFSYM_INTERPRETER) || l->n == LIBRARIES_MAX ||
	    look_for(l, name, path) || FIND(l->paths, l->n, strcmp(*item, path) == 0))
		return;
	l->paths[l->n] = strdup(path);
	l->n += l->paths[l->n] != NULL;
}

static int load(struct loading *l)
{
	struct elfsym *e;
	int err = 0;

	l->runpath[0] = '\0';
	if (l->at == 0)
		l->rpath[0] = '\0'; /* the RPATH of the program applies to its libraries, too */
	e = elfsym_open(l->paths[l->at], &err);
	if (!e)
		return err;
	if (l->at == 0)
		l->machine = elfsym_machine(e);
	elfsym_each_needed(e, note_paths, l);
	elfsym_each_needed(e, note_needed, l);
	elfsym_close(e);
	return 0;
}

static int load_all(struct loading *l, const char *path, const char *name, char out[PATH_MAX])
{
	int err = user_path_find(l->pid, path, out);

	if (err)
		return err;
	l->paths[0] = strdup(out);
	l->n = l->paths[0] != NULL;
	for (; l->at < l->n; l->at++) {
		err = load(l);
		if (err && l->at == 0)
			return err;
		if (l->at && ldcache_is_library(strrchr(l->paths[l->at], '/') + 1, name))
			return snprintf(out, PATH_MAX, "%s", l->paths[l->at]) < PATH_MAX ? 0
											 : -ESRCH;
	}
	return -ESRCH;
}

int user_path_library(uint32_t pid, const char *path, const char *name, char out[PATH_MAX],
		      user_path_fn *fn, void *ctx)
{
	char root[PATH_MAX];
	struct loading *l;
	int err;

	if (pid && !user_path_mapped(pid, name, out, NULL, NULL))
		return 0;
	l = calloc(1, sizeof(*l));
	if (!l)
		return -ENOMEM;
	user_path_root(pid, root);
	l->pid = pid;
	l->root = root;
	err = load_all(l, path, name, out);
	for (size_t i = 1; err == -ESRCH && i < l->n; i++)
		fn(l->paths[i], ctx);
	if (err == -ESRCH && pid) /* also search the libraries that dlopen() has loaded */
		user_path_mapped(pid, name, out, fn, ctx);
	for (size_t i = 0; i < l->n; i++)
		free(l->paths[i]);
	free(l);
	return err;
}
