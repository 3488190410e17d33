/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probe types (rows of probes.def) and attach points.
 */
#pragma once
#include "parser/lang/kernel.h"
#include "parser/lang/prog_kind.h"
#include "parser/base/source.h"
#include <assert.h>

struct diags;
struct attach_text;
struct usdt_point;

enum probe_id {
#define PROBE(id, ...) PROBE_##id,
#include "parser/lang/probes.def"
	PROBE_COUNT,
};

/* The context of a program, by probe type. */
enum probe_context {
	CTX_NONE,
	CTX_TEST,	  /* of a program that cannot read stacks */
	CTX_INTERRUPTED,  /* struct pt_regs of what was interrupted */
	CTX_TRACEPOINT,	  /* the record, or a raw tracepoint's arguments */
	CTX_REGS_ENTRY,	  /* struct pt_regs at a function's first instruction */
	CTX_REGS_RETURN,  /* struct pt_regs as a function returns */
	CTX_NOTE,	  /* struct pt_regs, and a note in the file that says where arguments are */
	CTX_TYPED_ENTRY,  /* a kernel function's arguments, word by word */
	CTX_TYPED_RETURN, /* the same, and the result */
	CTX_TYPED_EVENT,  /* a raw tracepoint's arguments, word by word */
};

/* What `delta` measures: see docs/internals/spans.md. */
enum span_kind {
	SPAN_NO,
#define SPAN(id, ...) SPAN_##id,
#include "parser/lang/spans.def"
	SPAN_COUNT,
	SPAN_BY_EVENT =
		SPAN_COUNT, /* in probes.def: some of its events end one, see span_of_event() */
};

struct attach_point;
struct probe_expansion;
typedef int expand_fn(struct probe_expansion *e); /* parser/attach/expand.h */

/* Which arm of struct attach_point's union a type uses. */
enum probe_arm {
	ARM_NONE,
	ARM_TRACEPOINT,
	ARM_KERNEL,
	ARM_USER,
	ARM_USDT,
	ARM_TYPED,
	ARM_TIMER,
	ARM_PERF,
	ARM_ITER,
	ARM_TEST,
};

/* What -l shows of a probe type. */
enum probe_listing {
	LIST_FORM = 1 << 0,	 /* how it is written, when no type is named */
	LIST_NAMED = 1 << 1,	 /* its names, when the type is named */
	LIST_ALWAYS = 1 << 2,	 /* likewise, and without a type; patterns of types stand for it */
	LIST_TWO_PARTS = 1 << 3, /* TYPE:A:B; in a listing A or B alone finds it, too */
	LIST_FILE = 1 << 4,	 /* the names are those of a file */
};

struct probe_reader {
	struct arena *arena;
	struct diags *diags;
	struct kernel *kernel;
	bool unsafe; /* --unsafe: what can harm is allowed */
	/* -l: only names are needed, all names of a function, without limits; every text is a
	 * pattern */
	bool lists;
};

enum probe_traits {
	PR_IN_PROCESS = 1,  /* fires in a thread's context: -c, -p and the like restrict it */
	PR_EVERY_RUN = 2,   /* runs also with --test and --bench */
	PR_TEST = 4,	    /* runs with --test only */
	PR_BENCH = 8,	    /* runs with --bench only */
	PR_UNFILTERED = 16, /* --probe-filter never leaves it out */
	PR_SPECIAL = 32,    /* `probetype` is "special" */
	PR_LAST = 64,	    /* runs after all others */
};

struct probe_row {
	const char *name, *alias, *form; /* alias: words, or NULL */
	enum probe_context context;
	uint32_t traits; /* enum probe_traits */
	/* Resolve the text after the type's name, split at ':'. 0, or -1 (reported). */
	int (*parse)(const struct probe_reader *r, struct attach_point *p, char **parts,
		     uint32_t n);
	expand_fn *expand;
	enum span_kind span;
	unsigned listing; /* enum probe_listing */
	enum capability_id capability;
	enum plan_prog_kind program;
	enum probe_arm arm;
	enum type_space space;
	enum probe_id entry;
	const char *doc, *example; /* example: as in struct builtin */
};

extern const struct probe_row probe_rows[PROBE_COUNT];

/* Is the attach point, as the script has it, of a known type and an event of the kernel? */
bool probe_text_is_of_kernel(const char *text);
/* The name of a probe type as messages print it: kprobe, but BEGIN. */
static inline const char *probe_title(enum probe_id id)
{
	const struct probe_row *r = &probe_rows[id];

	return strchr(r->form, ':') ? r->name : r->form;
}

/* A function, or a location in one, that a probe is attached to. */
struct attach_target {
	const char *function; /* as people write it */
	const char *symbol;   /* as the kernel or the file has it */
	const char *path;     /* user functions: the file, absolute; else NULL */
	const char *shown;    /* the path as the script has it; NULL: `path` */
	const char *called;   /* the path or name of the file in the script; NULL: a pattern */
	uint64_t offset; /* user functions: in the file; kernel functions: after the start; bytes */
	uint64_t size;	 /* user functions: bytes, 0 when unknown */
	bool is_entry;	 /* user functions: the target is its first instruction */
	bool is_exit;	 /* user functions: an instruction by which one is left */
	bool is_closed;	 /* user functions: as in struct user_point */
	enum user_abi abi;  /* user functions */
	const char *module; /* kernel functions: the requested module, or NULL */
	uint64_t address;   /* kernel functions: instead of a name, or 0; usdt: in the file */
	/* usdt (`function` is set when a script uses it) */
	const char *name; /* the value of `probe`; NULL: type, path and function */
	const char *args; /* operands as in the note */
	uint64_t ref_ctr; /* file offset of the semaphore, 0: none */
	uint32_t format;  /* index in the point's usdt->formats */
	/* user functions: types from debug information, set when a script uses `args` */
	const struct typed_function *typed;
	bool has_shown_types; /* ... by which values are shown, for `call` */
	/* uretprobe at exits: the function ends in jumps to other functions, one of which is
	 * `jumps_to`, NULL if not known; the target is such a jump, taken on a condition (struct
	 * user_exit) */
	bool has_jump, is_jump;
	uint8_t condition;
	const char *jumps_to;
	bool is_loop; /* in `entries`: as in struct user_exits */
};

/* Its path as it is shown. */
static inline const char *target_path(const struct attach_target *t)
{
	return t->shown ? t->shown : t->path;
}

/* What a perf event counts. */
struct perf_point {
	uint32_t type;	  /* enum perf_type_id of linux/perf_event.h */
	uint32_t access;  /* watchpoint: HW_BREAKPOINT_* */
	uint64_t config;  /* software, hardware: the event's number */
	uint64_t every;	  /* events for each firing; 0: by `hertz` */
	uint64_t address; /* watchpoint */
	uint32_t length;  /* watchpoint: bytes */
	bool is_movable;  /* watchpoint: `address` counts from where `path` is loaded */
	const char *path; /* watchpoint on a variable: its file */
	const char *what; /* for messages: the event's name */
};

/* ---- the arms of an attach point's union ------------------------------------------------ */

struct tracepoint_point {
	const struct tp_format *format;
	int64_t syscall; /* of syscalls:sys_enter_X and sys_exit_X: the number of X; else -1 */
	bool has_raw;	 /* a raw tracepoint of that name exists */
};

struct kernel_point {
	const struct typed_function *typed; /* kretprobe, one function: set for `retval` */
	bool has_results; /* kretprobe, a pattern: targets that return nothing are left out */
};

struct user_point {
	enum user_abi abi; /* of all targets */
	/* uretprobe of Go, C++ and Rust: the targets are the instructions by which the functions
	 * in `entries` are left */
	bool is_at_returns;
	/* Only their returns can leave them, so these are seen by the kernel's return probe. */
	bool is_closed;
	bool is_at_line;	     /* the targets are where code of a source line begins */
	struct user_switch switches; /* is_at_returns: why a thread's calls are of several stacks */
	bool is_untyped;	     /* no types are known, which is reported */
	struct attach_target *entries;
	uint32_t n_entries;
	const struct typed_function *typed; /* of the first target, set for `args` */
	/* set for `retval`; NULL: that is the register */
	const struct type *result;
	bool is_in_memory; /* `result` is a pointer to what the function returns */
	/* `result` is in memory of the program, made of registers that each hold a part: of these
	 * fields, its members if it is a tuple */
	const struct tp_field *results;
	uint32_t n_results;
	bool is_mixed; /* its functions return different types, which is reported */
};

struct timer_point {
	uint64_t period_ns;
	uint64_t hertz; /* profile: firings a second; 0: by the period */
};

struct event_point {
	struct perf_point event;
	uint64_t hertz; /* software, hardware: firings a second, or 0 */
};

struct iter_point {
	const struct kernel_iter *kind;
	const char *pin; /* the file that keeps the program, or NULL */
};

/* A resolved attach point. The parse hook of its row sets the members. Which arm of the union is in
 * use follows from `id`, by the column `arm` of probes.def: code for several types reads the arms
 * through point_*() and probe_*() below. */
struct attach_point {
	enum probe_id id;
	struct span span;
	const char *name;     /* the value of `probe`: canonical, or as the script calls it */
	const char *resolved; /* is_named: the canonical name; else NULL */
	const char *pattern;  /* the attach point as written, when it is a pattern; or NULL */
	bool is_named;	      /* the script names it: NAME=… */
	bool is_listed;	      /* for -l: only the names of its targets, or `names`, are known */
	/* The kind of span that its probe measures here, SPAN_NO when none: sema_span.c */
	enum span_kind ends;
	const char **names; /* for -l: of events, functions: what follows "TYPE:" in their lines */
	uint32_t n_names;
	/* kprobes, uprobes, usdt: at least one, each offset once; else none */
	uint32_t n_targets;
	struct attach_target *targets;
	const char *function; /* of these types, fentry and fexit: the function, or the pattern */
	union {
		struct tracepoint_point tracepoint; /* tracepoint */
		struct kernel_point kernel;	    /* kprobe, kretprobe */
		struct user_point user;		    /* uprobe, uretprobe */
		struct usdt_point *usdt; /* usdt: set when a script uses an argument, else NULL */
		const struct typed_function *typed; /* fentry, fexit, rawtracepoint */
		struct timer_point timer;	    /* interval, profile */
		struct event_point perf;	    /* software, hardware, watchpoint */
		struct iter_point iter;		    /* iter */
		const char *test;		    /* test, bench: its name */
	};
};

static inline bool point_has(const struct attach_point *p, enum probe_arm arm)
{
	return probe_rows[p->id].arm == arm;
}

/* The name of its type. */
static inline const char *point_type(const struct attach_point *p)
{
	return probe_rows[p->id].name;
}
/* The arm of a point that is known to be of such a type. */
static inline const struct tracepoint_point *point_tracepoint(const struct attach_point *p)
{
	assert(point_has(p, ARM_TRACEPOINT));
	return &p->tracepoint;
}

static inline const struct user_point *point_user(const struct attach_point *p)
{
	assert(point_has(p, ARM_USER));
	return &p->user;
}

static inline const struct timer_point *point_timer(const struct attach_point *p)
{
	assert(point_has(p, ARM_TIMER));
	return &p->timer;
}

static inline const struct event_point *point_perf(const struct attach_point *p)
{
	assert(point_has(p, ARM_PERF));
	return &p->perf;
}

static inline const struct iter_point *point_iter(const struct attach_point *p)
{
	assert(point_has(p, ARM_ITER));
	return &p->iter;
}

/* The format of a tracepoint; NULL for other types. */
static inline const struct tp_format *probe_format(const struct attach_point *p)
{
	return point_has(p, ARM_TRACEPOINT) ? p->tracepoint.format : NULL;
}

/* The number of the system call that it is an event of, or -1. Points of listings have none. */
static inline int64_t probe_syscall(const struct attach_point *p)
{
	return probe_format(p) ? p->tracepoint.syscall : -1;
}

/* Does it fire at the instructions by which a function is left? */
static inline bool probe_is_at_returns(const struct attach_point *p)
{
	return point_has(p, ARM_USER) && p->user.is_at_returns;
}

/* Do its calls end before they jump to another function? Then no two open ones have the same stack
 * pointer. */
static inline bool probe_ends_at_jumps(const struct attach_point *p)
{
	return point_has(p, ARM_USER) && (p->user.is_at_returns || p->user.is_closed);
}

/* How the program of its functions switches stacks, so that the calls of a thread are of several
 * stacks; NULL if it does not. */
static inline const struct user_switch *probe_switches(const struct attach_point *p)
{
	return probe_is_at_returns(p) && p->user.switches.function ? &p->user.switches : NULL;
}

/* How its function is passed arguments. */
static inline enum user_abi probe_abi(const struct attach_point *p)
{
	return point_has(p, ARM_USER) ? p->user.abi : USER_ABI_C;
}

/* The types of its function or raw tracepoint, where they are known; or NULL. */
const struct typed_function *probe_typed(const struct attach_point *p);
/* The name of a target's events in a recording: TYPE:PATH:FUNCTION, TYPE:FUNCTION of the kernel. */
const char *probe_recorded_name(struct arena *a, enum probe_id id, const struct attach_target *t);
/* The same with the function's symbol: a word of the facts of a recording. */
const char *probe_recorded_fact(struct arena *a, enum probe_id id, const struct attach_target *t);
/* The functions that it is on; its targets are not these where it is at their exits. */
struct attach_target *probe_functions(const struct attach_point *p, uint32_t *n);

/* Resolve the text of one attach point. 0, or -1 with the reason in r->diags. */
int probe_resolve(const struct probe_reader *r, const struct attach_text *text,
		  struct attach_point *out);
/* Resolve a text, which may be a pattern, into attach points appended to *points. 0 or -1. */
/* A text may also give a name, `here=kprobe:f`, and stand for several probe types, `*probe:f`. */
int probe_resolve_all(const struct probe_reader *r, const struct attach_text *text,
		      struct attach_point **points, uint32_t *n_points);
/* "a, b, c": tracepoints whose names share words with the function's name; NULL if there are none.
 */
const char *probe_near_tracepoints(const struct probe_reader *r, const char *function);
/* Hint these, or how to list all. Returns -1. */
int probe_hint_tracepoints(const struct probe_reader *r, const char *function);
/* The first `end` of an attach point outside quotes, or the end of the text. */
const char *probe_end_of_part(const char *text, char end);
/* True when the first `len` bytes of `text` name the probe type `id`. */
bool probe_type_is(const char *text, size_t len, enum probe_id id);
/* The type that the text begins with, up to a ':' or its end. False: none. */
bool probe_find_type(const char *text, enum probe_id *id);
/* The same of TYPE:…, a type of probes on functions, whose events a recording can have. */
bool probe_find_call(const char *text, enum probe_id *id);
/* Does a recording have its events by the text of the probe: timers that look at what runs,
 * counters, raw tracepoints? */
bool probe_is_named(enum probe_id id);
/* Are its arguments described by BTF (`typed`)? */
static inline bool probe_is_typed(const struct attach_point *p)
{
	enum probe_context context = probe_rows[p->id].context;

	return context == CTX_TYPED_ENTRY || context == CTX_TYPED_RETURN ||
	       context == CTX_TYPED_EVENT;
}

/* Does it fire where a call ends? */
static inline bool probe_is_return(const struct attach_point *p)
{
	return probe_rows[p->id].entry != p->id;
}

/* Whose memory an address of unknown origin is in, such as an argument. */
static inline enum type_space probe_space(const struct attach_point *p)
{
	return probe_syscall(p) >= 0 ? SPACE_USER : probe_rows[p->id].space;
}

/* The memory that a number or pointer of type `t` is an address in. Numbers of unknown origin are
 * the kernel's at system calls, whose arguments are known. */
enum type_space probe_address_space(const struct attach_point *p, const struct type *t);

/* True for the probe whose `delta` is a span of off-CPU time. */
bool probe_is_sched_switch(const struct attach_point *p);
/* Is it raw_syscalls:sys_exit, the return of any system call? */
bool probe_is_any_sys_exit(const struct attach_point *p);

/* probe_iter.c: a field by its name; the first object that the iterator visits; the thread, if it
 * visits threads or what belongs to them. Or NULL. */
const struct iter_field *iter_field(const struct kernel_iter *iter, const char *name);
const struct iter_field *iter_object(const struct kernel_iter *iter);
const struct iter_field *iter_task(const struct kernel_iter *iter);
