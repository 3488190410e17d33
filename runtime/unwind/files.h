/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files whose code processes have mapped, each with its table in the store. A file is compiled
 * once, and counted by the processes that have it mapped; without any, it stays until its words are
 * needed. Not thread-safe: they belong to the worker (worker.h).
 */
#pragma once
#include "bpf_helpers/unwind.h"
#include "runtime/base/proc_maps.h"
#include "runtime/unwind/images.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_binary; /* a file */
struct unwind_files;
struct unwind_store;

/* NULL if out of memory. */
struct unwind_files *unwind_files_new(struct unwind_store *store);
void unwind_files_free(struct unwind_files *f);

/* A reference to the file behind a mapping of process `tgid`, which is compiled if it is new or has
 * changed. A file without a table is a binary, too. NULL if it cannot be opened, or out of
 * memory. */
struct unwind_binary *unwind_files_of_mapping(struct unwind_files *f, uint32_t tgid,
					      const struct proc_mapping *m);
/* The same for a path. */
struct unwind_binary *unwind_files_of_path(struct unwind_files *f, const char *path);
/* The vDSO is published, too, from then on: by UNWIND_VDSO_INODE. */
void unwind_files_add_vdso(struct unwind_files *f);
/* The vDSO as the tracer has it, for a process that has mapped `bytes` of one. NULL if that is
 * another. */
struct unwind_binary *unwind_files_vdso(struct unwind_files *f, uint64_t bytes);
/* Give a reference back. */
void unwind_files_put(struct unwind_files *f, struct unwind_binary *b);
/* All of the file: ranges over file offsets, sorted, from 0 to the end, without gaps. */
const struct unwind_range *unwind_files_ranges(const struct unwind_binary *b, size_t *n);
/* Publish the files that were added, after unwind_store_commit(). */
void unwind_files_publish(struct unwind_files *f);
/* When unwind_files_work() has something to do next; UINT64_MAX: nothing. */
uint64_t unwind_files_due(const struct unwind_files *f);
/* Close files that have been without a process for long. */
void unwind_files_work(struct unwind_files *f);
/* Drop the file that has been without a process for longest. False if each has one. */
bool unwind_files_shrink(struct unwind_files *f);

struct unwind_files_stats {
	uint32_t n_files;
	uint64_t n_evicted; /* by unwind_files_shrink(), or as too many had no process */
	struct unwind_images_stats images;
};
void unwind_files_stats(const struct unwind_files *f, struct unwind_files_stats *out);
