/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: functions of the files that a pattern names. The file's name goes up to the last ':' and may
 * be a pattern itself: *, ?, [ ].
 */
#define _GNU_SOURCE
#include "../parser/kernel.h"
#include "../parser/rust_name.h"
#include "list_impl.h"
#include "log.h"
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct file_listing {
	struct listing *l;
	const char *symbol; /* a pattern */
	bool is_cpp;	    /* of names as people write them */
};

/* What is near: names as people write them, where the compiler's are others. */
static void compare_symbol(const struct file_listing *fl, const struct user_symbol *f)
{
	struct kernel *k = fl->l->kernel;
	char before[1024], plain[1024];
	bool is_cpp = k->demangle && k->demangle(k, f->symbol, false, plain, sizeof(plain));

	snprintf(before, sizeof(before), "%s:%s:%s", fl->l->type, f->path, is_cpp ? "cpp:" : "");
	list_near_compare(fl->l, before, fl->symbol, is_cpp ? plain : f->symbol, false);
}

/* Behind a line's end stands the place of its function, which -lv asks for. */

/* PATH:cpp:"ns::f(int)"; a pattern without '(' is one of names without parameters. */
static void offer_cpp(const struct file_listing *fl, const struct user_symbol *f)
{
	struct kernel *k = fl->l->kernel;
	char shown[1024], plain[1024];
	char *line = NULL;

	if (!k->demangle || !k->demangle(k, f->symbol, true, shown, sizeof(shown)) ||
	    !k->demangle(k, f->symbol, false, plain, sizeof(plain)))
		return;
	if (fnmatch(fl->symbol, strchr(fl->symbol, '(') ? shown : plain, 0) != 0 &&
	    (!rust_name_plain(plain) || fnmatch(fl->symbol, plain, 0) != 0))
		return;
	if (asprintf(&line, "%s:%s:cpp:\"%s\"%c%" PRIx64, fl->l->type, f->path, shown, '\0', f->offset) < 0)
		line = NULL;
	list_keep(fl->l, line);
}

static void offer_symbol(const struct user_symbol *f, void *ctx)
{
	struct file_listing *fl = ctx;
	char *line = NULL;

	if (fl->l->near)
		return compare_symbol(fl, f);
	if (fl->is_cpp)
		return offer_cpp(fl, f);
	if (fnmatch(fl->symbol, f->symbol, 0) != 0)
		return;
	if (asprintf(&line, "%s:%s:%s%c%" PRIx64, fl->l->type, f->path, f->symbol, '\0', f->offset) < 0)
		line = NULL;
	list_keep(fl->l, line);
}

/* Of many files those that are no programs are passed over. */
static void list_file(struct file_listing *fl, const char *path, bool is_only)
{
	struct kernel *k = fl->l->kernel;
	int err = k->each_user_function(k, path, offer_symbol, fl);

	if (err && (is_only || err == -ENOMEM))
		list_refuse(fl->l, "cannot list functions of '%s': %s", path,
			    err == -ENOEXEC ? "not an ELF program or library"
			    : err == -ENOENT && !strchr(path, '/')
				    ? "no program in $PATH and no library that the dynamic linker "
				      "finds has that name"
				    : strerror(-err));
}

static void list_files(struct file_listing *fl, const char *pattern)
{
	glob_t found = {0};
	int err = glob(pattern, 0, NULL, &found);

	if (err == GLOB_NOMATCH)
		list_refuse(fl->l, "no file matches '%s'", pattern);
	else if (err)
		list_refuse(fl->l, "cannot read what '%s' matches", pattern);
	for (size_t i = 0; !err && i < found.gl_pathc; i++)
		list_file(fl, found.gl_pathv[i], false);
	globfree(&found);
}

/* A module: the last ':' that is no half of a "::". */
static const char *last_colon(const char *s)
{
	const char *at = NULL;

	for (const char *c = s; *c; c++)
		if (c[0] == ':' && c[1] == ':')
			c++;
		else if (c[0] == ':')
			at = c;
	return at;
}

/* Cut ":cpp" or ":rust" off the path; a name may be quoted then. */
static void read_language(struct file_listing *fl, char *path, char *symbol)
{
	size_t len = strlen(symbol);
	char *language = strrchr(path, ':');

	fl->is_cpp = strstr(symbol, "::");
	if (!language || (strcmp(language, ":cpp") != 0 && strcmp(language, ":rust") != 0))
		return;
	*language = '\0';
	fl->is_cpp = true;
	if (len > 1 && symbol[0] == '"' && symbol[len - 1] == '"') {
		symbol[len - 1] = '\0';
		fl->symbol = symbol + 1;
	}
}

void lst_symbols(struct listing *l)
{
	const char *colon = l->rest ? last_colon(l->rest) : NULL;
	char *path, *symbol = strdup(colon && colon[1] ? colon + 1 : "*");
	struct file_listing fl = {.l = l, .symbol = symbol};

	if (!l->rest || !*l->rest || strcmp(l->rest, "*") == 0) {
		free(symbol);
		return list_refuse(l, "of which file? Write %s:PATH, %s:PATH:NAME", l->type, l->type);
	}
	path = colon ? strndup(l->rest, (size_t)(colon - l->rest)) : strdup(l->rest);
	if (path && symbol) {
		read_language(&fl, path, symbol);
		if (strpbrk(path, "*?["))
			list_files(&fl, path);
		else
			list_file(&fl, path, true);
	} else {
		list_keep(l, NULL);
	}
	free(path);
	free(symbol);
}

/* ---- -lv ----------------------------------------------------------------------------------- */

/* Said once, of the first file. */
static void say_untyped(struct listing *l, const char *path, int err)
{
	if (l->is_untyped_said)
		return;
	l->is_untyped_said = true;
	if (err == -ENOSYS)
		log_warning("types are left out: the library libdw, which reads them, is not here");
	else
		log_warning("types are left out: %s has no debug information; build it with -g, or install "
			    "its debug symbols",
			    path);
}

static const struct typed_function *type_of(struct listing *l, const char *name)
{
	size_t len = strlen(name), n = last_colon(name) ? (size_t)(last_colon(name) - name) : len;
	uint64_t offset = strtoull(name + len + 1, NULL, 16);
	const struct typed_function *f = NULL;
	char *path = strndup(name, n);
	int err;

	if (!path) {
		list_keep(l, NULL);
		return NULL;
	}
	if (n > 4 && name[n + 1] == '"' && memcmp(name + n - 4, ":cpp", 4) == 0)
		path[n - 4] = '\0';
	err = l->kernel->user_typed ? l->kernel->user_typed(l->kernel, path, offset, &f) : -ENOSYS;
	if (err && err != -ESRCH)
		say_untyped(l, path, err);
	free(path);
	return err ? NULL : f;
}

void fld_symbol(struct listing *l, const char *name, FILE *out)
{
	const struct typed_function *f = type_of(l, name);

	for (uint32_t i = 0; f && i < f->n_params; i++)
		list_field(&f->params[i], f->params[i].name, out);
}

/* What a return probe is given by entry(args.NAME), and `retval`. */
void fld_symbol_result(struct listing *l, const char *name, FILE *out)
{
	const struct typed_function *f = type_of(l, name);

	for (uint32_t i = 0; f && i < f->n_params; i++)
		list_field(&f->params[i], f->params[i].name, out);
	if (f)
		list_field(&f->result, f->result.size ? "retval" : "", out);
}
