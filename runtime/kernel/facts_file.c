/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A struct kernel from a text file of facts, one a line:
 *	tracepoint CATEGORY:EVENT [raw]		with the lines of its tracefs format file below it
 *	raw NAME				a raw tracepoint with BTF types
 *	symbol PATH NAME ADDRESS OFFSET SIZE [exits|jump]
 *		a function in an ELF file; in recordings: its return probes were on the
 *		instructions by which it is left, one of which is a jump
 *	go PATH [VERSION]			the file was built by the Go compiler (go1.19)
 *	loads PATH LIBRARY			a library that a program loads, by its path
 *	source PATH FILE LINE SYMBOL OFFSET	where in PATH the code of a source line begins
 *	arguments PATH SYMBOL RESULT TYPE:PARAM …
 *		a function's prototype in debug information; double and struct take no word of
 *		the arguments; the location of a `lost` one is unknown; TYPE:PARAM@WORD if
 *		it is not the word behind the one before
 *	usdt PATH PROVIDER:NAME ADDRESS SEMAPHORE ARGUMENTS
 *		a location of a USDT probe; its address is also its file offset; the arguments
 *		as in the note, but separated by ';', or - for none
 *	object PATH NAME ADDRESS		a variable in an ELF file
 *	mapped PATH				a file that processes run
 *	alias PATH NAME				a link to it, or a name that scripts have for it
 *	function NAME				a function of the kernel
 *	address NAME ADDRESS			a symbol of the kernel
 *	cgroup PATH ID				a cgroup's directory
 *	kfunc NAME				a kernel function that programs may call
 *	typed MODULE NAME RESULT TYPE:PARAM …	what BTF says of it; bpf:ID: of a program's
 *	typed-raw MODULE NAME TYPE:PARAM …	a raw tracepoint's (types: set_type)
 *	iterator NAME FIELD:TYPE…		TYPE: pointer, struct.X*, u32, s64 …; from offset 0
 *	struct TAG SIZE [TYPEDEF]		of BTF, or union; the tag #N: it has none
 *	member OFFSET[:BIT:BITS] TYPE [NAME]	of the struct or union above
 *	enum TAG TYPE				TYPE: int32, uint32 …
 *	value NAME NUMBER			of the enum above
 *	typedef NAME TYPE			TYPE: as int32, string[16], struct.sock*, uint64[4]
 *	capability NAME [unknown]		an id of parser/lang/capabilities.def
 *	cpus N					possible CPUs; default 1
 *	recorded PROBE				a probe whose events a recording has: as written,
 *		or TYPE:PATH:SYMBOL of functions, usdt:PATH:PROVIDER:NAME
 *	version MAJOR.MINOR.PATCH		of Linux; default: unknown
 * Blank lines and lines that start with '#' are skipped; paths are compared as they are written.
 * What the file does not say does not exist. All of it is read at the start, so that a bad line is
 * reported before anything else happens; of two equal facts the first counts.
 */
#include "runtime/kernel/facts_file.h"
#include "parser/base/arena.h"
#include "runtime/elf/demangle.h"
#include "runtime/elf/go_abi.h"
#include "runtime/elf/ldcache.h"
#include "runtime/kernel/facts_impl.h"
#include "runtime/base/log.h"
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void facts_free_typed(struct typed_function *f)
{
	if (f)
		free(f->params);
	free(f);
}

static const struct facts *facts_of(const struct kernel *k)
{
	return (const struct facts *)k;
}

/* ---- answers ---- */

static int facts_tracepoint(struct kernel *kernel, const char *category, const char *event,
			    const struct tp_format **out)
{
	const struct facts *k = facts_of(kernel);
	const struct tp_format *format;

	for (uint32_t i = 0; i < k->facts.n; i++) {
		format = k->facts.items[i].format;
		if (k->facts.items[i].kind == FACT_TRACEPOINT && !strcmp(format->event, event) &&
		    !strcmp(format->category, category)) {
			*out = format;
			return 0;
		}
	}
	return -ENOENT;
}

static int facts_each_tracepoint(struct kernel *kernel, const char *category, kernel_name_fn fn,
				 void *ctx)
{
	const struct facts *k = facts_of(kernel);
	const struct tp_format *format;
	char name[512];

	for (uint32_t i = 0; i < k->facts.n; i++) {
		format = k->facts.items[i].format;
		if (k->facts.items[i].kind != FACT_TRACEPOINT ||
		    (category && strcmp(format->category, category)))
			continue;
		snprintf(name, sizeof(name), "%s:%s", format->category, format->event);
		fn(name, ctx);
	}
	return 0;
}

static bool has_name(const struct facts *k, enum fact_kind kind, const char *name)
{
	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == kind && !strcmp(k->facts.items[i].name, name))
			return true;
	return false;
}

static bool facts_has_raw_tracepoint(struct kernel *kernel, const char *name)
{
	return has_name(facts_of(kernel), FACT_RAW, name);
}

static int facts_user_symbol(struct kernel *kernel, const char *path, const char *symbol,
			     struct user_symbol *out)
{
	const struct facts *k = facts_of(kernel);
	const char *found = NULL;

	for (uint32_t i = 0; i < k->facts.n; i++) {
		if (k->facts.items[i].kind != FACT_SYMBOL ||
		    !facts_is_file(k, k->facts.items[i].symbol.path, path))
			continue;
		found = k->facts.items[i].symbol.path;
		if (!strcmp(k->facts.items[i].symbol.symbol, symbol)) {
			*out = k->facts.items[i].symbol;
			return 0;
		}
	}
	if (!found)
		return -ENOENT;
	out->path = found;
	return -ESRCH;
}

/* A function, or an `object`. */
static int facts_user_object(struct kernel *kernel, const char *path, const char *name,
			     struct user_object *out)
{
	const struct facts *k = facts_of(kernel);
	struct user_symbol s = {0};
	int err = facts_user_symbol(kernel, path, name, &s);

	for (uint32_t i = 0; i < k->facts.n && err; i++)
		if (k->facts.items[i].kind == FACT_OBJECT &&
		    !strcmp(k->facts.items[i].symbol.path, path) &&
		    !strcmp(k->facts.items[i].symbol.symbol, name)) {
			s = k->facts.items[i].symbol;
			err = 0;
		}
	*out = (struct user_object){.path = s.path, .address = s.address, .size = s.size};
	return err;
}

static int facts_each_user_function(struct kernel *kernel, const char *path, user_function_fn fn,
				    void *ctx)
{
	const struct facts *k = facts_of(kernel);
	int err = -ENOENT;

	for (uint32_t i = 0; i < k->facts.n; i++) {
		if (k->facts.items[i].kind != FACT_SYMBOL ||
		    !facts_is_file(k, k->facts.items[i].symbol.path, path))
			continue;
		fn(&k->facts.items[i].symbol, ctx);
		err = 0;
	}
	return err;
}

static bool facts_user_is_go(struct kernel *kernel, const char *path)
{
	return has_name(facts_of(kernel), FACT_GO, path);
}

static enum user_abi facts_user_abi(struct kernel *kernel, const struct user_symbol *s)
{
	const struct fact *f = facts_of(kernel)->facts.items, *end = f + facts_of(kernel)->facts.n;

	for (; f < end; f++)
		if (f->kind == FACT_GO && !strcmp(f->name, s->path))
			return go_symbol_abi(go_version_abi(go_minor_version(f->other), EM_X86_64),
					     s->symbol);
	return USER_ABI_C;
}

static int facts_user_library(struct kernel *kernel, const char *path, const char *name,
			      const char **out, kernel_name_fn fn, void *ctx)
{
	const struct facts *k = facts_of(kernel);

	for (uint32_t i = 0; i < k->facts.n; i++) {
		const struct fact *f = &k->facts.items[i];
		const char *slash;

		if (f->kind != FACT_LOADS || strcmp(f->name, path))
			continue;
		slash = strrchr(f->other, '/');
		*out = f->other;
		if (ldcache_is_library(slash ? slash + 1 : f->other, name))
			return 0;
		fn(f->other, ctx);
	}
	return -ESRCH;
}

static int facts_each_user_line(struct kernel *kernel, const char *path,
				const struct source_place *place, user_function_fn fn, void *ctx,
				uint32_t *near)
{
	const struct facts *k = facts_of(kernel);
	int err = -ENODATA;

	for (uint32_t i = 0; i < k->facts.n; i++) {
		const struct fact *f = &k->facts.items[i];

		if (f->kind != FACT_SOURCE || strcmp(f->symbol.path, path))
			continue;
		if (strcmp(f->other, place->file)) {
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
static int facts_user_typed(struct kernel *kernel, const char *path, uint64_t offset,
			    const struct typed_function **out)
{
	const struct facts *k = facts_of(kernel);
	struct user_symbol s;
	int err = -ENODATA;

	for (uint32_t i = 0; i < k->facts.n; i++) {
		const struct fact *f = &k->facts.items[i];

		if (f->kind != FACT_ARGUMENTS || strcmp(f->typed->module, path))
			continue;
		err = -ESRCH;
		if (facts_user_symbol(kernel, path, f->typed->name, &s) || s.offset != offset)
			continue;
		*out = f->typed;
		return 0;
	}
	return err;
}

static bool facts_demangle(struct kernel *kernel, const char *symbol, bool with_parameters,
			   char *out, size_t size)
{
	(void)kernel;
	return demangle(symbol, with_parameters, out, size);
}

static int facts_each_kernel_function(struct kernel *kernel, kernel_name_fn fn, void *ctx)
{
	const struct facts *k = facts_of(kernel);

	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == FACT_FUNCTION)
			fn(k->facts.items[i].name, ctx);
	return 0;
}

static const struct typed_function *typed_at(const struct facts *k, uint32_t i,
					     enum typed_kind kind)
{
	enum fact_kind expected = kind == TYPED_FUNCTION ? FACT_TYPED : FACT_TYPED_RAW;

	return k->facts.items[i].kind == expected ? k->facts.items[i].typed : NULL;
}

static int facts_typed(struct kernel *kernel, enum typed_kind kind, const char *module,
		       const char *name, const struct typed_function **out)
{
	const struct facts *k = facts_of(kernel);
	bool has_module = !module;
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->facts.n; i++) {
		const struct typed_function *f = typed_at(k, i, kind);
		bool in_module = f && (!module || !strcmp(module, f->module));

		has_module |= in_module;
		if (!in_module || f->prog_id || strcmp(f->name, name))
			continue;
		*out = f;
		if (module || !strcmp(f->module, "vmlinux"))
			return 0;
		n++;
	}
	return n == 1 ? 0 : n ? -ENOTUNIQ : has_module ? -ENOENT : -ESRCH;
}

static int facts_each_typed(struct kernel *kernel, enum typed_kind kind, const char *module,
			    kernel_name_fn fn, void *ctx)
{
	const struct facts *k = facts_of(kernel);
	char text[512];

	for (uint32_t i = 0; i < k->facts.n; i++) {
		const struct typed_function *f = typed_at(k, i, kind);

		if (!f || f->prog_id || (module && strcmp(module, f->module)))
			continue;
		snprintf(text, sizeof(text), "%s [%s]", f->name, f->module);
		fn(strcmp(f->module, "vmlinux") ? text : f->name, ctx);
	}
	return 0;
}

static int facts_each_bpf_function(struct kernel *kernel, typed_function_fn fn, void *ctx)
{
	const struct facts *k = facts_of(kernel);

	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == FACT_TYPED && k->facts.items[i].typed->prog_id)
			fn(k->facts.items[i].typed, ctx);
	return 0;
}

static int facts_function_at(struct kernel *kernel, const char *path, uint64_t address,
			     struct user_symbol *out)
{
	const struct facts *k = facts_of(kernel);

	for (uint32_t i = 0; i < k->facts.n; i++) {
		const struct user_symbol *s = &k->facts.items[i].symbol;

		if (k->facts.items[i].kind == FACT_SYMBOL && !strcmp(s->path, path) &&
		    address - s->address < s->size) {
			*out = *s;
			return 0;
		}
	}
	out->path = path;
	return -ESRCH;
}

static bool has_file(const struct facts *k, const char *path)
{
	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == FACT_SYMBOL &&
		    facts_is_file(k, k->facts.items[i].symbol.path, path))
			return true;
	return false;
}

static int facts_each_usdt(struct kernel *kernel, const char *path, usdt_note_fn fn, void *ctx)
{
	const struct facts *k = facts_of(kernel);
	int err = has_file(k, path) ? 0 : -ENOENT;

	for (uint32_t i = 0; i < k->facts.n; i++) {
		if (k->facts.items[i].kind != FACT_USDT ||
		    !facts_is_file(k, k->facts.items[i].note.path, path))
			continue;
		fn(&k->facts.items[i].note, ctx);
		err = 0;
	}
	return err;
}

static int facts_each_mapped(struct kernel *kernel, kernel_name_fn fn, void *ctx)
{
	const struct facts *k = facts_of(kernel);

	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == FACT_MAPPED)
			fn(k->facts.items[i].name, ctx);
	return 0;
}

static enum capability_state facts_capability(struct kernel *kernel, enum capability_id id)
{
	return facts_of(kernel)->capabilities[id];
}

static uint32_t facts_n_cpus(struct kernel *k)
{
	return facts_of(k)->n_cpus ? facts_of(k)->n_cpus : 1;
}

void facts_free(struct facts *k)
{
	for (uint32_t i = 0; i < k->facts.n; i++) {
		if (k->facts.items[i].kind == FACT_TRACEPOINT)
			free(k->facts.items[i].format);
		if (k->facts.items[i].kind == FACT_TYPED ||
		    k->facts.items[i].kind == FACT_TYPED_RAW ||
		    k->facts.items[i].kind == FACT_ARGUMENTS)
			facts_free_typed(k->facts.items[i].typed);
		if (k->facts.items[i].kind == FACT_ITERATOR)
			free(k->facts.items[i].iter.fields);
	}
	vec_free(&k->facts);
	vec_free(&k->aliases);
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
	*k = (struct facts){0};
	k->k = (struct kernel){
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
		.demangle = facts_demangle,
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

	if (!k) {
		log_error("out of memory");
		free(text);
		return NULL;
	}
	facts_init(k);
	k->text = text;
	if (!facts_read(k, name))
		return &k->k;
	facts_close(&k->k);
	return NULL;
}

struct kernel *facts_file_open(const char *path)
{
	char *text = NULL;

	if (!facts_read_text(path, &text))
		return facts_text_open(text, path);
	free(text);
	return NULL;
}
