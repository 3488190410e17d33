/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names the limit behind an error of the system: descriptors, memory, processes, file sizes.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Text to append to strerror(-err) in a message: " (the limit is 64: ulimit -n)", or "" when err
 * (-errno) comes from no known limit. Valid until the next call; for the main thread. */
const char *limit_hint(int err);
/* The same for a process or thread that could not be started. */
const char *limit_hint_process(int err);

/* The limit of this process's memory in bytes, of virtual memory or of its cgroup, whichever is
 * less; UINT64_MAX: none. */
uint64_t limit_memory(void);
/* Is that the limit of virtual memory? */
bool limit_is_virtual(void);
