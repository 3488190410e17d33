/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers about the code of functions: where instructions begin, which return, which lines they are
 * of. See parser/kernel.h.
 */
#include "elfsym.h"
#include "insn.h"
#include "kernel_user.h"
#include "srcline.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CODE_MAX = 4 << 20, BLIND_MAX = 64 << 10 };

/* The first `size` bytes of f's code; fewer when the file is short. */
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

int code_each_return(struct kernel *k, const struct user_symbol *f, user_place_fn fn, void *ctx)
{
	struct insn i = {0};
	size_t n = 0;
	uint8_t *code;
	int err = 0;

	if (!f->size)
		return -EINVAL;
	code = read_code(k, f, f->size, &n);
	if (!code)
		return -EINVAL;
	/* All of it first: a part that is no code makes doubtful what came before. */
	for (size_t at = 0; !err && at < n; at += i.length)
		err = insn_decode(elfsym_machine(kernel_user_files(k)->elf), code + at, n - at, &i);
	for (size_t at = 0; !err && at < n; at += i.length)
		if (!insn_decode(elfsym_machine(kernel_user_files(k)->elf), code + at, n - at,
				 &i) &&
		    i.is_return)
			fn(at, ctx);
	free(code);
	return err;
}

/* ---- lines --------------------------------------------------------------------------------- */

struct line_places {
	uint64_t *addresses;
	size_t n, room;
};

static void note_address(uint64_t address, void *ctx)
{
	struct line_places *p = ctx;

	if (p->n == p->room) {
		size_t room = p->room ? 2 * p->room : 16;
		uint64_t *more = realloc(p->addresses, room * sizeof(*more));

		if (!more)
			return;
		p->addresses = more;
		p->room = room;
	}
	p->addresses[p->n++] = address;
}

static int by_value(const void *x, const void *y)
{
	uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;

	return a < b ? -1 : a > b;
}

/* The compiler spreads a line: its first place in each function counts. */
static void call_places(struct kernel *k, struct line_places *p, user_function_fn fn, void *ctx)
{
	struct user_files *u = kernel_user_files(k);
	uint64_t last = UINT64_MAX, start, size;
	const char *name;

	qsort(p->addresses, p->n, sizeof(*p->addresses), by_value);
	for (size_t i = 0; i < p->n; i++) {
		struct user_symbol s = {.path = u->path, .address = p->addresses[i]};

		if (!elfsym_function_at(u->elf, s.address, &name, &start, &size) || start == last ||
		    !elfsym_vaddr_to_file(u->elf, s.address, &s.offset))
			continue;
		last = start;
		s.symbol = name;
		fn(&s, ctx);
	}
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
	if (!err)
		call_places(k, &p, fn, ctx);
	free(p.addresses);
	return err;
}
