/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows mappings, execs, forks and exits as the kernel reports them (perf events without samples,
 * one a CPU), and puts them into a procmap in the order of time.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct maptrack;
struct procmap;

/* With only_known, of processes that `maps` knows and those they start. 0 or -errno. */
int maptrack_open(struct maptrack **out, bool only_known);
void maptrack_close(struct maptrack *t);
/* Readable when a ring is a quarter full; owned by t. Returns how many. */
int maptrack_fds(const struct maptrack *t, const int **fds);
/* Put all records until now into `maps`. Returns how many the kernel dropped. */
uint64_t maptrack_drain(struct maptrack *t, struct procmap *maps);
