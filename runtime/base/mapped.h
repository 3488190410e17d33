/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a process has mapped, as /proc/PID/maps says it. The one reader of that file.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapped {
	uint64_t start, end;
	uint64_t file_offset;
	uint64_t device, inode; /* device: makedev of what the kernel says */
	uint64_t read_ns;	/* CLOCK_MONOTONIC, just before it was read */
	bool is_executable;
	bool is_deleted;
	const char *path; /* or "[heap]" and the like; "": of no file. Without " (deleted)" */
};

/* Other than 0: enough, it is handed back. */
typedef int mapped_fn(const struct mapped *m, void *ctx);
/* Each mapping of process `pid` (0: ours), by address; kernel threads and zombies have none. 0,
 * what fn gave back, or -errno. */
int mapped_each(uint32_t pid, mapped_fn *fn, void *ctx);
/* What is to be added to the file's addresses in a process that has it mapped. 0 or -ESRCH. */
int mapped_base(uint32_t pid, const char *path, uint64_t *base);
/* Length of the path without the kernel's " (deleted)" behind it. */
size_t mapped_path_length(const char *path);
