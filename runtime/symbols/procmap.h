/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of executable mappings. Each process has a list of generations (each execve starts
 * one), each with a table of mappings sorted by address. A forked child shares its parent's table
 * until one of the two changes. Times are CLOCK_MONOTONIC in ns.
 */
#pragma once
#include "runtime/symbols/maptable.h"

struct procmap;

enum { PROCMAP_COMM_BYTES = 16 };

/* How a program was run: by its own path, or by a symbolic link. */
struct procmap_program {
	char comm[PROCMAP_COMM_BYTES]; /* "": not known */
	bool is_known;		       /* it is known whether it was run by a link */
	char *mapped, *run;	       /* path of its file, and of the link that was run; or NULL */
};

enum {
	/* limit of ended processes without a stack, which are kept for PROCMAP_ENDED_NS */
	PROCMAP_ENDED_MAX = 4096,
	PROCMAP_BOUND_MAX = 8192, /* limit of ended processes that stacks refer to */
	PROCMAP_GENERATIONS_MAX = 64,
};
#define PROCMAP_ENDED_NS 10000000000ull

/* An empty history. NULL: no memory. */
struct procmap *procmap_new(void);
void procmap_free(struct procmap *p);
/* The files that any process has mapped. */
struct mapfiles *procmap_files(struct procmap *p);

/* Apply events, in the order of time. Events of unknown processes are ignored. */
void procmap_mmap(struct procmap *p, uint32_t tgid, const struct mapping *m, const char *path,
		  uint64_t device, uint64_t inode);
/* An execve. `comm` is the name that the thread has from then on: the last component of the path
 * that was run. With only_known, the exec of an unknown process is ignored; otherwise the process
 * is added. */
void procmap_exec(struct procmap *p, uint32_t tgid, uint64_t time_ns, bool only_known,
		  const char *comm);
void procmap_fork(struct procmap *p, uint32_t parent, uint32_t child, uint64_t time_ns);
void procmap_exit(struct procmap *p, uint32_t tgid, uint64_t time_ns);

/* Add the mappings in /proc/TGID/maps to the newest generation, or to a new one if the two have
 * nothing in common. Returns 0 or -errno; -ESRCH if the process started after `not_after_ns`, so
 * that the pid has been reused. */
int procmap_read_process(struct procmap *p, uint32_t tgid, uint64_t not_after_ns);
/* Is the mapping table complete: from /proc, an exec, or the fork of a complete one? */
bool procmap_is_known(const struct procmap *p, uint32_t tgid);
uint32_t procmap_parent(const struct procmap *p, uint32_t tgid);

/* Bind exec_id to the generation that was current at time_ns. Returns 0, -ESRCH (unknown process),
 * or -EAGAIN: the newest generation belongs to an earlier exec_id, so an exec was missed. */
int procmap_bind(struct procmap *p, uint32_t tgid, uint32_t exec_id, uint64_t time_ns);
/* No stack refers to the process any more. If it has ended, it is dropped. */
void procmap_unbind(struct procmap *p, uint32_t tgid);
bool procmap_is_bound(const struct procmap *p, uint32_t tgid, uint32_t exec_id);
/* The mappings of exec_id, sorted; NULL and *n = 0 if there are none. */
const struct mapping *procmap_table(const struct procmap *p, uint32_t tgid, uint32_t exec_id,
				    size_t *n);
/* The mapping of an address at time_ns; NULL if that is not known. time_ns 0: any time; NULL if
 * there was more than one mapping. */
const struct mapping *procmap_find(const struct procmap *p, uint32_t tgid, uint32_t exec_id,
				   uint64_t address, uint64_t time_ns, bool *is_newest);

/* How the program of exec_id was run; NULL if exec_id is not known. Valid until the next event. */
const struct procmap_program *procmap_program(const struct procmap *p, uint32_t tgid,
					      uint32_t exec_id);
/* Note that the program was run by the link `run` to `mapped`, or, if `run` is NULL, not by a
 * link. */
void procmap_set_program(struct procmap *p, uint32_t tgid, uint32_t exec_id, const char *mapped,
			 const char *run);
/* Is it time to look for the map of generated code of a process, once its mappings are up to date?
 * It is so at most every 10 ms, until there is a map. */
bool procmap_code_is_due(const struct procmap *p, uint32_t tgid, uint32_t exec_id);
/* Open the map of a process that has executable memory of its own, if there is one. */
void procmap_open_code(struct procmap *p, uint32_t tgid, uint32_t exec_id);
/* Find the generated function at `ip`. *name lives until the next call. */
bool procmap_find_code(struct procmap *p, uint32_t tgid, uint32_t exec_id, uint64_t ip,
		       const char **name, uint64_t *offset);

/* Drop ended processes beyond the bounds above. */
void procmap_expire(struct procmap *p, uint64_t now_ns);
/* After records were lost: mark processes that no longer exist as ended. */
void procmap_sweep(struct procmap *p, uint64_t now_ns);
/* The number of processes that were dropped although stacks refer to them, so far. */
uint64_t procmap_evicted(const struct procmap *p);
size_t procmap_count(const struct procmap *p);
