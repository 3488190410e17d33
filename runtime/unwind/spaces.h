/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces of processes. This module reads their mappings, publishes the ranges with the
 * tables of the mapped files, and reads the mappings again when BPF programs ask or the kernel
 * reports changes. All times are CLOCK_MONOTONIC in ns. Not thread-safe: only the worker (unwind.h)
 * uses it.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct unwind_files;
struct unwind_spaces;
struct unwind_store;

enum {
	UNWIND_READ_MIN_MS = 10, /* least time between two readings of one process */
	/* largest delay after readings that bring nothing new */
	UNWIND_READ_MAX_MS = 2000,
};

/* A set of at most `max` processes. If it is full, the process that was read or asked for longest
 * ago is dropped. NULL: no memory. */
struct unwind_spaces *unwind_spaces_new(struct unwind_store *store, struct unwind_files *files,
					uint32_t max);
void unwind_spaces_free(struct unwind_spaces *s);

/* Read the mappings of a process whose execve count is not known. Returns 0 or -errno. */
int unwind_spaces_add(struct unwind_spaces *s, uint32_t tgid);
/* A BPF program asked for the mappings of a process. */
void unwind_spaces_ask(struct unwind_spaces *s, uint32_t tgid, uint32_t exec_id);
/* The kernel reported a change, which happened at that time. */
void unwind_spaces_mmap(struct unwind_spaces *s, uint32_t tgid, uint64_t start, uint64_t end,
			bool is_file, uint64_t time_ns);
/* Also for the end of a process. */
void unwind_spaces_exec(struct unwind_spaces *s, uint32_t tgid, uint64_t time_ns);
void unwind_spaces_fork(struct unwind_spaces *s, uint32_t parent, uint32_t child, uint64_t time_ns);
/* Drop the processes that have ended, also those that are only in the hash of the BPF programs. If
 * reports of the kernel were `lost`, the other processes are read again. */
void unwind_spaces_check(struct unwind_spaces *s, bool lost);

/* The time at which unwind_spaces_work() has something to do next; UINT64_MAX: never. */
uint64_t unwind_spaces_due(const struct unwind_spaces *s);
/* Do the work that is due. */
void unwind_spaces_work(struct unwind_spaces *s);
/* Drop the process that was asked for longest ago, except one that is being read, to free words.
 * Returns false if there is none. */
bool unwind_spaces_shrink(struct unwind_spaces *s);

/* Is the process in the set? How many are in it? How many were dropped for lack of space? */
bool unwind_spaces_has(const struct unwind_spaces *s, uint32_t tgid);
uint32_t unwind_spaces_count(const struct unwind_spaces *s);
uint64_t unwind_spaces_evicted(const struct unwind_spaces *s);
