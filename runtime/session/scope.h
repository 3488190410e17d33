/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the scope that user space looks up.
 */
#pragma once
#include <stdint.h>

/* What the names of a scope have turned out to be, when tracing begins. */
struct scope_found {
	uint64_t cgroup;		  /* ID of that of version 2; 0: none */
	uint32_t first_level, last_level; /* of the hierarchy: where it can be */
	uint32_t command;		  /* the process of -c; 0: none */
	const char *program;		  /* the path of what it executes, or NULL */
};
/* Set the first three. 0 or -errno: -EINVAL when the directory is not a cgroup of version 2. */
int scope_find_cgroup(const char *path, struct scope_found *out);
/* Inode of the pid namespace, 0 when it is the initial one. */
uint32_t scope_pid_namespace(void);
