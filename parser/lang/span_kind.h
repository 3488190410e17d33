/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of spans (rows of spans.def): which event starts a span, and where its state is stored.
 */
#pragma once
#include "parser/lang/probe.h"

enum span_start {
	START_HERE,	 /* the same event: it ends one span and starts another */
	START_ENTRY,	 /* a hidden probe at the function's entry */
	START_SYS_ENTER, /* the script's program on sys_enter */
};

enum span_state {
	STATE_TASK,	 /* task storage: freed with its thread */
	STATE_CPU,	 /* a per-CPU array of one */
	STATE_GOROUTINE, /* a hash by goroutine and frame: bpf_helpers/goroutine.bpf.c */
};

struct span_row {
	enum span_start start;
	enum span_state state;
	uint32_t slots;	    /* spans of one thread, or CPU, that can be open at once */
	uint32_t key_bytes; /* of the key that matches end and start: stack pointer or number */
	uint32_t same;	    /* enum builtin_traits */
	enum plan_prog_kind ended; /* runs where a thread ends that has open ones; may be none */
	const char *doc;
};

extern const struct span_row span_rows[SPAN_COUNT];

/* The kind of span that `delta` measures at `p`; SPAN_NO when the event ends none. Whether a probe
 * does measure one is in p->ends. */
enum span_kind span_of_event(const struct attach_point *p);
/* Does the current thread wake another one at this raw tracepoint? The woken one is the first
 * argument. */
bool event_is_wakeup(const char *event);
/* Does the scheduler report it, with preemption disabled? */
bool event_is_atomic(const char *event);
/* Does a program begin at this raw tracepoint? */
bool event_is_exec(const char *event);
/* The tracepoints of raw_syscalls: those of any system call. */
bool event_is_any_call(const char *event);
