/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that gives BPF programs the tables by which they unwind user stacks. It compiles
 * files, reads the mappings of processes, publishes both and keeps them up to date. Other threads
 * post requests, which never block and are answered in order. All of this is independent of the
 * thread that reads the ring, since making a table can take 100 ms.
 */
#pragma once
#include "runtime/unwind/table.h" /* of one file, without maps */

struct bpf_object;
struct maptrack_event;
struct unwind_worker;

/* Create the maps and start the thread. Tables are read from the folder `cache`, and written to it
 * while the thread has nothing else to do; NULL: they are not. Returns 0 or -errno. */
int unwind_worker_start(struct unwind_worker **out, const char *cache);
/* Make an opened object use the maps sonde_unwind_store, _rules, _spaces and _files. */
void unwind_worker_hand_over(const struct unwind_worker *w, struct bpf_object *object);
/* End the thread and free the maps. The script's programs must be unloaded before. */
void unwind_worker_stop(struct unwind_worker *w);

/* Compile the tables of all files that process `tgid` has mapped, and publish its mappings; also
 * those of its descendants, if `with_descendants`. */
void unwind_worker_add_process(struct unwind_worker *w, uint32_t tgid, bool with_descendants);
/* Compile the tables of a program that will be executed, and of the libraries that it needs. */
void unwind_worker_add_program(struct unwind_worker *w, const char *path);
/* Compile the tables of the files that running processes have mapped, the most used first; of those
 * that have mapped the file at `path`, unless it is NULL. */
void unwind_worker_add_used(struct unwind_worker *w, const char *path);
/* Wait until all requests that were posted before have been answered, at most `most_ns`. Returns
 * whether they have. */
bool unwind_worker_wait(struct unwind_worker *w, uint64_t most_ns);

/* A number that has changed if the tables may have. Any thread may call it. */
uint64_t unwind_worker_version(const struct unwind_worker *w);

/* A BPF program has sent `ev`: it met code without a table. */
void unwind_worker_note(struct unwind_worker *w, const struct sonde_unwind_event *ev);
/* The kernel has reported a change of a process to `worker`; call it in order of time (a
 * maptrack_fn). Reports of processes that no BPF program has met cost next to nothing. */
void unwind_worker_report(const struct maptrack_event *e, void *worker);
/* Such reports were lost: check all processes. */
void unwind_worker_check_all(struct unwind_worker *w);

/* Numbers for -v, complete once the thread has nothing to do or is stopped. */
struct unwind_stats {
	uint32_t n_processes, n_files, n_files_refused, n_files_cached, n_rules;
	uint64_t n_rows, used_bytes, store_bytes;
	uint64_t busy_ns;	  /* CPU time of the thread */
	uint64_t n_evicted_files; /* dropped without a process: too many, or for lack of space */
	uint64_t n_evicted_processes; /* dropped for lack of space while they ran */
	uint64_t n_lost;	      /* requests that were dropped because too many were queued */
};
/* Set *out to the numbers so far. Any thread may call it. */
void unwind_worker_stats(struct unwind_worker *w, struct unwind_stats *out);
