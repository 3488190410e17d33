/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks of struct kernel about the code of user functions: instruction boundaries, returns,
 * source lines, parameters.
 */
#include "parser/base/arena.h"
#include "runtime/base/vec.h"
#include "runtime/elf/dwarf_types.h"
#include "runtime/elf/elfsym.h"
#include "runtime/elf/insn.h"
#include "runtime/kernel/kernel_user.h"
#include "runtime/elf/srcline.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_MAX = 4 << 20, BLIND_MAX = 64 << 10 };

/* The first `size` bytes of f's code, fewer at the end of the file. */
static uint8_t *read_code(struct kernel *k, const struct user_symbol *f, uint64_t size, size_t *n)
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
	uint8_t *code = read_code(k, f, f->size ? f->size : offset + BLIND_MAX, &n);
	struct insn i = {0};
	int err = code ? 0 : -E2BIG;

	*before = 0;
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

/* The exits of a function: of its main range, and of its .cold part, found by jumps there. */
struct ways_out {
	struct kernel *k;
	const struct user_symbol *f;
	struct user_symbol cold; /* size 0: none */
	bool has_tail;		 /* a jump to another function */
	user_place_fn fn;	 /* NULL: only check */
	void *ctx;
};

static bool is_within(const struct user_symbol *f, uint64_t address)
{
	return address - f->address < f->size;
}

static void note_jump_out(struct ways_out *w, uint64_t to)
{
	struct elfsym *elf = kernel_user_files(w->k)->elf;
	uint64_t start, size;
	const char *name;

	if (is_within(w->f, to) || is_within(&w->cold, to))
		return;
	if (!w->cold.size && elfsym_function_at(elf, to, &name, &start, &size) &&
	    strstr(name, ".cold") && elfsym_vaddr_to_file(elf, start, &w->cold.offset)) {
		w->cold.path = w->f->path;
		w->cold.address = start;
		w->cold.size = size;
		return;
	}
	w->has_tail = true;
}

/* Visit the instructions of a range. 0, or -errno if some of it cannot be decoded. */
static int each_way_out(struct ways_out *w, const struct user_symbol *range)
{
	uint16_t machine = elfsym_machine(kernel_user_files(w->k)->elf);
	struct insn i = {0};
	bool after_place = false;
	size_t n = 0;
	uint8_t *code = read_code(w->k, range, range->size, &n);
	int err = code ? 0 : -EINVAL;

	for (size_t at = 0; !err && at < n; at += i.length) {
		err = insn_decode(machine, code + at, n - at, &i);
		if (err)
			break;
		if (i.is_return && w->fn)
			w->fn(range->offset - w->f->offset + at, w->ctx);
		if (i.is_jump)
			note_jump_out(w, range->address + at + (uint64_t)i.target);
		if (i.is_indirect && !i.is_table && !after_place)
			w->has_tail = true;
		after_place = i.makes_target;
	}
	free(code);
	return err;
}

int code_each_return(struct kernel *k, const struct user_symbol *f, user_place_fn fn, void *ctx)
{
	struct ways_out w = {.k = k, .f = f};
	int err;

	if (!f->size || kernel_user_open(k, f->path))
		return -EINVAL;
	/* Check all of it first: data between instructions makes earlier results unreliable. */
	err = each_way_out(&w, f);
	if (!err && w.cold.size)
		err = each_way_out(&w, &w.cold);
	if (err)
		return err;
	w.fn = fn;
	w.ctx = ctx;
	each_way_out(&w, f);
	if (w.cold.size)
		each_way_out(&w, &w.cold);
	return w.has_tail;
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

static int by_value(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

/* The compiler splits the code of a line: report its first location in each function. -EFAULT: the
 * file has no function at any of the addresses, as when the debug information is another file's. */
static int call_places(struct kernel *k, struct line_places *p, user_function_fn fn, void *ctx)
{
	struct user_files *u = kernel_user_files(k);
	uint64_t last = UINT64_MAX, start, size;
	bool is_found = false;
	const char *name;

	qsort(p->addresses.items, p->addresses.n, sizeof(*p->addresses.items), by_value);
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

int code_each_line(struct kernel *k, const char *path, const char *source, uint32_t line,
		   user_function_fn fn, void *ctx, uint32_t *near_line)
{
	struct line_places p = {0};
	int err = kernel_user_open(k, path), fd;

	if (err)
		return err;
	err = srcline_each(elfsym_fd(kernel_user_files(k)->elf, false), source, line, note_address,
			   &p, near_line);
	fd = elfsym_fd(kernel_user_files(k)->elf, true);
	if (err == -ENODATA && fd >= 0)
		err = srcline_each(fd, source, line, note_address, &p, near_line);
	err = err ?: p.err;
	if (!err)
		err = call_places(k, &p, fn, ctx);
	vec_free(&p.addresses);
	return err;
}

/* ---- types --------------------------------------------------------------------------------- */

/* Open the debug information of the file itself, or of its debug file. */
static void need_types(struct user_files *u)
{
	uint16_t machine = elfsym_machine(u->elf);
	int fd = elfsym_fd(u->elf, true);

	if (u->types || u->types_err)
		return;
	if (!u->arena)
		u->arena = arena_new();
	u->types = dwarf_types_open(elfsym_fd(u->elf, false), machine, &u->types_err);
	if (u->types_err == -ENODATA && fd >= 0)
		u->types = dwarf_types_open(fd, machine, &u->types_err);
}

int code_function_types(struct kernel *k, const char *path, uint64_t offset,
			const struct typed_function **out)
{
	struct user_files *u = kernel_user_files(k);
	int err = kernel_user_open(k, path);
	uint64_t address;

	if (err)
		return err;
	need_types(u);
	if (!u->types)
		return u->types_err;
	if (!elfsym_file_to_vaddr(u->elf, offset, &address))
		return -ESRCH;
	return dwarf_types_find(u->types, address, u->arena, out);
}
