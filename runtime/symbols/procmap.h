/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was mapped where in which process, and when: per process a list of generations (each execve
 * starts one), each with a table of its executable mappings sorted by address. Times are
 * CLOCK_MONOTONIC ns. Knows nothing of symbols. Tables are shared between a parent and its forked
 * children until one of them changes.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/symbols/maptable.h"

struct procmap;

enum {
	PROCMAP_ENDED_MAX = 4096, /* ended processes without a stack, for PROCMAP_ENDED_NS */
	PROCMAP_BOUND_MAX = 8192, /* ended processes that stacks refer to */
	PROCMAP_GENERATIONS_MAX = 64,
};
#define PROCMAP_ENDED_NS 10000000000ull

struct procmap *procmap_new(void);
void procmap_free(struct procmap *p);
/* All files that are mapped anywhere. */
struct mapfiles *procmap_files(struct procmap *p);

/* What happened, in the order of time. All ignore what they cannot place. */
void procmap_mmap(struct procmap *p, uint32_t tgid, const struct mapping *m, const char *path,
		  uint64_t device, uint64_t inode);
/* With only_known, a process that was not known stays so. */
void procmap_exec(struct procmap *p, uint32_t tgid, uint64_t time_ns, bool only_known);
void procmap_fork(struct procmap *p, uint32_t parent, uint32_t child, uint64_t time_ns);
void procmap_exit(struct procmap *p, uint32_t tgid, uint64_t time_ns);

/* Put /proc/TGID/maps into the newest generation (or a new one, if nothing in it is as it was).
 * A process that started after `not_after_ns` is another one: -ESRCH. 0 or -errno. */
int procmap_read_process(struct procmap *p, uint32_t tgid, uint64_t not_after_ns);
/* Is the mapping table complete (from /proc, an exec, or a fork of a complete one)? */
bool procmap_is_known(const struct procmap *p, uint32_t tgid);
uint32_t procmap_parent(const struct procmap *p, uint32_t tgid);

/* Tie exec_id to the generation in force at time_ns. 0, -ESRCH (process not known), or -EAGAIN:
 * the newest generation belongs to an earlier exec_id, so an exec was missed. */
int procmap_bind(struct procmap *p, uint32_t tgid, uint32_t exec_id, uint64_t time_ns);
/* No stack refers to the process any more: once it has ended it may be dropped. */
void procmap_unbind(struct procmap *p, uint32_t tgid);
bool procmap_is_bound(const struct procmap *p, uint32_t tgid, uint32_t exec_id);
/* The mappings of exec_id, sorted; NULL and *n = 0 if there are none. With *is_newest. */
const struct mapping *procmap_table(const struct procmap *p, uint32_t tgid, uint32_t exec_id,
				    size_t *n, bool *is_newest);
const struct mapping *procmap_find(const struct procmap *p, uint32_t tgid, uint32_t exec_id,
				   uint64_t address, bool *is_newest);

/* Drop ended processes beyond the bounds above. */
void procmap_expire(struct procmap *p, uint64_t now_ns);
/* Mark as ended what has no /proc entry any more (after lost records). */
void procmap_sweep(struct procmap *p, uint64_t now_ns);
/* Processes with stacks that had to be dropped all the same, so far. */
uint64_t procmap_forgotten(const struct procmap *p);
size_t procmap_count(const struct procmap *p);
