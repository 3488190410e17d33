/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: functions of programs and libraries. What the pattern names is looked for as a probe's would
 * be (parser/probe_user*.c): PATH:NAME, where the path may be a pattern, PATH@LIBRARY:NAME, and
 * with -p or -c NAME alone, of that program. '?' and [ ] count, too. With -p and no file, or '*'
 * for it, all is listed that the process has mapped.
 */
#define _GNU_SOURCE
#include "parser/base/arena.h"
#include "parser/attach/cpp_name.h"
#include "parser/base/diag.h"
#include "parser/attach/probe_user.h"
#include "runtime/list/list_impl.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 8192 };

struct file_listing {
	struct listing *l;
	struct user_matching m; /* of functions' names */
	struct probe_reader reader;
	struct diags diags;
	bool is_glob;	/* the pattern has more than '*' */
	bool is_shared; /* of many files: those that are no programs are passed over */
	uint32_t n_files;
	uint32_t n_offered; /* names of the file at hand */
};

/* What is near: names as people write them, where the compiler's are others. */
static void compare_symbol(const struct file_listing *fl, const struct user_symbol *f)
{
	struct kernel *k = fl->l->kernel;
	char before[1024], plain[1024];
	bool is_cpp = k->demangle && k->demangle(k, f->symbol, false, plain, sizeof(plain));

	snprintf(before, sizeof(before), "%s:%s:%s", fl->l->type, f->path, is_cpp ? "cpp:" : "");
	list_near_compare(fl->l, before, fl->m.pattern, is_cpp ? plain : f->symbol, false);
}

void list_keep_function(struct listing *l, const struct user_symbol *f, const char *shown)
{
	const char *before = shown ? "cpp:\"" : "", *name = shown ? shown : f->symbol;
	char *line = NULL;

	if (asprintf(&line, "%s:%s:%s%s%s%c%" PRIx64 "%c%s", l->type, f->path, before, name,
		     shown ? "\"" : "", '\0', f->offset, '\0', f->symbol) < 0)
		line = NULL;
	list_keep(l, line);
}

/* Does a pattern with more than '*' match what people call it? */
static bool glob_matches(const struct file_listing *fl, const char *shown)
{
	char name[NAME_SIZE];

	if (fl->m.has_parameters || !fl->is_glob)
		return fl->is_glob && fnmatch(fl->m.pattern, shown, 0) == 0;
	snprintf(name, sizeof(name), "%.*s", (int)cpp_name_split(shown).name, shown);
	return fnmatch(fl->m.pattern, name, 0) == 0;
}

/* A C++ name is shown as people write it where the pattern is one of such names. */
static void offer_symbol(const struct user_symbol *f, void *ctx)
{
	struct file_listing *fl = ctx;
	const char *pattern = fl->m.pattern;
	struct kernel *k = fl->l->kernel;
	char shown[NAME_SIZE];
	bool is_symbol;

	fl->n_offered++;
	if (fl->l->near)
		return compare_symbol(fl, f);
	is_symbol = fnmatch(pattern, f->symbol, 0) == 0;
	if (is_symbol && !fl->m.is_demangled)
		return list_keep_function(fl->l, f, NULL);
	if (!is_symbol && !fl->is_glob && !user_name_matches(&fl->m, f->symbol))
		return;
	if (!k->demangle || !k->demangle(k, f->symbol, true, shown, sizeof(shown))) {
		if (is_symbol)
			list_keep_function(fl->l, f, NULL);
	} else if (user_name_matches(&fl->m, f->symbol) || glob_matches(fl, shown)) {
		list_keep_function(fl->l, f, shown);
	}
}

static void say_stripped(struct file_listing *fl, const char *path)
{
	list_refuse(fl->l, "%s names no functions: it is stripped", path);
	if (!fl->l->near)
		fputs("hint: install its debug symbols, or build it without -s\n", stderr);
}

static void list_file(struct file_listing *fl, const char *path)
{
	struct kernel *k = fl->l->kernel;
	int err;

	fl->n_offered = 0;
	err = k->each_user_function(k, path, offer_symbol, fl);
	fl->n_files++;
	if (!err && !fl->n_offered && !fl->is_shared)
		return say_stripped(fl, path);
	if (err && (!fl->is_shared || err == -ENOMEM))
		list_refuse(fl->l, "cannot list functions of '%s': %s", path,
			    err == -ENOEXEC ? "not an ELF program or library"
			    : err == -ENOENT && !strchr(path, '/')
				    ? "no program in $PATH and no library that the dynamic linker "
				      "finds has that name"
				    : strerror(-err));
}

static void list_found_file(const char *path, void *ctx)
{
	list_file(ctx, path);
}

static void list_files(struct file_listing *fl, const char *pattern)
{
	struct kernel *k = fl->l->kernel;
	int err;

	if (k->pid && strcmp(pattern, "*") == 0)
		return list_mapped_files(fl->l, list_found_file, fl);
	err = k->each_user_file(k, pattern, list_found_file, fl);
	if (err)
		list_refuse(fl->l, "cannot read what '%s' matches: %s", pattern, strerror(-err));
	else if (!fl->n_files)
		list_refuse(fl->l, "no file matches '%s'", pattern);
}

/* ---- what a probe's reader says ------------------------------------------------------------ */

static void say_diags(struct file_listing *fl)
{
	for (uint32_t i = 0; i < fl->diags.n && !fl->l->near; i++) {
		list_refuse(fl->l, "%s", fl->diags.items[i].msg);
		if (fl->diags.items[i].hint)
			fprintf(stderr, "hint: %s\n", fl->diags.items[i].hint);
	}
}

/* One place that has no name of its own: an address, or a line of the source. */
static void list_place(struct file_listing *fl, char *path, const char *name)
{
	char *parts[] = {path, arena_strdup(fl->reader.arena, name)};
	struct attach_point *p = fl->m.p;
	char *line = NULL;

	if (fl->l->near)
		return;
	if (probe_rows[p->id].parse(&fl->reader, p, parts, 2))
		return say_diags(fl);
	if (asprintf(&line, "%s%c%" PRIx64 "%c%s", p->name, '\0', p->targets[0].offset, '\0',
		     p->targets[0].symbol) < 0)
		line = NULL;
	list_keep(fl->l, line);
}

/* The '@' of PROGRAM@LIBRARY; a file of the whole name comes before what it may mean. */
static char *find_at(struct kernel *k, char *path)
{
	struct user_symbol f = {0};
	char *at = strpbrk(path, "*?[") ? NULL : strrchr(path, '@');

	return at && at != path && at[1] && k->user_symbol(k, path, "", &f) == -ENOENT ? at : NULL;
}

static void list_library(struct file_listing *fl, char *program, char *at)
{
	const char *path;

	*at = '\0';
	path = user_library_path(&fl->m, program, at + 1);
	if (path)
		list_file(fl, path);
	else
		say_diags(fl);
}

/* PATH:NAME, PATH@LIBRARY:NAME, PATH@FILE:LINE, PATH:0x1234 */
static void list_path(struct file_listing *fl, char *path, const char *name)
{
	char *at = find_at(fl->l->kernel, path);

	if (*name >= '0' && *name <= '9' && (!at || !strstr(at, ".so")))
		return list_place(fl, path, name);
	if (at)
		return list_library(fl, path, at);
	fl->is_shared = strpbrk(path, "*?[");
	if (fl->is_shared)
		list_files(fl, path);
	else
		list_file(fl, path);
}

/* ---- what is asked for --------------------------------------------------------------------- */

/* What -p or -c names, of which NAME is a function; NULL: nothing, or NAME is a file. */
static char *traced_program(struct arena *a, struct kernel *k, const char *name)
{
	struct user_symbol f = {0};

	if ((!k->pid && !k->program) || strchr(name, '/'))
		return NULL;
	if (!strpbrk(name, "*?[") && k->user_symbol(k, name, "", &f) != -ENOENT)
		return NULL;
	return k->pid ? arena_printf(a, "/proc/%u/exe", k->pid) : arena_strdup(a, k->program);
}

static void ask_names(struct file_listing *fl, const char *name)
{
	const char *behind = user_behind_language(name);

	user_name_query(&fl->m, probe_without(fl->reader.arena, behind, '"'));
	fl->m.is_demangled = behind != name || strstr(behind, "::");
	fl->is_glob = strpbrk(fl->m.pattern, "?[");
}

static void list_functions(struct file_listing *fl)
{
	struct listing *l = fl->l;
	struct arena *a = fl->reader.arena;
	const char *rest = l->rest ? l->rest : "", *colon = user_path_end(rest);
	bool is_all = !*rest || strcmp(rest, "*") == 0;
	char *path = arena_strndup(a, rest, colon ? (size_t)(colon - rest) : strlen(rest));
	char *program = is_all || colon ? NULL : traced_program(a, l->kernel, rest);

	if (is_all && l->kernel->pid)
		path = arena_strdup(a, "*");
	else if (is_all && l->kernel->program)
		path = arena_strdup(a, l->kernel->program);
	else if (is_all || !*path)
		return list_refuse(l, "of which file? Write %s:PATH, %s:PATH:NAME", l->type,
				   l->type);
	ask_names(fl, program ? rest : colon && colon[1] ? colon + 1 : "*");
	list_path(fl, program ? program : probe_without(a, path, '"'), fl->m.pattern);
}

void lst_symbols(struct listing *l)
{
	struct file_listing fl = {.l = l};
	struct attach_point p = {.id = (enum probe_id)l->probe};
	struct arena *a = arena_new();

	fl.diags.arena = a;
	fl.reader = (struct probe_reader){a, &fl.diags, l->kernel, false};
	fl.m.r = &fl.reader;
	fl.m.p = &p;
	list_functions(&fl);
	arena_free(a);
}

/* ---- -lv ----------------------------------------------------------------------------------- */

/* Said once, of the first file. */
static void say_untyped(struct listing *l, const char *path, int err)
{
	if (l->is_untyped_reported)
		return;
	l->is_untyped_reported = true;
	if (err == -ENOSYS)
		log_warning("types are left out: the library libdw, which reads them, is not here");
	else
		log_warning(
			"types are left out: %s has no debug information; build it with -g, or install "
			"its debug symbols",
			path);
}

static const struct typed_function *type_of(struct listing *l, const char *name)
{
	const char *colon = user_path_end(name);
	uint64_t offset = strtoull(name + strlen(name) + 1, NULL, 16);
	const struct typed_function *f = NULL;
	char *path = colon ? strndup(name, (size_t)(colon - name)) : NULL;
	int err;

	if (!path)
		return NULL;
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
