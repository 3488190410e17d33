/* SPDX-License-Identifier: Apache-2.0 */
/*
 * USDT probes of files and processes: reads ELF files (elfsym_usdt.c) and the files that processes
 * have mapped (proc_maps.c).
 */
#include "parser/base/text.h"
#include "runtime/elf/elfsym.h"
#include "runtime/kernel/kernel_user.h"
#include "runtime/base/proc_children.h"
#include "runtime/base/proc_maps.h"
#include <limits.h>

struct note_call {
	const char *path;
	usdt_note_fn fn;
	void *ctx;
};

static void call_note(const struct elfsym_usdt *u, void *ctx)
{
	const struct note_call *c = ctx;
	struct usdt_note note = {.path = c->path,
				 .provider = u->provider,
				 .name = u->name,
				 .args = u->args,
				 .address = u->vaddr,
				 .offset = u->file_offset,
				 .semaphore = u->semaphore};

	c->fn(&note, c->ctx);
}

int usdt_each_note(struct kernel *k, const char *path, usdt_note_fn fn, void *ctx)
{
	struct note_call c = {.fn = fn, .ctx = ctx};
	int err = kernel_user_open(k, path);

	c.path = kernel_user_files(k)->path;
	return err ? err : elfsym_each_usdt(kernel_user_files(k)->elf, call_note, &c);
}

/* ---- what processes have mapped ---------------------------------------------------------- */

struct files {
	struct string_set seen;
	kernel_name_fn fn;
	void *ctx;
};

/* Executable mappings of files that still exist. */
static int offer_mapped(const struct proc_mapping *m, void *ctx)
{
	struct files *f = ctx;
	size_t before = f->seen.n_bytes;

	if (m->is_executable && !m->is_deleted && m->path[0] == '/' &&
	    string_set_intern(&f->seen, m->path) && f->seen.n_bytes != before)
		f->fn(m->path, f->ctx);
	return 0;
}

/* Processes that end meanwhile or may not be read are skipped. */
static int offer_process(void *files, uint32_t pid)
{
	proc_maps_each(pid, offer_mapped, files);
	return 0;
}

int usdt_each_mapped(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	struct files f = {.fn = fn, .ctx = ctx};
	uint32_t pid = k->scope->pid;
	int err =
		pid ? proc_maps_each(pid, offer_mapped, &f) : proc_each_process(offer_process, &f);

	string_set_free(&f.seen);
	return err;
}

struct beside {
	struct files files;
	const char *library;
};

static int is_the_library(const struct proc_mapping *m, void *ctx)
{
	return m->is_executable && strcmp(text_base_name(m->path), ctx) == 0;
}

static int offer_beside(void *ctx, uint32_t pid)
{
	struct beside *b = ctx;

	if (proc_maps_each(pid, is_the_library, (void *)b->library) > 0)
		proc_maps_each(pid, offer_mapped, &b->files);
	return 0;
}

void usdt_each_beside(const char *library, kernel_name_fn fn, void *ctx)
{
	struct beside b = {.files = {.fn = fn, .ctx = ctx}};
	char path[PATH_MAX]; /* mappings have that of the file, not of a link to it */

	b.library = text_base_name(realpath(library, path) ?: library);
	proc_each_process(offer_beside, &b);
	string_set_free(&b.files.seen);
}
