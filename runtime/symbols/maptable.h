/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of executable mappings, sorted by address and without overlap, and the files they name.
 * Tables are counted: forked children share their parent's until one changes it. Files are counted
 * too, and known by device, inode and path. Used by procmap.c; symfile.c sees files and mappings.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symfile;

/* A file (or "[vdso]", "[anon]") that is mapped somewhere; shared by all that map it. */
struct mapfile {
	struct mapfile *next;
	uint64_t device; /* makedev of what the kernel reports */
	uint64_t inode;
	uint32_t refs;
	bool is_pin_tried;
	int pinned_fd;		 /* held open for later, or -1; see symfile.c */
	struct symfile *symbols; /* symfile.c's; not owned */
	char path[];		 /* without " (deleted)" */
};

struct mapping {
	uint64_t start, end;
	uint64_t file_offset;
	uint64_t seen_ns; /* CLOCK_MONOTONIC */
	struct mapfile *file;
};

struct mapfiles {
	struct mapfile **slots;
	size_t n_slots, n;
	size_t n_pinned; /* with a pinned_fd */
};

struct maptable {
	uint32_t refs;
	uint32_t n, capacity;
	struct mapping items[];
};

/* A reference to the file, which is made if it is new; NULL without memory. */
struct mapfile *mapfile_get(struct mapfiles *files, uint64_t device, uint64_t inode,
			    const char *path);
void mapfile_put(struct mapfiles *files, struct mapfile *f);

/* An empty table is NULL. */
void maptable_put(struct mapfiles *files, struct maptable *t);
/* Map *m, which replaces what it overlaps; copies a shared table first. Takes over the reference
 * m->file, also when memory is short and nothing is mapped. */
void maptable_add(struct mapfiles *files, struct maptable **t, const struct mapping *m);
void maptable_trim(struct maptable **t);
/* The first mapping that ends after `address`, t->n if none does. */
uint32_t maptable_after(const struct maptable *t, uint64_t address);
/* Is anything at the same address in both? If not, they are of different programs. */
bool maptable_has_common(const struct maptable *a, const struct maptable *b);
/* Add what /proc/TGID/maps shows. 0, or -errno: -ESRCH also when nothing is mapped. */
int maptable_read(struct mapfiles *files, uint32_t tgid, struct maptable **t);
