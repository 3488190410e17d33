/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The facts about symbols, cgroups, kernel functions and the version; the text of a file of facts.
 */
#define _GNU_SOURCE
#include "runtime/kernel/facts_impl.h"
#include "parser/base/pattern.h"
#include "parser/base/read_text.h"
#include "runtime/base/log.h"
#include "runtime/elf/ldcache.h"
#include "runtime/kernel/release.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FACTS_MOST_BYTES = 256 << 20 };

static int find(struct kernel *kernel, enum fact_kind kind, const char *name, uint64_t *number)
{
	const struct facts *k = (const struct facts *)kernel;

	for (uint32_t i = 0; i < k->facts.n; i++) {
		const struct fact *f = &k->facts.items[i];

		if (f->kind != kind || strcmp(f->symbol.symbol, name) != 0)
			continue;
		*number = f->symbol.address;
		return 0;
	}
	return -ENOENT;
}

int facts_kernel_symbol(struct kernel *k, const char *name, uint64_t *address)
{
	return find(k, FACT_ADDRESS, name, address);
}

/* A function that is listed twice is two of that name. */
int facts_kernel_function(struct kernel *kernel, const char *name)
{
	const struct facts *k = (const struct facts *)kernel;
	int n = 0;

	for (uint32_t i = 0; i < k->facts.n; i++)
		n += k->facts.items[i].kind == FACT_FUNCTION &&
		     strcmp(k->facts.items[i].name, name) == 0;
	return !n ? -ENOENT : n > 1 && kernel->is_thorough ? -ENOTUNIQ : 0;
}

int facts_cgroup_id(struct kernel *k, const char *path, uint64_t *id)
{
	return find(k, FACT_CGROUP, path, id);
}

bool facts_kfunc_allowed(struct kernel *kernel, const char *name, const char *section)
{
	const struct facts *k = (const struct facts *)kernel;

	(void)section;
	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == FACT_KFUNC &&
		    strcmp(k->facts.items[i].name, name) == 0)
			return true;
	return false;
}

uint32_t facts_version(struct kernel *kernel)
{
	const struct facts *k = (const struct facts *)kernel;

	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == FACT_VERSION)
			return release_code(k->facts.items[i].name);
	return 0;
}

bool facts_is_recorded(struct kernel *kernel, const char *probe)
{
	const struct facts *k = (const struct facts *)kernel;

	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == FACT_RECORDED &&
		    strcmp(k->facts.items[i].name, probe) == 0)
			return true;
	return false;
}

int facts_each_recorded(struct kernel *kernel, kernel_name_fn fn, void *ctx)
{
	const struct facts *k = (const struct facts *)kernel;

	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == FACT_RECORDED)
			fn(k->facts.items[i].name, ctx);
	return 0;
}

/* ---- files --------------------------------------------------------------------------------- */

static bool ends_with_path(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return m && n > m && strcmp(path + n - m, end) == 0 &&
	       (*end == '/' || path[n - m - 1] == '/');
}

bool facts_read_alias(struct facts *k, char **words, uint32_t n, const char **wrong)
{
	if (strcmp(words[0], "alias") != 0)
		return false;
	if (n != 3)
		*wrong = "write alias PATH NAME";
	else if (vec_push(&k->aliases, ((struct fact_alias){.path = words[1], .name = words[2]})))
		*wrong = "there is no memory for it";
	return true;
}

static bool is_called(const char *path, const char *written)
{
	const char *slash = strrchr(path, '/');

	return strcmp(path, written) == 0 || ends_with_path(path, written) ||
	       (!strchr(written, '/') && ldcache_is_library(slash ? slash + 1 : path, written));
}

bool facts_is_file(const struct facts *k, const char *path, const char *written)
{
	if (strcmp(path, written) == 0)
		return true;
	if (!k->k.recording)
		return false;
	while (strncmp(written, "./", 2) == 0 || strncmp(written, "../", 3) == 0)
		written = strchr(written, '/') + 1;
	for (uint32_t i = 0; i < k->aliases.n; i++)
		if (strcmp(k->aliases.items[i].path, path) == 0 &&
		    is_called(k->aliases.items[i].name, written))
			return true;
	return is_called(path, written);
}

/* Of a recording, `*` stands for the files that were recorded. */
int facts_each_user_file(struct kernel *kernel, const char *pattern, kernel_name_fn fn, void *ctx)
{
	const struct facts *k = (const struct facts *)kernel;
	const char *last = "";

	for (uint32_t i = 0; i < k->facts.n; i++) {
		const struct fact *f = &k->facts.items[i];

		if (f->kind != FACT_MAPPED || strcmp(f->name, last) == 0 ||
		    !pattern_matches(pattern, f->name))
			continue;
		fn(f->name, ctx);
		last = f->name;
	}
	return 0;
}

/* ---- exits of functions -------------------------------------------------------------------- */

bool facts_user_unwinds(struct kernel *kernel, const char *path)
{
	const struct facts *k = (const struct facts *)kernel;

	for (uint32_t i = 0; i < k->facts.n; i++) {
		const struct fact *f = &k->facts.items[i];

		if (f->kind == FACT_SYMBOL && f->exits && strcmp(f->symbol.path, path) == 0)
			return true;
	}
	return false;
}

/* All exits of a function were recorded as one. */
int facts_each_user_exit(struct kernel *kernel, const struct user_symbol *s, user_exit_fn fn,
			 void *ctx, struct user_exits *out)
{
	const struct facts *k = (const struct facts *)kernel;

	(void)out;
	for (uint32_t i = 0; i < k->facts.n; i++) {
		const struct fact *f = &k->facts.items[i];

		if (f->kind != FACT_SYMBOL || !f->exits || strcmp(f->symbol.path, s->path) != 0 ||
		    strcmp(f->symbol.symbol, s->symbol) != 0)
			continue;
		fn(&(struct user_exit){.is_jump = f->exits == EXITS_JUMPS}, ctx);
		return 0;
	}
	return k->k.recording ? -EINVAL : -ENOSYS;
}

int facts_read_text(const char *path, char **out)
{
	FILE *file = fopen(path, "re");
	size_t n = 0;
	int err = -1;

	if (!file) {
		log_error("cannot read '%s': %s", path, strerror(errno));
		return -1;
	}
	*out = read_text(file, '\0', FACTS_MOST_BYTES, &n);
	if (!*out && errno)
		log_error("cannot read '%s': %s", path, strerror(errno));
	else if (!*out)
		log_error("%s: the file is empty", path);
	else if (n != strlen(*out))
		log_error("%s: not a text file", path);
	else
		err = 0;
	fclose(file);
	return err;
}
