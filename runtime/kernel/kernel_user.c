/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks of struct kernel about programs and libraries. Only the file used last is open. Code
 * and lines are in kernel_code.c, paths in user_path.c.
 */
#include "runtime/kernel/kernel_user.h"
#include "runtime/dwarf/cfa.h"
#include "runtime/elf/demangle.h"
#include "runtime/elf/names.h"
#include "runtime/elf/elfsym.h"
#include "runtime/elf/user_path.h"

void kernel_user_trim(struct user_files *u)
{
	dwarf_types_close(u->types);
	u->types = NULL;
	u->types_err = 0;
	cfa_close(u->cfa);
	u->cfa = NULL;
	u->cfa_err = 0;
	elfsym_close(u->elf);
	u->elf = NULL;
	u->given = u->path = NULL;
}

void kernel_user_close(struct user_files *u)
{
	kernel_user_trim(u);
	vec_free(&u->switches);
	string_set_free(&u->names);
	arena_free(u->arena);
	u->arena = NULL;
}

int kernel_user_open(struct kernel *k, const char *given)
{
	struct user_files *u = kernel_user_files(k);
	char path[PATH_MAX];
	int err;

	if (u->elf && (!strcmp(u->given, given) || !strcmp(u->path, given)))
		return 0;
	kernel_user_trim(u);
	err = user_path_find(k->scope->pid, given, path);
	if (err)
		return err;
	u->given = string_set_intern(&u->names, given);
	u->path = string_set_intern(&u->names, path);
	if (!u->given || !u->path)
		return -ENOMEM;
	u->elf = elfsym_open(path, &err);
	if (u->elf)
		return 0;
	return err == -EISDIR ? -ENOEXEC : err;
}

static int user_symbol(struct kernel *k, const char *path, const char *symbol,
		       struct user_symbol *out)
{
	struct user_files *u = kernel_user_files(k);
	struct user_symbol found = {0};
	int err = kernel_user_open(k, path);

	if (err)
		return err;
	found.path = u->path;
	err = elfsym_by_name(u->elf, symbol, &found.address, &found.offset, &found.size);
	if (err == -ESRCH)
		out->path = found.path;
	if (err)
		return err;
	found.is_entry = elfsym_is_entry(u->elf, found.address);
	found.is_ifunc = elfsym_is_ifunc(u->elf, symbol);
	found.symbol = string_set_intern(&u->names, symbol);
	if (!found.symbol)
		return -ENOMEM;
	*out = found;
	return 0;
}

struct function_call {
	struct elfsym *elf;
	const char *path;
	user_function_fn fn;
	void *ctx;
};

static void call_function(const char *name, uint64_t vaddr, uint64_t file_offset, uint64_t size,
			  void *ctx)
{
	const struct function_call *c = ctx;
	struct user_symbol s = {.path = c->path,
				.symbol = name,
				.address = vaddr,
				.offset = file_offset,
				.size = size,
				.is_entry = elfsym_is_entry(c->elf, vaddr)};

	c->fn(&s, c->ctx);
}

static int each_user_function(struct kernel *k, const char *path, user_function_fn fn, void *ctx)
{
	struct user_files *u = kernel_user_files(k);
	struct function_call c = {.fn = fn, .ctx = ctx};
	int err = kernel_user_open(k, path);

	c.path = u->path;
	c.elf = u->elf;
	return err ? err : elfsym_each_function(u->elf, call_function, &c);
}

struct name_call {
	kernel_name_fn fn;
	void *ctx;
};

static void call_name(const char *name, uint64_t vaddr, uint64_t file_offset, uint64_t size,
		      void *ctx)
{
	const struct name_call *c = ctx;

	c->fn(name, c->ctx);
}

static int each_user_object(struct kernel *k, const char *path, kernel_name_fn fn, void *ctx)
{
	struct name_call c = {fn, ctx};
	int err = kernel_user_open(k, path);

	return err ? err : elfsym_each_object(kernel_user_files(k)->elf, call_name, &c);
}

static int each_user_file(struct kernel *k, const char *pattern, kernel_name_fn fn, void *ctx)
{
	return user_path_each(k->scope->pid, pattern, fn, ctx);
}

static int user_library(struct kernel *k, const char *path, const char *name, const char **out,
			kernel_name_fn fn, void *ctx)
{
	char found[PATH_MAX];
	int err = user_path_library(k->scope->pid, path, name, found, fn, ctx);

	if (err)
		return err;
	*out = string_set_intern(&kernel_user_files(k)->names, found);
	return *out ? 0 : -ENOMEM;
}

static int user_function_at(struct kernel *k, const char *path, uint64_t address,
			    struct user_symbol *out)
{
	struct user_files *u = kernel_user_files(k);
	int err = kernel_user_open(k, path);
	const char *name;

	if (err)
		return err;
	out->path = u->path;
	if (!elfsym_vaddr_to_file(u->elf, address, &out->offset))
		return -EFAULT;
	if (!elfsym_function_at(u->elf, address, &name, &out->address, &out->size))
		return -ESRCH;
	out->offset -= address - out->address;
	out->is_entry = elfsym_is_entry(u->elf, out->address);
	out->symbol = string_set_intern(&u->names, name);
	return out->symbol ? 0 : -ENOMEM;
}

/* What was made by Go, and what unwinds, is cached for one file: patterns ask for each function. */
static const struct go_file *go_of(struct kernel *k, const char *path)
{
	static const struct go_file none = {0};
	struct user_files *u = kernel_user_files(k);

	if (kernel_user_open(k, path))
		return &none;
	if (u->go_of != u->path) {
		u->go_of = u->path;
		go_file_read(u->elf, &u->go);
	}
	return &u->go;
}

static bool user_is_go(struct kernel *k, const char *path)
{
	return go_of(k, path)->abi != USER_ABI_C;
}

/* With cgo, what is outside of Go's code is C. */
static enum user_abi user_abi(struct kernel *k, const struct user_symbol *f)
{
	const struct go_file *go = go_of(k, f->path);

	if (go->end && f->address - go->start >= go->end - go->start)
		return USER_ABI_C;
	return go_symbol_abi(go->abi, f->symbol);
}

static bool user_unwinds(struct kernel *k, const char *path)
{
	struct user_files *u = kernel_user_files(k);

	if (kernel_user_open(k, path))
		return false;
	if (u->unwinds_of != u->path) {
		u->unwinds_of = u->path;
		u->unwinds = elfsym_unwinds(u->elf);
	}
	return u->unwinds;
}

void kernel_user_init(struct kernel *k)
{
	k->user_symbol = user_symbol;
	k->each_user_function = each_user_function;
	k->each_user_object = each_user_object;
	k->each_user_file = each_user_file;
	k->user_library = user_library;
	k->user_function_at = user_function_at;
	k->user_instruction = code_instruction;
	k->each_user_exit = code_each_exit;
	k->user_is_go = user_is_go;
	k->user_abi = user_abi;
	k->user_unwinds = user_unwinds;
	k->user_switches = kernel_user_switches;
	k->each_user_line = code_each_line;
	k->user_typed = code_function_types;
	k->each_user_local = code_each_local;
	k->user_c_type = code_c_type;
	k->demangle = demangle;
}
