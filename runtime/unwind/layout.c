/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Layouts: see layout.h.
 */
#include "runtime/unwind/layout.h"
#include "runtime/base/log.h"
#include "runtime/base/proc_maps.h"
#include "runtime/unwind/directory.h"
#include "runtime/unwind/files.h"
#include "runtime/unwind/store.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void unwind_layout_release(struct unwind_store *store, struct unwind_files *files,
			   struct unwind_layout *l)
{
	if (!l || --l->refs)
		return;
	for (size_t i = 0; i < l->binaries.n; i++)
		unwind_files_release(files, l->binaries.items[i]);
	unwind_store_drop(store, l->address, l->n * UNWIND_RANGE_WORDS);
	vec_free(&l->binaries);
	free(l);
}

struct reading {
	struct unwind_files *files;
	uint32_t tgid;
	struct unwind_layout *layout;
	struct unwind_ranges ranges;
	uint32_t n_mappings;
};

static struct unwind_binary *binary_of(const struct reading *r, const struct proc_mapping *m)
{
	if (m->inode)
		return unwind_files_of_mapping(r->files, r->tgid, m);
	/* but not the vDSO of a 32-bit process */
	if (strcmp(m->path, "[vdso]") == 0 && m->start >> 32)
		return unwind_files_vdso(r->files, m->end - m->start);
	return NULL;
}

static uint32_t flags_of(const struct proc_mapping *m)
{
	bool is_kernels = strcmp(m->path, "[vdso]") == 0 || strcmp(m->path, "[vsyscall]") == 0;

	return is_kernels ? UNWIND_RANGE_FIXED : m->inode ? 0 : UNWIND_RANGE_ANONYMOUS;
}

static int add_mapping(const struct proc_mapping *m, void *ctx)
{
	struct reading *r = ctx;
	const struct unwind_range *directory;
	struct unwind_binary *b;
	size_t n, first;
	int err;

	r->n_mappings++;
	if (!m->is_executable)
		return 0;
	b = binary_of(r, m);
	if (!b)
		return unwind_directory_add_plain(m->start, m->end, flags_of(m), &r->ranges);
	if (vec_push(&r->layout->binaries, b)) {
		unwind_files_release(r->files, b);
		return -ENOMEM;
	}
	directory = unwind_files_ranges(b, &n);
	first = r->ranges.n;
	err = unwind_directory_map(directory, n, m->start, m->end, m->file_offset, &r->ranges);
	for (size_t i = first; !m->inode && i < r->ranges.n; i++)
		r->ranges.items[i].flags |= flags_of(m);
	return err;
}

/* Does the layout still agree with what was read? */
static bool is_same(const struct unwind_store *store, const struct unwind_layout *l,
		    const struct unwind_ranges *ranges)
{
	return l && l->n == ranges->n &&
	       (!l->n || memcmp(unwind_store_at(store, l->address), ranges->items,
				l->n * sizeof(*ranges->items)) == 0);
}

static int store_ranges(struct unwind_store *store, const struct unwind_ranges *ranges,
			struct unwind_layout *l)
{
	uint32_t n = (uint32_t)ranges->n;

	if (!n)
		return 0;
	l->address = unwind_store_add(store, ranges->items, n * UNWIND_RANGE_WORDS);
	l->n = l->address ? n : 0;
	return l->address ? 0 : -ENOSPC;
}

int unwind_layout_read(struct unwind_store *store, struct unwind_files *files, uint32_t tgid,
		       const struct unwind_layout *present, struct unwind_layout **out)
{
	struct reading r = {.files = files, .tgid = tgid, .layout = calloc(1, sizeof(*r.layout))};
	bool changed = false;
	int err;

	*out = NULL;
	if (!r.layout)
		return -ENOMEM;
	r.layout->refs = 1;
	err = proc_maps_each(tgid, add_mapping, &r);
	if (err == -E2BIG) { /* the ranges beyond are walked by frame pointers */
		log_verbose("unwind: process %u has too many executable mappings", tgid);
		err = 0;
	}
	err = err ?: r.n_mappings ? 0 : -ESRCH; /* a zombie */
	if (!err && !is_same(store, present, &r.ranges)) {
		err = store_ranges(store, &r.ranges, r.layout);
		changed = !err;
	}
	vec_free(&r.ranges);
	if (changed)
		*out = r.layout;
	else
		unwind_layout_release(store, files, r.layout);
	return err;
}
