/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of the kernel that were recorded: runtime/recording reads them, the interpreter runs
 * programs on them.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct view_frame;

/* A string in the memory of a program, by the address that an argument had. */
struct recorded_string {
	uint64_t address;
	const char *text;
	uint32_t bytes; /* with the NUL behind it */
};

enum { RECORDED_COMM = 16 };

/* A thread, with the name and the user that it had at some time. */
struct recorded_thread {
	uint64_t cgroup; /* its id */
	uint32_t pid, tid, uid, gid, ppid;
	uint32_t first; /* index of the first one of that tid */
	char comm[RECORDED_COMM], pcomm[RECORDED_COMM], leader_comm[RECORDED_COMM];
};

struct recorded_cgroup {
	uint64_t id;
	const char *path; /* "unified:/a,cpu:/a", as cgroup_path() shows it */
};

/* Frames have numbers, from 1 on; programs get these instead of addresses. */
struct recorded_stack {
	const uint64_t *frames; /* innermost first */
	uint32_t n;
};

struct recorded_frame {
	const struct view_frame *frame; /* NULL: it stands only for why there are none */
	const char *cut;		/* why there are no more frames behind it; or NULL */
};

/* Of the states that sched_switch reports: the thread has ended. */
enum { RECORDED_ENDS = 0x30 };

enum recorded_kind {
	RECORDED_EVENT, /* of a tracepoint or function */
	RECORDED_AWAY,	/* a thread leaves the CPU; the tracepoint's event was lost */
	RECORDED_BACK,	/* a thread comes onto the CPU */
};

/* Points of which a thread's calls never return. */
#define RECORDED_ENDED "ended"
#define RECORDED_REPLACED "replaced"

/* The values of a call. */
enum {
	RECORDED_SP, /* the stack pointer at its entry, by which both ends of a call are found */
	RECORDED_LENGTH,		   /* of its return: nanoseconds since the entry */
	RECORDED_CALLER = RECORDED_LENGTH, /* of its entry: the return address; 0: not known */
	RECORDED_ARGUMENTS,
	RECORDED_RESULT = RECORDED_ARGUMENTS,
};

struct recorded_event {
	uint64_t time; /* CLOCK_BOOTTIME */
	uint64_t seq;  /* of its row, in which order events of the same time were read */
	enum recorded_kind kind;
	uint32_t point;
	uint32_t cpu;
	uint32_t thread;	 /* index in threads */
	uint32_t kstack, ustack; /* indexes in stacks; 0: none */
	const uint64_t *words;	 /* of the thread's struct, see recorded_task.h; or NULL */
	uint32_t state;		 /* in which a thread leaves the CPU, as sched_switch says */
	bool has_state;
	uint8_t *record; /* as the tracepoint makes it, and 1 for each byte that has a value */
	uint8_t *known;
	uint32_t n_bytes;
	/* Of a call: RECORDED_SP, RECORDED_LENGTH, then arguments, or the result and arguments.
	 * NULL: others */
	const uint64_t *values;
	uint32_t n_values;
	/* Of an entry: a call that was open at the same place on the stack has been left. If not,
	 * that call ended in a jump to this one. */
	bool is_called;
	const struct recorded_string *strings;
	uint32_t n_strings;
};

/* A thread whose time on or off the CPU began before the recording and counts from `time`, or was
 * open at its end. */
struct recorded_edge {
	uint64_t time;
	uint32_t thread, cpu;
	uint32_t kstack; /* where it waited */
	const uint64_t *words;
	bool is_on_cpu;
};

struct recorded_events {
	const char **points; /* "sched:sched_switch", "uprobe:/bin/bash:readline" */
	uint32_t n_points;
	struct recorded_event *events; /* by time */
	uint32_t n_events;
	struct recorded_thread *threads;
	uint32_t n_threads;
	struct recorded_stack *stacks; /* [0]: none */
	uint32_t n_stacks;
	struct recorded_frame *frames; /* [0]: none */
	uint32_t n_frames;
	struct recorded_edge *begins, *ends;
	uint32_t n_begins, n_ends;
	struct recorded_cgroup *cgroups;
	uint32_t n_cgroups;
	bool has_stacks;	  /* they were recorded */
	uint64_t start, end;	  /* of the run, CLOCK_BOOTTIME */
	uint64_t open_end;	  /* until when spans that are open at the end count */
	uint64_t wall, mono, tai; /* the other clocks at its start */
	uint64_t n_lost;
};
