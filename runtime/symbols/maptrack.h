/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows mmaps, execs, forks and exits as the kernel reports them (one perf event per CPU, without
 * samples) and applies them to a procmap in the order of time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct cpu_list;
struct maptrack;
struct procmap;

/* A change of a process that the kernel reports. */
struct maptrack_event {
	enum maptrack_kind { MAPTRACK_MMAP, MAPTRACK_EXEC, MAPTRACK_FORK, MAPTRACK_EXIT } kind;
	bool is_file; /* MMAP: the memory is that of a file */
	uint32_t tgid, child;
	uint64_t start, end; /* MMAP */
	uint64_t time_ns;    /* CLOCK_MONOTONIC */
};

/* Called for each record that is applied, in the order of time. */
typedef void maptrack_fn(const struct maptrack_event *e, void *ctx);

/* Follow all processes; with only_known, follow those that `maps` knows and their descendants.
 * Returns 0 or -errno. */
int maptrack_open(struct maptrack **out, bool only_known);
/* The same on these CPUs only. */
int maptrack_open_cpus(struct maptrack **out, const struct cpu_list *cpus, bool only_known);
void maptrack_close(struct maptrack *t);
/* Report records of all processes to fn, also of those that are not followed. */
void maptrack_observe(struct maptrack *t, maptrack_fn *fn, void *ctx);
/* A descriptor, owned by t, that polls readable when any ring is a quarter full. */
int maptrack_fd(const struct maptrack *t);
/* Apply all records until now to `maps`. Returns how many were lost: dropped by the kernel, or for
 * lack of memory in sonde. */
uint64_t maptrack_drain(struct maptrack *t, struct procmap *maps);
