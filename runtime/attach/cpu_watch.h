/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPUs that come online while probes are attached.
 */
#pragma once
#include <stdint.h>

struct session;
struct perf_event_attr;

/* The program has an event of `attr` on each CPU that is online. Watch from the first call on. 0 or
 * -ENOMEM; without CPUs to watch (a network namespace of its own) nothing is watched. */
int cpu_watch_add(struct session *s, uint32_t prog, const struct perf_event_attr *attr);
/* Readable when a CPU came or went; -1: none is watched. */
int cpu_watch_fd(const struct session *s);
/* Open the events of CPUs that came. */
void cpu_watch_read(struct session *s);
/* Warn how long which CPUs had no events. */
void cpu_watch_report(const struct session *s);
void cpu_watch_free(struct session *s);
