/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code that a program generates while it runs: /tmp/perf-PID.map, in which run times such
 * as those of Node, Java and Python list the functions that they compile.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfmap;

/* Open the map of process `tgid`: in the /tmp of its mount namespace, named by its pid in its own
 * pid namespace. It must be a regular file that belongs to the process's user or to root and was
 * written since the process started. Returns a descriptor; -ENOENT (there is no map); -ESRCH (the
 * process has ended, or started after not_after_ns, CLOCK_MONOTONIC: the pid has been reused);
 * -EPERM (the map belongs to another user); -ESTALE (it is older than the process); or another
 * -errno. */
int perfmap_open(uint32_t tgid, uint64_t not_after_ns);

/* Take ownership of the descriptor of a map. The map is read when the first address is looked up.
 * NULL: no memory; the descriptor is closed in this case. */
struct perfmap *perfmap_new(int fd);
void perfmap_free(struct perfmap *m);
/* Find the function at `address`. Reads what has been added to the file since the last call. Where
 * lines overlap, the last one counts. *name lives until the next call. */
bool perfmap_find(struct perfmap *m, uint64_t address, const char **name, uint64_t *offset);
/* The memory in use, in bytes. */
size_t perfmap_bytes(const struct perfmap *m);
/* Forget what was read; it is read again when it is needed. */
void perfmap_drop(struct perfmap *m);
/* Did the file have more than sonde reads (64 MiB, 1,048,576 functions)? */
bool perfmap_is_cut(const struct perfmap *m);
