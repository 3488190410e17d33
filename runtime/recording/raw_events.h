/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of tracepoints in a recording of 'sonde record --events', for a replay.
 */
#pragma once
#include "runtime/base/recorded_events.h"

struct kernel;
struct recording;
struct tp_field;
struct tp_format;

/* Instead of an attach point: a thread comes back to the CPU, a thread's time on the CPU ends. */
#define RAW_BACK "back"
#define RAW_ON "on"
/* A cgroup, of which the first event follows: its id and path. */
#define RAW_CGROUP "cgroup"
/* ... a thread ends, a thread begins another program. */
#define RAW_ENDED RECORDED_ENDED
#define RAW_REPLACED RECORDED_REPLACED

/* Is the string recorded that the argument points to? */
bool raw_events_has_string(const struct tp_format *f, const struct tp_field *field);

/* The facts of the kernel that was recorded, from malloc. NULL after a message. */
char *raw_events_facts(struct recording *r);
/* Read the events, whose formats `k` has. They live as long as the recording is open. 0, or -1
 * after a message. */
int raw_events_read(struct recording *r, struct kernel *k, struct recorded_events *out);
