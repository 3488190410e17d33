/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A layout: what a process has mapped, as an array of ranges in the store and the files that these
 * refer to. A forked child shares its parent's layout until the mappings of one of the two are read
 * again. Private to spaces.c.
 */
#pragma once
#include "runtime/base/vec.h"
#include <stdint.h>

struct unwind_binary;
struct unwind_files;
struct unwind_store;

struct unwind_layout {
	uint32_t refs;
	uint32_t address; /* address of the ranges; 0: there are none */
	uint32_t n;
	VEC(struct unwind_binary *) binaries;
};

/* Read the mappings of a process, and compile files that are new. *out is a new layout, or NULL if
 * the layout `present` (which may be NULL) has not changed. Returns 0 or -errno; -ESRCH or -ENOENT:
 * the process has ended. */
int unwind_layout_read(struct unwind_store *store, struct unwind_files *files, uint32_t tgid,
		       const struct unwind_layout *present, struct unwind_layout **out);
/* Release a reference. `l` may be NULL. */
void unwind_layout_release(struct unwind_store *store, struct unwind_files *files,
			   struct unwind_layout *l);
