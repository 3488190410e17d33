/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is traced: made by the options, and constant then.
 */
#pragma once
#include "parser/base/arena.h"
#include <stdbool.h>

struct trace_scope {
	uint32_t pid;	     /* -p; 0: none */
	char **command;	     /* the words of -c; NULL: none */
	const char *program; /* that a uprobe without a path is in: of -c; or NULL */
	const char *cgroup;  /* --cgroup, or that of --container; or NULL */
	bool system;	     /* -c or -p, but trace everything */
	bool follow;	     /* -p and its descendants */
	bool self;	     /* trace sonde, too */
};

/* Does the scope name a program, whose probes need no path? */
static inline bool scope_has_program(const struct trace_scope *s)
{
	return s->pid || s->program;
}

/* The path of that program; NULL: there is none. */
static inline const char *scope_program(const struct trace_scope *s, struct arena *a)
{
	return s->pid ? arena_printf(a, "/proc/%u/exe", s->pid) : s->program;
}
