/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The files whose code is mapped by processes, each with its table in the store. A file is compiled
 * once. References count the processes that have it mapped; a file without references stays until
 * its words are needed. Not thread-safe: only the worker (unwind.h) uses them.
 */
#pragma once
#include "runtime/base/proc_maps.h"
#include "runtime/unwind/images.h"

struct unwind_binary; /* a file with its table, or without one */
struct unwind_files;
struct unwind_store;

/* An empty set, whose tables are also kept in the folder `cache`, unless that is NULL. NULL: no
 * memory. */
struct unwind_files *unwind_files_new(struct unwind_store *store, const char *cache);
void unwind_files_free(struct unwind_files *f);

/* A reference to the file behind a mapping of process `tgid`. The file is compiled if it is new or
 * has changed. A file without a table has a binary, too. NULL: it cannot be opened, or there is no
 * memory. */
struct unwind_binary *unwind_files_of_mapping(struct unwind_files *f, uint32_t tgid,
					      const struct proc_mapping *m);
/* The same for the file at a path. */
struct unwind_binary *unwind_files_of_path(struct unwind_files *f, const char *path);
/* Compile the vDSO of 64-bit programs and publish it under UNWIND_VDSO_INODE. That of 32-bit
 * programs is added with the first file of one. */
void unwind_files_add_vdso(struct unwind_files *f);
/* A reference to the vDSO that process `tgid` has mapped at `m`. NULL: it is not one of these. */
struct unwind_binary *unwind_files_vdso(struct unwind_files *f, uint32_t tgid,
					const struct proc_mapping *m);
/* Release a reference. */
void unwind_files_release(struct unwind_files *f, struct unwind_binary *b);
/* The directory of the file: ranges over file offsets, sorted, from 0 to the end, without gaps. */
const struct unwind_range *unwind_files_ranges(const struct unwind_binary *b, size_t *n);
/* The address in the store of the file's struct unwind_v8; 0: it has none. */
uint32_t unwind_files_v8(const struct unwind_binary *b);
/* Commit the store, and publish the files that were added. 0, or -errno: they are not published. */
int unwind_files_publish(struct unwind_files *f);
/* The time (CLOCK_MONOTONIC, ns) at which unwind_files_work() has something to do next; UINT64_MAX:
 * never. */
uint64_t unwind_files_due(const struct unwind_files *f);
/* Are there tables to be written to the cache? Writing one takes several calls. */
bool unwind_files_has_unsaved(const struct unwind_files *f);
void unwind_files_save(struct unwind_files *f);
/* Close files that have been without a process for long. */
void unwind_files_work(struct unwind_files *f);
/* Drop the file that has been without a process for longest, to free words. Returns false if all
 * files are in use. */
bool unwind_files_shrink(struct unwind_files *f);

struct unwind_files_stats {
	uint32_t n_files;
	/* dropped by unwind_files_shrink(), or because too many files had no process */
	uint64_t n_evicted;
	struct unwind_images_stats images;
};
/* Set *out to the numbers so far. */
void unwind_files_stats(const struct unwind_files *f, struct unwind_files_stats *out);
