/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions of a file does the kernel refuse to probe, or execute wrongly?
 *
 * A link with a function that the kernel refuses is undone, which waits for grace periods of RCU,
 * about 100 ms: to find 33 of 77,000 functions by bisection took half a minute. So the kernel is
 * asked once for each kind of instruction that it is known to refuse, and all functions that begin
 * with a refused one are left out. Instructions that it accepts and then executes wrongly are left
 * out, too. What it refuses for another reason is found by bisection (attach_bisect.c).
 *
 * The kernel checks an instruction only when some process has the file mapped. Otherwise it accepts
 * a function that cannot be probed, and the probe never fires. So the file is mapped while the
 * kernel is asked, and for few functions, while they are attached, too: each takes 3 us more.
 */
#include "runtime/attach/attach_check.h"
#include "runtime/attach/attach.h"
#include "runtime/insn/uprobe_insn.h"
#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	FEW = 256,	   /* functions: up to here the kernel checks all of them */
	KIND_MISREAD = -1, /* it executes the instruction wrongly */
	KIND_HARMFUL = -2, /* uprobe_place_is_harmful() */
	KINDS = 256,	   /* uprobe_place_suspect() */
	BLOCK = 64 << 10,
	INSN_MAX = 16,
};

enum answer { NOT_ASKED, ACCEPTED, REFUSED };

struct check {
	struct checked_file *c;
	const struct zip_member *file;
	int fd;
	struct elfsym *symbols; /* uprobe_place_is_harmful() */
	uint16_t machine;
	check_try_fn *try;
	void *ctx;
	enum answer answers[KINDS];
	uint64_t block_at; /* of the file */
	size_t block_bytes;
	uint8_t block[BLOCK];
};

static void map_file(struct checked_file *c, int fd)
{
	struct stat st;
	void *at;

	if (c->view || fd < 0 || fstat(fd, &st) || st.st_size <= 0)
		return;
	at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return;
	c->view = at;
	c->view_bytes = (size_t)st.st_size;
}

static void unmap_file(struct checked_file *c)
{
	if (c->view)
		munmap(c->view, c->view_bytes);
	c->view = NULL;
}

/* The code at `offset`, which is read: in a mapping there may be breakpoints. Returns how many
 * bytes there are. */
static size_t code_at(struct check *k, uint64_t offset, const uint8_t **code)
{
	if (offset < k->block_at || offset - k->block_at + INSN_MAX > k->block_bytes) {
		ssize_t n =
			pread(k->fd, k->block, sizeof(k->block), (off_t)(offset + k->file->offset));

		k->block_at = offset;
		k->block_bytes = n > 0 ? (size_t)n : 0;
	}
	*code = k->block + (offset - k->block_at);
	return k->block_bytes - (offset - k->block_at);
}

/* True if it is known which instructions the kernel refuses on this machine. */
static bool find_machine(struct check *k)
{
	const uint8_t *code;
	Elf64_Ehdr head; /* e_machine is at the same place in all */

	if (code_at(k, 0, &code) < sizeof(head))
		return false;
	memcpy(&head, code, sizeof(head));
	k->machine = head.e_machine;
	return k->machine == EM_X86_64 || k->machine == EM_386 || k->machine == EM_AARCH64;
}

/* A KIND_, the byte for which the kernel may refuse the instruction, or 0. */
static int kind_of(struct check *k, const struct plan_target *t, bool *is_stepped)
{
	const uint8_t *code;
	size_t n = code_at(k, t->offset, &code);

	*is_stepped = n && !uprobe_place_is_cheap(k->machine, code, n);
	if (uprobe_place_is_misread(k->machine, code, n))
		return KIND_MISREAD;
	if (k->machine == EM_X86_64 &&
	    uprobe_place_is_harmful(&k->symbols, t->path, t->offset, code, n))
		return KIND_HARMFUL;
	return uprobe_place_suspect(k->machine, code, n);
}

/* Does the kernel refuse target number `item`, an instruction of kind `kind`? 1, 0 or -errno. */
static int is_refused(struct check *k, int kind, uint32_t item)
{
	int err;

	if (kind <= 0 || !k->try)
		return kind < 0;
	if (k->answers[kind] == NOT_ASKED) {
		map_file(k->c, k->fd);
		err = k->try(k->ctx, item);
		if (err && !attach_is_instruction(err))
			return err;
		k->answers[kind] = err ? REFUSED : ACCEPTED;
	}
	return k->answers[kind] == REFUSED;
}

/* Divide the targets into those to attach and, behind them, those that are refused. */
static int divide(struct check *k, const struct plan_target *targets, uint32_t n)
{
	struct plan_target *others = calloc(n + 1, sizeof(*others));
	struct checked_file *c = k->c;
	int is = others ? 0 : -ENOMEM;

	for (uint32_t i = 0; is >= 0 && i < n; i++) {
		struct plan_target t = targets[i];
		int kind = kind_of(k, &t, &t.is_stepped);

		is = is_refused(k, kind, i);
		c->n_harmful += kind == KIND_HARMFUL;
		if (is > 0)
			others[c->n_refused++] = t;
		else
			c->targets[c->n++] = t;
	}
	if (others)
		memcpy(c->targets + c->n, others, c->n_refused * sizeof(*others));
	free(others);
	return is < 0 ? is : 0;
}

static int check(struct check *k, const struct plan_target *targets, uint32_t n)
{
	int err = 0;

	if (find_machine(k)) {
		err = divide(k, targets, n);
	} else {
		memcpy(k->c->targets, targets, n * sizeof(*targets));
		k->c->n = n;
	}
	if (n > FEW)
		unmap_file(k->c);
	else
		map_file(k->c, k->fd);
	return err;
}

int check_file(struct checked_file *c, const struct zip_member *file,
	       const struct plan_target *targets, uint32_t n, check_try_fn *try, void *ctx)
{
	struct check *k = calloc(1, sizeof(*k));
	int err = -ENOMEM;

	*c = (struct checked_file){.targets = calloc(n + 1, sizeof(*c->targets))};
	if (k && c->targets) {
		*k = (struct check){.c = c,
				    .file = file,
				    .fd = open(file->archive, O_RDONLY | O_CLOEXEC),
				    .try = try,
				    .ctx = ctx};
		err = check(k, targets, n);
		uprobe_place_close(k->symbols);
		if (k->fd >= 0)
			close(k->fd);
	}
	free(k);
	return err;
}

void check_end(struct checked_file *c)
{
	unmap_file(c);
	free(c->targets);
	c->targets = NULL;
}
