/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A struct kernel that answers from facts, which facts_read.c reads. What the file does not say
 * does not exist; of two equal facts the first counts.
 */
#include "runtime/kernel/facts_file.h"
#include "parser/base/pattern.h"
#include "parser/base/read_text.h"
#include "parser/base/text.h"
#include "runtime/base/log.h"
#include "runtime/elf/demangle.h"
#include "runtime/elf/go_abi.h"
#include "runtime/elf/ldcache.h"
#include "runtime/kernel/facts_impl.h"
#include "runtime/kernel/release.h"
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

enum { FACTS_MOST_BYTES = 64 << 20 };

/* ---- search ------------------------------------------------------------------------------- */

const struct fact *facts_next(const struct kernel *kernel, const struct fact *f,
			      enum fact_kind kind, const char *name)
{
	const struct facts *k = (const struct facts *)kernel;

	if (!k->n_facts)
		return NULL;
	f = f ? f + 1 : k->facts;
	return FIND(f, k->facts + k->n_facts - f,
		    item->kind == kind && (!name || strcmp(item->name, name) == 0));
}

static const struct fact *first(const struct kernel *k, enum fact_kind kind, const char *name)
{
	return facts_next(k, NULL, kind, name);
}

static int each_name(const struct kernel *k, enum fact_kind kind, kernel_name_fn fn, void *ctx)
{
	for (const struct fact *f = NULL; (f = facts_next(k, f, kind, NULL));)
		fn(f->name, ctx);
	return 0;
}

static int find_number(const struct kernel *k, enum fact_kind kind, const char *name,
		       uint64_t *number)
{
	const struct fact *f = first(k, kind, name);

	if (f)
		*number = f->symbol.address;
	return f ? 0 : -ENOENT;
}

/* ---- files -------------------------------------------------------------------------------- */

static bool ends_with_path(const char *path, const char *end)
{
	size_t n = strlen(path), m = strlen(end);

	return m && n > m && strcmp(path + n - m, end) == 0 &&
	       (*end == '/' || path[n - m - 1] == '/');
}

static bool is_called(const char *path, const char *written)
{
	return strcmp(path, written) == 0 || ends_with_path(path, written) ||
	       (!strchr(written, '/') && ldcache_is_library(text_base_name(path), written));
}

/* Does `written` mean the file at `path`? In a recording also by the end of the path, and by the
 * name of a library. */
static bool is_file(const struct kernel *k, const char *path, const char *written)
{
	if (strcmp(path, written) == 0)
		return true;
	if (!k->recording)
		return false;
	while (strncmp(written, "./", 2) == 0 || strncmp(written, "../", 3) == 0)
		written = strchr(written, '/') + 1;
	if (is_called(path, written))
		return true;
	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_ALIAS, path));)
		if (is_called(f->other, written))
			return true;
	return false;
}

/* The next fact of that kind about the file. */
static const struct fact *next_of_file(const struct kernel *k, const struct fact *f,
				       enum fact_kind kind, const char *written)
{
	const char *other = ""; /* one that is not meant: facts of a file follow each other */

	while ((f = facts_next(k, f, kind, NULL)) &&
	       (strcmp(f->name, other) == 0 || !is_file(k, f->name, written)))
		other = f->name;
	return f;
}

/* Of a recording, `*` stands for the files that were recorded. */
static int facts_each_user_file(struct kernel *k, const char *pattern, kernel_name_fn fn, void *ctx)
{
	const char *last = "";

	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_MAPPED, NULL));) {
		if (strcmp(f->name, last) == 0 || !pattern_matches(pattern, f->name))
			continue;
		fn(f->name, ctx);
		last = f->name;
	}
	return 0;
}

static int facts_user_symbol(struct kernel *k, const char *path, const char *symbol,
			     struct user_symbol *out)
{
	const char *found = NULL;

	for (const struct fact *f = NULL; (f = next_of_file(k, f, FACT_SYMBOL, path));) {
		found = f->name;
		if (strcmp(f->symbol.symbol, symbol) == 0) {
			*out = f->symbol;
			return 0;
		}
	}
	if (!found)
		return -ENOENT;
	out->path = found;
	return -ESRCH;
}

/* A function, or an `object`. */
static int facts_user_object(struct kernel *k, const char *path, const char *name,
			     struct user_object *out)
{
	struct user_symbol s = {0};
	int err = facts_user_symbol(k, path, name, &s);

	for (const struct fact *f = NULL; err && (f = facts_next(k, f, FACT_OBJECT, path));)
		if (strcmp(f->symbol.symbol, name) == 0) {
			s = f->symbol;
			err = 0;
		}
	*out = (struct user_object){.path = s.path, .address = s.address, .size = s.size};
	return err;
}

static int facts_each_user_function(struct kernel *k, const char *path, user_function_fn fn,
				    void *ctx)
{
	const struct fact *f = NULL;
	int err = -ENOENT;

	for (; (f = next_of_file(k, f, FACT_SYMBOL, path)); err = 0)
		fn(&f->symbol, ctx);
	return err;
}

static int facts_function_at(struct kernel *k, const char *path, uint64_t address,
			     struct user_symbol *out)
{
	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_SYMBOL, path));)
		if (address - f->symbol.address < f->symbol.size) {
			*out = f->symbol;
			return 0;
		}
	out->path = path;
	return -ESRCH;
}

static bool facts_user_is_go(struct kernel *k, const char *path)
{
	return first(k, FACT_GO, path);
}

static enum user_abi facts_user_abi(struct kernel *k, const struct user_symbol *s)
{
	const struct fact *f = first(k, FACT_GO, s->path);

	return f ? go_symbol_abi(go_version_abi(go_minor_version(f->other), EM_X86_64), s->symbol)
		 : USER_ABI_C;
}

static int facts_user_library(struct kernel *k, const char *path, const char *name,
			      const char **out, kernel_name_fn fn, void *ctx)
{
	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_LOADS, path));) {
		*out = f->other;
		if (ldcache_is_library(text_base_name(f->other), name))
			return 0;
		fn(f->other, ctx);
	}
	return -ESRCH;
}

static int facts_each_user_line(struct kernel *k, const char *path,
				const struct source_place *place, user_function_fn fn, void *ctx,
				uint32_t *near)
{
	int err = -ENODATA;

	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_SOURCE, path));) {
		if (strcmp(f->other, place->file) != 0) {
			err = err == -ENODATA ? -ENOENT : err;
		} else if (f->line != place->line) {
			*near = f->line > place->line && !*near ? f->line : *near;
			err = err && err != -ERANGE ? -ESRCH : err;
		} else if (place->column && f->column != place->column) {
			*near = f->column;
			err = err ? -ERANGE : 0;
		} else {
			fn(&f->symbol, ctx);
			err = 0;
		}
	}
	return err;
}

/* A file has debug information if there are `arguments` of any of its functions. */
static int facts_user_typed(struct kernel *k, const char *path, uint64_t offset,
			    const struct typed_function **out)
{
	struct user_symbol s;
	int err = -ENODATA;

	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_ARGUMENTS, path));
	     err = -ESRCH) {
		if (facts_user_symbol(k, path, f->typed->name, &s) || s.offset != offset)
			continue;
		*out = f->typed;
		return 0;
	}
	return err;
}

static int facts_each_usdt(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx)
{
	const struct fact *f = NULL;
	int err = next_of_file(k, NULL, FACT_SYMBOL, path) ? 0 : -ENOENT;

	for (; (f = next_of_file(k, f, FACT_USDT, path)); err = 0)
		fn(&f->note, ctx);
	return err;
}

static int facts_each_mapped(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	return each_name(k, FACT_MAPPED, fn, ctx);
}

static bool facts_user_unwinds(struct kernel *k, const char *path)
{
	const struct fact *f = NULL;

	while ((f = facts_next(k, f, FACT_SYMBOL, path)) && !f->exits)
		;
	return f;
}

/* All exits of a function were recorded as one. */
static int facts_each_user_exit(struct kernel *k, const struct user_symbol *s, user_exit_fn fn,
				void *ctx, struct user_exits *out)
{
	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_SYMBOL, s->path));) {
		if (!f->exits || strcmp(f->symbol.symbol, s->symbol) != 0)
			continue;
		fn(&(struct user_exit){.is_jump = f->exits == EXITS_JUMPS}, ctx);
		return 0;
	}
	return k->recording ? -EINVAL : -ENOSYS;
}

/* ---- the kernel --------------------------------------------------------------------------- */

static int facts_tracepoint(struct kernel *k, const char *category, const char *event,
			    const struct tp_format **out)
{
	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_TRACEPOINT, category));)
		if (strcmp(f->format->event, event) == 0) {
			*out = f->format;
			return 0;
		}
	return -ENOENT;
}

static int facts_each_tracepoint(struct kernel *k, const char *category, kernel_name_fn fn,
				 void *ctx)
{
	char name[512];

	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_TRACEPOINT, category));) {
		snprintf(name, sizeof(name), "%s:%s", f->name, f->format->event);
		fn(name, ctx);
	}
	return 0;
}

static bool facts_has_raw_tracepoint(struct kernel *k, const char *name)
{
	return first(k, FACT_RAW, name);
}

static int facts_kernel_symbol(struct kernel *k, const char *name, uint64_t *address)
{
	return find_number(k, FACT_ADDRESS, name, address);
}

static int facts_cgroup_id(struct kernel *k, const char *path, uint64_t *id)
{
	return find_number(k, FACT_CGROUP, path, id);
}

/* A function that is listed twice is two of that name. */
static int facts_kernel_function(struct kernel *k, const char *name)
{
	const struct fact *f = first(k, FACT_FUNCTION, name);

	if (!f)
		return -ENOENT;
	return k->is_thorough && facts_next(k, f, FACT_FUNCTION, name) ? -ENOTUNIQ : 0;
}

static int facts_each_kernel_function(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	return each_name(k, FACT_FUNCTION, fn, ctx);
}

static enum capability_state facts_capability(struct kernel *k, enum capability_id id)
{
	return ((struct facts *)k)->capabilities[id];
}

static int facts_iterator(struct kernel *k, const char *name, const struct kernel_iter **out)
{
	const struct fact *f = first(k, FACT_ITERATOR, name);

	if (f)
		*out = &f->iter;
	return f ? 0 : facts_capability(k, CAP_BTF) == CAPABILITY_YES ? -ENOENT : -ENOTSUP;
}

static int facts_each_iterator(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	return each_name(k, FACT_ITERATOR, fn, ctx);
}

static bool facts_kfunc_allowed(struct kernel *k, const char *name, const char *section)
{
	return first(k, FACT_KFUNC, name);
}

static uint32_t facts_version(struct kernel *k)
{
	const struct fact *f = first(k, FACT_VERSION, NULL);

	return f ? release_code(f->name) : 0;
}

static bool facts_is_recorded(struct kernel *k, const char *probe)
{
	return first(k, FACT_RECORDED, probe);
}

static int facts_each_recorded(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	return each_name(k, FACT_RECORDED, fn, ctx);
}

static uint32_t facts_n_cpus(struct kernel *k)
{
	return ((struct facts *)k)->n_cpus;
}

/* ---- opening ------------------------------------------------------------------------------ */

void facts_free(struct facts *k)
{
	arena_free(k->arena);
	free(k->text);
}

static void facts_close(struct kernel *kernel)
{
	struct facts *k = (struct facts *)kernel;

	facts_free(k);
	free(k);
}

void facts_init(struct facts *k)
{
	static const struct trace_scope everything;

	*k = (struct facts){.arena = arena_new(), .n_cpus = 1};
	k->c_types = c_types_new(k->arena);
	k->k = (struct kernel){
		.scope = &everything,
		.kernel_symbol = facts_kernel_symbol,
		.cgroup_id = facts_cgroup_id,
		.kfunc_allowed = facts_kfunc_allowed,
		.tracepoint = facts_tracepoint,
		.each_tracepoint = facts_each_tracepoint,
		.has_raw_tracepoint = facts_has_raw_tracepoint,
		.user_symbol = facts_user_symbol,
		.user_object = facts_user_object,
		.each_user_function = facts_each_user_function,
		.user_is_go = facts_user_is_go,
		.user_abi = facts_user_abi,
		.user_library = facts_user_library,
		.each_user_line = facts_each_user_line,
		.user_typed = facts_user_typed,
		.each_user_local = facts_each_local,
		.demangle = demangle,
		.user_function_at = facts_function_at,
		.each_usdt = facts_each_usdt,
		.each_mapped_file = facts_each_mapped,
		.each_kernel_function = facts_each_kernel_function,
		.kernel_function = facts_kernel_function,
		.typed = facts_typed,
		.each_typed = facts_each_typed,
		.each_bpf_function = facts_each_bpf_function,
		.iterator = facts_iterator,
		.each_iterator = facts_each_iterator,
		.c_type = facts_c_type,
		.c_constant = facts_c_constant,
		.each_c_type = facts_each_c_type,
		.capability = facts_capability,
		.is_recorded = facts_is_recorded,
		.each_recorded = facts_each_recorded,
		.each_user_file = facts_each_user_file,
		.user_unwinds = facts_user_unwinds,
		.each_user_exit = facts_each_user_exit,
		.version = facts_version,
		.n_cpus = facts_n_cpus,
		.close = facts_close,
	};
}

struct kernel *facts_text_open(char *text, const char *name)
{
	struct facts *k = calloc(1, sizeof(*k));

	if (!k)
		arena_out_of_memory();
	facts_init(k);
	k->text = text;
	if (!facts_read(k, name))
		return &k->k;
	facts_close(&k->k);
	return NULL;
}

struct kernel *facts_file_open(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t n = 0;
	char *text = file ? read_text(file, '\0', FACTS_MOST_BYTES, &n) : NULL;
	int err = errno;

	if (file)
		fclose(file);
	if (text && n == strlen(text))
		return facts_text_open(text, path);
	if (text)
		log_error("%s: not a text file", path);
	else if (err)
		log_error("cannot read '%s': %s", path, strerror(err));
	else
		log_error("%s: the file is empty", path);
	free(text);
	return NULL;
}
