/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address spaces of processes: reads their mappings, publishes the ranges with the tables of the
 * mapped files, and reads them again when programs ask or the kernel reports changes. Times are
 * CLOCK_MONOTONIC ns. Not thread-safe: they belong to the worker (worker.h).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct unwind_files;
struct unwind_spaces;
struct unwind_store;

enum {
	UNWIND_READ_MIN_MS = 10,   /* between two readings of one process */
	UNWIND_READ_MAX_MS = 2000, /* that bring nothing new */
};

/* At most `max` processes; the one that was read or asked for longest ago makes room. NULL if out
 * of memory. */
struct unwind_spaces *unwind_spaces_new(struct unwind_store *store, struct unwind_files *files,
					uint32_t max);
void unwind_spaces_free(struct unwind_spaces *s);

/* Read the mappings of a process whose execve count is not known. 0 or -errno. */
int unwind_spaces_add(struct unwind_spaces *s, uint32_t tgid);
/* A program asked. */
void unwind_spaces_ask(struct unwind_spaces *s, uint32_t tgid, uint32_t exec_id);
/* What the kernel reports, with the time at which it happened. */
void unwind_spaces_mmap(struct unwind_spaces *s, uint32_t tgid, uint64_t start, uint64_t end,
			bool is_file, uint64_t time_ns);
void unwind_spaces_exec(struct unwind_spaces *s, uint32_t tgid, uint64_t time_ns);
void unwind_spaces_fork(struct unwind_spaces *s, uint32_t parent, uint32_t child, uint64_t time_ns);
void unwind_spaces_exit(struct unwind_spaces *s, uint32_t tgid, uint64_t time_ns);
/* Drop the processes that have ended, also those that only the programs' hash has. With `lost`,
 * reports were lost: read the others again. */
void unwind_spaces_check(struct unwind_spaces *s, bool lost);

/* When unwind_spaces_work() has something to do next; UINT64_MAX: nothing. */
uint64_t unwind_spaces_due(const struct unwind_spaces *s);
/* Do what is due. */
void unwind_spaces_work(struct unwind_spaces *s);
/* Drop the process that was asked for longest ago, except one that is being read. False if there is
 * none. */
bool unwind_spaces_shrink(struct unwind_spaces *s);

bool unwind_spaces_has(const struct unwind_spaces *s, uint32_t tgid);
uint32_t unwind_spaces_count(const struct unwind_spaces *s);
uint64_t unwind_spaces_evicted(const struct unwind_spaces *s);
