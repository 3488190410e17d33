/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters that the kernel keeps by itself, without a program: what `sonde stat` prints.
 */
#pragma once
#include "runtime/base/vec.h"
#include <stdbool.h>
#include <sys/types.h>

struct counter {
	const char *name; /* as it is shown */
	uint32_t type;	  /* enum perf_type_id of linux/perf_event.h */
	uint64_t config;
	bool is_hidden; /* only for the rates of others */
	int err;	/* 0, or -errno: it could not be opened, and counts nothing */
	VEC(int) fds;	/* one for each thread */
	uint64_t value;
	uint64_t enabled_ns, running_ns; /* differ when counters take turns */
};

/* Open it for a command that is held before execve(): it counts from there on, also in what the
 * command starts. 0 or -errno, which is in c->err, too. */
int counter_open_command(struct counter *c, pid_t pid);
/* Add a thread of a running process and the threads that it creates; counter_enable() begins. */
int counter_open_thread(struct counter *c, pid_t tid);
void counter_enable(const struct counter *c);
void counter_disable(const struct counter *c);
/* Add up the threads. 0 or -errno. */
int counter_read(struct counter *c);
void counter_close(struct counter *c);
/* Does the machine, not the permissions, lack it? */
bool counter_is_unsupported(const struct counter *c);
bool counter_is_forbidden(const struct counter *c);
/* The value, extrapolated to the whole time if counters took turns. */
double counter_value(const struct counter *c);
/* Percent of the time in which it counted; 100 unless counters took turns. */
double counter_share(const struct counter *c);
