/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of the kernel that were recorded, for a replay: runtime/recording reads them, the
 * interpreter runs programs on them.
 */
#pragma once
#include <stdint.h>

/* A string in the memory of a program, by the address that an argument had. */
struct recorded_string {
	uint64_t address;
	const char *text;
	uint32_t bytes; /* with the NUL behind it */
};

struct recorded_event {
	uint64_t time; /* CLOCK_BOOTTIME */
	uint64_t seq;  /* of its row, in which order events of the same time were read */
	uint32_t point;
	uint32_t cpu, pid, tid, uid, gid;
	char comm[16];
	uint8_t *record; /* as the tracepoint makes it, and 1 for each byte that has a value */
	uint8_t *known;
	uint32_t n_bytes;
	const struct recorded_string *strings;
	uint32_t n_strings;
};

struct recorded_events {
	const char **points; /* "sched:sched_switch" */
	uint32_t n_points;
	struct recorded_event *events; /* by time */
	uint32_t n_events;
	uint64_t start, end;	  /* of the run, CLOCK_BOOTTIME */
	uint64_t wall, mono, tai; /* the other clocks at its start */
	uint64_t n_lost;
};
