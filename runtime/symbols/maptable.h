/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of executable mappings, sorted by address and without overlap, and the files they refer
 * to. Tables are reference-counted: a forked child shares its parent's table until one of them
 * changes it. Files are reference-counted too, and identified by device, inode and path. Used by
 * procmap; symfile.c reads files and mappings.
 *
 * A mapping holds from seen_ns until another one takes its place: munmap is not reported, but
 * nothing runs where nothing is mapped. What is replaced goes to a list of former mappings, so that
 * an address has a file at each time.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

struct symfile;

/* A file (or "[vdso]", "[anon]") that is mapped somewhere; shared by all processes that map it. */
struct mapfile {
	uint64_t device; /* makedev of the numbers that the kernel reports */
	uint64_t inode;
	uint32_t refs;
	bool is_pin_tried;
	int pinned_fd;		 /* held open for later, or -1; see symfile.c */
	struct symfile *symbols; /* belongs to symfile.c */
	char path[];		 /* without " (deleted)" */
};

struct mapping {
	uint64_t start, end;
	uint64_t file_offset;
	uint64_t seen_ns; /* CLOCK_MONOTONIC: there since then */
	uint64_t gone_ns; /* of a former one: replaced then */
	bool is_older;	  /* read from /proc: maybe there before seen_ns */
	bool was_older;	  /* of a former one: maybe replaced before gone_ns */
	struct mapfile *file;
};

enum { FORMER_MAX = 4096 };

/* Mappings that others have replaced, in the order of that. */
struct former {
	VEC(struct mapping);
	uint64_t forgotten_from_ns, forgotten_to_ns; /* some that were replaced then are missing */
};

HASH_TABLE(mapfile_table, struct mapfile *);

struct mapfiles {
	struct mapfile_table table;
	size_t n_pinned; /* with a pinned_fd */
};

/* One allocation with its items, not a vec: tables are shared by pointer and there are
 * thousands. */
struct maptable {
	uint32_t refs;
	uint32_t n, capacity;
	struct mapping items[];
};

/* A reference to the file, which is added if it is new. NULL if out of memory. */
struct mapfile *mapfile_get(struct mapfiles *files, uint64_t device, uint64_t inode,
			    const char *path);
void mapfile_put(struct mapfiles *files, struct mapfile *f);
/* All files in turn, from NULL to NULL. The table must not change meanwhile. */
struct mapfile *const *mapfiles_next(const struct mapfiles *files, struct mapfile *const *f);
/* Free the table of files once all references are gone. */
void mapfiles_free(struct mapfiles *files);

/* An empty table is NULL. */
void maptable_put(struct mapfiles *files, struct maptable *t);
/* Add mapping *m, which replaces what it overlaps; that is added to *former, unless it is NULL. A
 * shared table is copied first. Takes over the reference m->file, also if memory runs out and
 * nothing is added. */
void maptable_add(struct mapfiles *files, struct maptable **t, const struct mapping *m,
		  struct former *former);
/* Is it memory that a program fills with code: anonymous, or a file that exists in memory only? */
bool mapfile_is_memory(const struct mapfile *f);
/* Return unused memory. */
void maptable_trim(struct maptable **t);
/* Index of the first mapping that ends after `address`, t->n if none does. */
uint32_t maptable_after(const struct maptable *t, uint64_t address);
/* What address was mapped at time_ns, by a table (NULL: empty) and what it has replaced: NULL if
 * nothing was, or if it is not known. time_ns 0: at any time; NULL if that is not one mapping. */
const struct mapping *maptable_at(const struct maptable *t, const struct former *former,
				  uint64_t address, uint64_t time_ns);
void former_free(struct mapfiles *files, struct former *former);
/* Do both tables map one file at the same address? If not, they belong to different programs. */
bool maptable_has_common(const struct maptable *a, const struct maptable *b);
/* Add the mappings in /proc/TGID/maps. 0 or -errno; -ESRCH also if nothing is mapped. */
int maptable_read(struct mapfiles *files, uint32_t tgid, struct maptable **t);
