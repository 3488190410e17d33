/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks of struct kernel about the code of user functions: instruction boundaries, source
 * lines, parameters. Returns are in kernel_exits.c.
 */
#include "runtime/dwarf/cfa.h"
#include "runtime/kernel/dwarf_layout.h"
#include "runtime/elf/elfsym.h"
#include "runtime/insn/insn.h"
#include "runtime/kernel/kernel_user.h"
#include <elf.h>
#include <unistd.h>

enum { CODE_MAX = 4 << 20, BLIND_MAX = 64 << 10 };

uint8_t *code_read(struct kernel *k, const struct user_symbol *f, uint64_t size, size_t *n)
{
	uint8_t *code;

	if (kernel_user_open(k, f->path) || size > CODE_MAX)
		return NULL;
	code = malloc(size + 1);
	if (code)
		*n = elfsym_read(kernel_user_files(k)->elf, f->offset, code, size);
	return code;
}

int code_instruction(struct kernel *k, const struct user_symbol *f, uint64_t offset,
		     uint64_t *before)
{
	size_t n = 0, at = 0;
	uint8_t *code = code_read(k, f, f->size ? f->size : offset + BLIND_MAX, &n);
	struct insn i = {0};
	int err = code ? 0 : -E2BIG;

	*before = 0;
	if (!err && elfsym_machine(kernel_user_files(k)->elf) == EM_AARCH64) {
		*before = offset & ~3ull; /* all instructions have four bytes */
		free(code);
		return offset & 3 ? -EINVAL : 0;
	}
	while (!err && at < offset) {
		err = insn_decode(elfsym_machine(kernel_user_files(k)->elf), code + at, n - at, &i);
		if (!err)
			*before = at;
		at += i.length;
	}
	if (!err && at > offset)
		err = -EINVAL;
	else if (!err)
		err = insn_decode(elfsym_machine(kernel_user_files(k)->elf), code + at, n - at, &i);
	else if (err == -EINVAL)
		err = -ENOEXEC; /* not all of it is code */
	free(code);
	return err;
}

/* ---- lines --------------------------------------------------------------------------------- */

struct line_places {
	VEC(uint64_t) addresses;
	int err;
};

static void note_address(uint64_t address, void *ctx)
{
	struct line_places *p = ctx;

	p->err = p->err ?: vec_push(&p->addresses, address);
}

/* The compiler splits the code of a line: report its first location in each function. -EFAULT: the
 * file has no function at any of the addresses, as when the debug information is another file's. */
static int call_places(struct kernel *k, struct line_places *p, user_function_fn fn, void *ctx)
{
	struct user_files *u = kernel_user_files(k);
	uint64_t last = UINT64_MAX, start, size;
	bool is_found = false;
	const char *name;

	vec_sort(&p->addresses);
	for (size_t i = 0; i < p->addresses.n; i++) {
		struct user_symbol s = {.path = u->path, .address = p->addresses.items[i]};

		if (!elfsym_function_at(u->elf, s.address, &name, &start, &size) || start == last ||
		    !elfsym_vaddr_to_file(u->elf, s.address, &s.offset))
			continue;
		last = start;
		s.symbol = name;
		fn(&s, ctx);
		is_found = true;
	}
	return is_found ? 0 : -EFAULT;
}

int code_each_line(struct kernel *k, const char *path, const struct source_place *place,
		   user_function_fn fn, void *ctx, uint32_t *near)
{
	struct line_places p = {0};
	int err = kernel_user_open(k, path), fd;

	if (err)
		return err;
	fd = elfsym_open_dwarf(kernel_user_files(k)->elf, kernel_user_files(k)->path);
	if (fd < 0)
		return fd;
	err = srcline_each(fd, place, note_address, &p, near);
	close(fd);
	err = err ?: p.err;
	if (!err)
		err = call_places(k, &p, fn, ctx);
	vec_free(&p.addresses);
	return err;
}

/* ---- types --------------------------------------------------------------------------------- */

/* Open the debug information of the file itself, or of its debug file. 0 or -errno. */
static int need_types(struct kernel *k, const char *path)
{
	struct user_files *u = kernel_user_files(k);
	int err = kernel_user_open(k, path), fd;

	if (err || u->types || u->types_err)
		return err ?: u->types_err;
	if (!u->arena)
		u->arena = arena_new();
	fd = elfsym_open_dwarf(u->elf, u->path);
	if (fd < 0)
		u->types_err = fd;
	else
		u->types = dwarf_types_open(fd, &u->types_err);
	if (u->types)
		dwarf_types_make(u->types, dwarf_layout_of, u->path);
	return u->types_err;
}

int code_function_types(struct kernel *k, const char *path, uint64_t offset,
			const struct typed_function **out)
{
	struct user_files *u = kernel_user_files(k);
	int err = need_types(k, path);
	uint64_t address;

	if (err)
		return err;
	if (!elfsym_file_to_vaddr(u->elf, offset, &address))
		return -ESRCH;
	return dwarf_types_find(u->types, address, u->arena, out);
}

/* A caller of code_each_local(). */
struct local_call {
	struct user_files *files;
	uint64_t address;
	user_local_fn *fn;
	void *ctx;
};

static void call_local(const struct user_local *found, void *ctx)
{
	const struct local_call *c = ctx;
	struct user_local l = *found;
	struct cfa cfa;

	for (uint32_t i = 0; i < l.n_ops; i++) {
		if (l.ops[i].step != LOCAL_CFA)
			continue;
		if (!code_cfa(c->files, c->address, &cfa))
			l.state = LOCAL_UNKNOWN;
		else
			l.ops[i] = (struct local_op){LOCAL_REGISTER, (uint32_t)cfa.reg, cfa.offset};
	}
	c->fn(&l, c->ctx);
}

int code_each_local(struct kernel *k, const char *path, uint64_t offset, user_local_fn *fn,
		    void *ctx)
{
	struct local_call c = {.files = kernel_user_files(k), .fn = fn, .ctx = ctx};
	int err = need_types(k, path);

	if (err)
		return err;
	if (!elfsym_file_to_vaddr(c.files->elf, offset, &c.address))
		return -ESRCH;
	return dwarf_types_locals(c.files->types, c.address, c.files->arena, call_local, &c);
}

int code_c_type(struct kernel *k, const char *path, const char *name, const struct type **out)
{
	struct user_files *u = kernel_user_files(k);
	int err = need_types(k, path);

	if (err)
		return err;
	*out = dwarf_types_named(u->types, name, arena_strdup(u->arena, path), u->arena);
	return *out ? 0 : -ESRCH;
}
