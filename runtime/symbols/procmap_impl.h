/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Internals of procmap, shared by its files: procmap.c (lifetime of processes and generations),
 * procmap_event.c (records and /proc/PID/maps), procmap_exec.c (exec ids and lookup),
 * procmap_code.c (names of generated code).
 */
#pragma once
#include <sys/queue.h>
#include "runtime/symbols/procmap.h"

/* The mappings of a process between two execs. */
struct generation {
	uint64_t start_ns, bound_ns;
	/* when the table was read from /proc; 0: the generation began with a record */
	uint64_t read_ns;
	uint32_t number;  /* counts execs of this process */
	uint32_t life;	  /* counts reuses of the pid */
	uint32_t exec_id; /* valid if has_id */
	bool has_id, is_bound, is_complete;
	struct maptable *table; /* NULL: empty */
	struct former former;
	struct perfmap *code;	/* names of generated code; NULL: not open */
	uint64_t code_tried_ns; /* when it was last tried to open it; 0: never */
	struct procmap_program program;
};

struct process {
	TAILQ_ENTRY(process) ended;
	uint32_t tgid, parent;
	bool is_ended, is_bound;
	uint64_t ended_ns;
	VEC(struct generation) generations; /* the newest is last; never empty */
};

TAILQ_HEAD(process_list, process);

HASH_TABLE(process_table, struct process *); /* by tgid */

struct procmap {
	struct process_table processes;
	size_t sweep_at; /* number of processes at which a sweep is done */
	struct mapfiles files;
	/* ended processes in the order of their end (roughly): [1] those that stacks refer to, [0]
	 * others */
	struct process_list ended[2];
	size_t n_ended[2];
	uint64_t n_evicted;
	size_t n_codes; /* generations with code */
	bool has_warned_cut, has_warned_many;
};

HASH_INTEGER_FUNCTIONS(process_table, struct process *, uint32_t, hash_u32, (*e)->tgid, *e)

static inline struct generation *newest_generation(const struct process *r)
{
	return &r->generations.items[r->generations.n - 1];
}

/* procmap_exec.c: free what is known of how the program was run. */
void procmap_release_program(struct procmap_program *p);
/* Note that it was run by the link `run` to `mapped`; both are copied. */
void procmap_set_link(struct procmap_program *p, const char *mapped, const char *run);

/* procmap_exec.c: the generation that exec_id stands for, or NULL. */
struct generation *procmap_generation(const struct process *r, uint32_t exec_id);

/* The same for a process that may not be known. */
struct generation *procmap_find_generation(const struct procmap *p, uint32_t tgid,
					   uint32_t exec_id);

/* procmap_code.c: close the map of generated code. */
void procmap_close_code(struct procmap *p, struct generation *g);

/* procmap.c */

/* The process, or NULL if it is not known. */
struct process *procmap_find_process(const struct procmap *p, uint32_t tgid);
/* Add a process that is not known, with one empty generation. NULL if out of memory. */
struct process *procmap_add_process(struct procmap *p, uint32_t tgid, uint64_t time_ns);
/* Start a new, empty generation at time_ns. NULL if out of memory. */
struct generation *procmap_add_generation(struct procmap *p, struct process *r, uint64_t time_ns);
void procmap_drop_process(struct procmap *p, struct process *r);
void procmap_set_ended(struct procmap *p, struct process *r, bool is_ended, uint64_t time_ns);
/* Record whether stacks refer to the process. */
void procmap_set_bound(struct procmap *p, struct process *r, bool is_bound);
