/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of executable mappings, sorted by address and without overlap, and the files they refer
 * to. Tables are reference-counted: a forked child shares its parent's table until one of them
 * changes it. Files are reference-counted too, and identified by device, inode and path. Used by
 * procmap; symfile.c reads files and mappings.
 *
 * A mapping is valid from seen_ns until another one takes its place: munmap is not reported, but no
 * code runs where nothing is mapped. A replaced mapping is added to a list of former mappings, so
 * that an address has a file at each point in time.
 */
#pragma once
#include "runtime/base/hash.h"
#include "runtime/base/vec.h"

struct symfile;

/* A file (or "[vdso]", "[anon]") that is mapped somewhere; shared by all processes that map it. */
struct mapfile {
	uint64_t device; /* makedev of the numbers that the kernel reports */
	uint64_t inode;	 /* of "[vdso]": 1 for that of 32-bit programs, else 0 */
	uint32_t refs;
	bool is_pin_tried;
	/* descriptor that holds the file open for later, or -1; see symfile.c */
	int pinned_fd;
	struct symfile *symbols; /* owned by symfile.c */
	char path[];		 /* the path, without " (deleted)" */
};

struct mapping {
	uint64_t start, end;
	uint64_t file_offset;
	uint64_t seen_ns; /* CLOCK_MONOTONIC: the mapping exists since then */
	uint64_t gone_ns; /* of a former mapping: when it was replaced */
	bool is_older;	  /* read from /proc: it may have existed before seen_ns */
	/* of a former mapping: it may have been replaced before gone_ns */
	bool was_older;
	struct mapfile *file;
};

enum { FORMER_MAX = 4096 };

/* Former mappings, which others have replaced, in the order of replacement. */
struct former {
	VEC(struct mapping);
	/* some mappings that were replaced between these times are missing */
	uint64_t evicted_from_ns, evicted_to_ns;
};

HASH_TABLE(mapfile_table, struct mapfile *);

struct mapfiles {
	struct mapfile_table table;
	size_t n_pinned; /* files with a pinned_fd */
};

/* A table is one allocation with its items, not a vec, because tables are shared by pointer and
 * there are thousands of them. */
struct maptable {
	uint32_t refs;
	uint32_t n, capacity;
	struct mapping items[];
};

/* A reference to the file that is mapped at `start`, which is added if it is new. NULL if out of
 * memory. */
struct mapfile *mapfile_acquire(struct mapfiles *files, uint64_t device, uint64_t inode,
				const char *path, uint64_t start);
/* Iterate over all files: pass NULL for the first one; returns NULL after the last one. The table
 * must not change in the meantime. */
struct mapfile *const *mapfiles_next(const struct mapfiles *files, struct mapfile *const *f);
/* Free the table of files once all references are gone. */
void mapfiles_free(struct mapfiles *files);

/* Release a reference. An empty table is NULL. */
void maptable_release(struct mapfiles *files, struct maptable *t);
/* Add mapping *m. It replaces what it overlaps, which is added to *former, unless that is NULL. A
 * shared table is copied first. Takes ownership of the reference m->file, also if there is no
 * memory and nothing is added. */
void maptable_add(struct mapfiles *files, struct maptable **t, const struct mapping *m,
		  struct former *former);
/* Is the file memory that a program fills with code: anonymous memory, or a file that exists in
 * memory only? */
bool mapfile_is_memory(const struct mapfile *f);
/* Free unused memory of the table. */
void maptable_trim(struct maptable **t);
/* The mapping of `address` at time_ns, from a table (NULL: empty) and the mappings that it has
 * replaced. NULL if nothing was mapped, or if that is not known. time_ns 0: any time; NULL if there
 * was more than one mapping. */
const struct mapping *maptable_at(const struct maptable *t, const struct former *former,
				  uint64_t address, uint64_t time_ns);
void former_free(struct mapfiles *files, struct former *former);
/* Do both tables map one file at the same address? If not, they belong to different programs. */
bool maptable_has_common(const struct maptable *a, const struct maptable *b);
/* Add the mappings in /proc/TGID/maps. Returns 0 or -errno; -ESRCH also if nothing is mapped. */
int maptable_read(struct mapfiles *files, uint32_t tgid, struct maptable **t);
