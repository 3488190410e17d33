/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of executable mappings: for each process a list of generations (each execve starts
 * one), each with a table of mappings sorted by address. A forked child shares its parent's table
 * until one of them changes. Times are CLOCK_MONOTONIC ns.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/symbols/maptable.h"

struct procmap;
struct perfmap;

enum { PROCMAP_COMM_BYTES = 16 };

/* How a program was run. */
struct procmap_program {
	char comm[PROCMAP_COMM_BYTES]; /* "": not known */
	bool is_known;		       /* whether it was run by a link is */
	char *mapped, *run;	       /* path of its file, and the link that was run; or NULL */
};

/* Names of generated code; belongs to usym_code.c. */
struct procmap_code {
	struct perfmap *map; /* NULL: not open */
	uint64_t tried_ns;   /* when opening failed; 0: never */
	uint64_t bound_ns;   /* when a stack was taken; 0: unknown */
	bool is_open;	     /* may be opened: the process runs, and has not called execve since */
	bool has_code;	     /* executable memory that is not of a file */
};

enum {
	PROCMAP_ENDED_MAX = 4096, /* ended processes without a stack, for PROCMAP_ENDED_NS */
	PROCMAP_BOUND_MAX = 8192, /* ended processes that stacks refer to */
	PROCMAP_GENERATIONS_MAX = 64,
};
#define PROCMAP_ENDED_NS 10000000000ull

struct procmap *procmap_new(void);
void procmap_free(struct procmap *p);
/* The files that are mapped anywhere. */
struct mapfiles *procmap_files(struct procmap *p);

/* Events, in the order of time. Those of unknown processes are ignored. */
void procmap_mmap(struct procmap *p, uint32_t tgid, const struct mapping *m, const char *path,
		  uint64_t device, uint64_t inode);
/* `comm`: the name that the thread has from then on, the last component of the path that was run.
 * With only_known, ignore the exec of an unknown process, which is added otherwise. */
void procmap_exec(struct procmap *p, uint32_t tgid, uint64_t time_ns, bool only_known,
		  const char *comm);
void procmap_fork(struct procmap *p, uint32_t parent, uint32_t child, uint64_t time_ns);
void procmap_exit(struct procmap *p, uint32_t tgid, uint64_t time_ns);

/* Add the mappings in /proc/TGID/maps to the newest generation, or to a new one if the two have
 * nothing in common. 0 or -errno; -ESRCH if the process started after `not_after_ns`, so that the
 * pid has been reused. */
int procmap_read_process(struct procmap *p, uint32_t tgid, uint64_t not_after_ns);
/* Is the mapping table complete: from /proc, an exec, or the fork of a complete one? */
bool procmap_is_known(const struct procmap *p, uint32_t tgid);
uint32_t procmap_parent(const struct procmap *p, uint32_t tgid);

/* Bind exec_id to the generation that was current at time_ns. 0, -ESRCH (unknown process), or
 * -EAGAIN: the newest generation belongs to an earlier exec_id, so an exec was missed. */
int procmap_bind(struct procmap *p, uint32_t tgid, uint32_t exec_id, uint64_t time_ns);
/* No stack refers to the process any more. If it has ended, it is dropped. */
void procmap_unbind(struct procmap *p, uint32_t tgid);
bool procmap_is_bound(const struct procmap *p, uint32_t tgid, uint32_t exec_id);
/* The mappings of exec_id, sorted; NULL and *n = 0 if there are none. *is_newest: they are those of
 * the newest generation. */
const struct mapping *procmap_table(const struct procmap *p, uint32_t tgid, uint32_t exec_id,
				    size_t *n, bool *is_newest);
/* The mapping of an address at time_ns; NULL if that is not known. time_ns 0: at any time, NULL if
 * that is not one. */
const struct mapping *procmap_find(const struct procmap *p, uint32_t tgid, uint32_t exec_id,
				   uint64_t address, uint64_t time_ns, bool *is_newest);

/* How the program of exec_id was run; NULL if exec_id is not known. Valid until the next event. */
const struct procmap_program *procmap_program(const struct procmap *p, uint32_t tgid,
					      uint32_t exec_id);
/* Note that it was run by the link `run` to `mapped`, or, if `run` is NULL, by no link. */
void procmap_set_program(struct procmap *p, uint32_t tgid, uint32_t exec_id, const char *mapped,
			 const char *run);
/* The names of code that exec_id generated, for the caller to open, by procmap_set_code(); NULL if
 * exec_id is not known. Valid until the next event. */
const struct procmap_code *procmap_code(struct procmap *p, uint32_t tgid, uint32_t exec_id);
/* Keep `map` (NULL: opening failed at time_ns) for exec_id. Takes it over. */
void procmap_set_code(struct procmap *p, uint32_t tgid, uint32_t exec_id, struct perfmap *map,
		      uint64_t time_ns);
/* Close the map of the process that ended first, of those that have one. False if there is none. */
bool procmap_close_ended_code(struct procmap *p);
/* Call fn with each map that is kept. Returns their number. */
size_t procmap_each_code(struct procmap *p, void (*fn)(struct perfmap *m, void *ctx), void *ctx);

/* Drop ended processes beyond the bounds above. */
void procmap_expire(struct procmap *p, uint64_t now_ns);
/* Mark processes that are gone as ended, after records were lost. */
void procmap_sweep(struct procmap *p, uint64_t now_ns);
/* Processes that were dropped although stacks refer to them, so far. */
uint64_t procmap_forgotten(const struct procmap *p);
size_t procmap_count(const struct procmap *p);
