/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The mappings of a process, read from /proc/PID/maps. All readers of that file use this one.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proc_mapping {
	uint64_t start, end;
	uint64_t file_offset;
	uint64_t device, inode; /* device: makedev of the numbers in the line */
	uint64_t read_ns;	/* CLOCK_MONOTONIC, just before the line was read */
	bool is_executable;
	bool is_deleted;
	const char *path; /* without " (deleted)"; or "[heap]" etc.; "" if anonymous */
};

/* A non-zero result ends the walk and is returned from it. */
typedef int proc_maps_fn(const struct proc_mapping *m, void *ctx);
/* Call fn with each mapping of process `pid` (0: this one) in the order of addresses. Kernel
 * threads and zombies have none. Returns 0, fn's result, or -errno. */
int proc_maps_each(uint32_t pid, proc_maps_fn *fn, void *ctx);
/* What it means that a file in /proc/PID could not be opened with `err` (an errno): a negative
 * errno. Where /proc is mounted with hidepid, processes of others seem not to exist: -EACCES. */
int proc_error(uint32_t pid, int err);
/* Load bias: the address at which the process has mapped the start of the file `path`. 0 or
 * -ESRCH. */
int proc_maps_base(uint32_t pid, const char *path, uint64_t *base);
/* Length of a path without the " (deleted)" that the kernel appends. */
size_t proc_maps_path_length(const char *path);
