/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which processes a session traces.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include <stdbool.h>
#include <stdint.h>

/* A cgroup of version 2, and the levels of the hierarchy that it can be on. */
struct scope_cgroup {
	uint64_t id; /* 0: none */
	uint32_t first_level, last_level;
};
/* 0 or -errno: -EINVAL when the directory is not a cgroup of version 2. */
int scope_find_cgroup(const char *path, struct scope_cgroup *out);
/* Inode of the pid namespace, 0 when it is the initial one. */
uint32_t scope_pid_namespace(void);

struct session_scope {
	struct scope_cgroup cgroup;
	enum sonde_scope scope;
	uint32_t tgid;
	uint32_t pid;	     /* process of -p, whatever the scope; 0: none */
	uint32_t command;    /* process of the command, whatever the scope; 0: none */
	const char *program; /* path of the command's program; NULL: there is no command */
	bool with_self;	     /* with SONDE_SCOPE_ALL: trace the tracer, too */
};
