/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of kernel programs: the table made of prog_kinds.def. codegen/ and runtime/attach/ expand
 * the hook columns of the same rows.
 */
#pragma once
#include "parser/lang/capability.h"
#include <stdbool.h>
#include <stdint.h>

enum plan_prog_kind {
#define PROG_KIND(id, ...) PP_##id,
#include "parser/lang/prog_kinds.def"
	PP_KIND_COUNT,
	PP_NONE = PP_KIND_COUNT,
};

/* Traits of a kind. */
enum prog_traits {
	PK_OUTSIDE = 1, /* runs before or after tracing, not during it */
	PK_SCOPED = 2,	/* the thread that runs it is tested against the scope */
	PK_PERIOD = 4,	/* fires by a clock */
	PK_SYSCALL = 8, /* of system calls, dispatched by number */
	PK_KERNEL_FUNCTION = 16,
	PK_USER_FUNCTION = 32,
	PK_TRAMPOLINE = 64, /* called directly, not through a breakpoint or ftrace's handler */
	PK_RETURN = 128,    /* runs where a call ends */
	PK_SESSION = 256,   /* runs at both ends of a call, and its result decides on the second */
	PK_TEST = 512,	    /* a test or benchmark, run for its result */
	PK_USDT = 1024,
	PK_ATOMIC = 2048,    /* in interrupts or with preemption disabled: loops end after 1 ms */
	PK_EVENT = 4096,     /* attached to a perf event that the script describes */
	PK_ITER = 8192,	     /* runs when its file is read */
	PK_SPANS = 16384,    /* visits all threads for their open spans */
	PK_TYPED = 131072,   /* its context holds the typed arguments of a raw tracepoint */
	PK_TRACER = 262144,  /* the tracer runs it: it has no event of the kernel */
	PK_RECORD = 524288,  /* its context is a tracepoint's record */
	PK_SWITCH = 1048576, /* ends and starts times of threads on or off the CPU */
	PK_ENDS = 2097152,   /* runs where a thread ends, or begins another program */
	PK_NEWEST_FIRST = 4194304, /* at one place the kernel runs the newest program first */
	PK_OPTIONAL = 8388608,	   /* a script can run without it */
};

/* Kinds whose every run is a hit: they count none themselves. */
enum { PK_RUNS_ARE_HITS = PK_OUTSIDE | PK_TEST | PK_ITER };

/* Kinds that nobody waits for: that one did not fire is no news. */
enum { PK_UNAWAITED = PK_OUTSIDE | PK_PERIOD | PK_TEST | PK_ITER | PK_TRACER };

struct prog_row {
	const char *name;
	const char *section;
	uint32_t tracer_frames;
	enum capability_id capability;
	enum plan_prog_kind session; /* or PP_NONE */
	uint32_t traits;	     /* enum prog_traits */
};

extern const struct prog_row prog_rows[PP_KIND_COUNT];

/* Does a kind have one of these traits? */
static inline bool prog_kind_is(enum plan_prog_kind kind, uint32_t traits)
{
	return (prog_rows[kind].traits & traits) != 0;
}

/* Can its events happen in interrupts, and not because of the thread that is interrupted? */
static inline bool prog_kind_interrupts(enum plan_prog_kind kind)
{
	return prog_kind_is(kind, PK_ATOMIC) &&
	       !prog_kind_is(kind, PK_SYSCALL | PK_PERIOD | PK_EVENT | PK_SWITCH | PK_ENDS);
}

/* Is that a kind? A column may have none. */
static inline bool prog_kind_exists(enum plan_prog_kind kind)
{
	return kind != PP_NONE;
}
