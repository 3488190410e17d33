/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of spans (rows of spans.def): which event starts what a probe ends, and where the state is.
 */
#pragma once
#include "parser/lang/probe.h"

struct sema;
struct expr;
struct probe;

enum span_start {
	START_HERE,	 /* the same event: it ends one span and starts another */
	START_ENTRY,	 /* a hidden probe where the function is entered */
	START_SYS_ENTER, /* the script's program on sys_enter */
};

enum span_state {
	STATE_TASK, /* task storage: ends with its thread */
	STATE_CPU,  /* a per-CPU array of one */
};

struct span_row {
	enum span_start start;
	enum span_state state;
	uint32_t slots;	    /* spans of one thread, or CPU, that can be open at once */
	uint32_t key_bytes; /* what says which end belongs to a start: stack pointer, number */
	uint32_t same;	    /* enum builtin_traits */
	const char *doc;
};

extern const struct span_row span_rows[SPAN_COUNT];

/* The kind of span that an event at `p` ends; SPAN_NO. */
enum span_kind probe_span(const struct attach_point *p);
/* Is this field of `args` the number of the system call whose end `p` is? */
bool sema_is_call_number(const struct probe *p, const struct expr *e);
/* Visit what follows as if it stood in the probe that starts the spans of this one. Returns the
 * probe to go back to. */
struct probe *sema_to_start(struct sema *s);
/* What entry() may hold: values of the start event, nothing of the end's. */
bool sema_check_entry(struct sema *s, struct expr *e);
