/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: values made from bytes and a type, ready for any writer. Only format*.c here and
 * runtime/output/ contain formatting code.
 */
#pragma once
#include "parser/plan/plan.h"
#include "bpf_helpers/shared.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* One frame of a stack, symbolized. */
struct view_frame {
	uint64_t ip;
	const char *name;     /* NULL: unknown */
	uint64_t offset;      /* from the symbol's start; without a name, from the module's */
	const char *module;   /* user frames: the mapped file's path; kernel frames: the module, or
			     * NULL */
	const char *build_id; /* of the mapped file or the kernel, in hexadecimal; or NULL */
	uint64_t linked;      /* the address in the mapped file, as linked; 0: not known */
	const char *file;     /* source file; NULL: not known */
	uint32_t line;
	bool is_inlined; /* `name` was inlined into the next frame */
	bool is_caller;	 /* ip is behind a call */
};

/* Does it stand for frames that were left out? Its name says so. */
bool view_frame_is_gap(const struct view_frame *f);
/* The module of functions that an interpreter runs: its name in brackets. By number of
 * runtimes.def, from 1 on; NULL: there is no such number. */
const char *view_run_module(uint32_t runtime);
/* Is it such a function? */
bool view_frame_is_run(const struct view_frame *f);
/* The file of a frame that has one, as texts show it: without its folders. The name of a module
 * that a program has in itself, such as node:internal/timers, is whole. */
const char *view_frame_file(const struct view_frame *f);
/* A hash of all of it, and of what was before. */
uint64_t view_frame_hash(uint64_t h, const struct view_frame *f);

struct view_stack {
	const struct view_frame *frames; /* innermost first */
	uint32_t n;
	bool is_user;
	const char *cut; /* why there are no more frames; NULL: the last one is the outermost */
	bool is_lost;	 /* captured, but missing from the store (n is 0) */
};

/* A hash of all of it. */
uint64_t view_stack_hash(const struct view_stack *s);
#define VIEW_STACK_LOST "stack lost" /* the text for that */

/* One bucket of a histogram: its number (for its range see agg.h) and its count. Of tseries an
 * interval: its number since 1970, and its value. */
struct view_bucket {
	uint64_t index;
	uint64_t count;
};

/* A value ready to be shown. type->kind selects the arm; for TY_AGG it is the one that the view
 * hook of its row in aggs.def sets. */
struct view {
	const struct type *type;
	union {
		uint64_t integer;		   /* sign-extended when type->is_signed */
		uint8_t real[sizeof(long double)]; /* view_real() */
		struct {
			const char *text;
			uint32_t len;	     /* up to the first NUL; TY_BUFFER: all */
			const char *trailer; /* behind a string that was cut; or NULL */
		} string;
		struct view_stack stack;
		struct {
			uint64_t average, count, total;
		} stats; /* of avg, the integer is the average; of min and max, a count of 0
			  * says that there was no value */
		struct {
			const struct view_bucket *buckets; /* ascending; missing ones are empty */
			uint32_t n;
			uint64_t total;	  /* of all buckets */
			uint64_t divisor; /* counts are divided by it for output; at least 1 */
			uint64_t last;	  /* tseries: the newest interval of all rows */
			uint64_t sum;	  /* of others: of the values, modulo 2^64 */
		} histogram;
		struct {
			const uint8_t *bytes;
			struct stack_source *stacks;
			const struct view *parts; /* of a recording; else NULL */
		} compound; /* tuples, records, arrays, structs: view_part gives the parts */
	};
};

/* One row of a map: views of its keys and its value. */
struct view_row {
	struct view *keys;
	struct view value;
};

struct view_map {
	const char *name; /* "@lat" */
	bool is_time;	  /* its values are nanoseconds */
	uint64_t time;	  /* of a recording: when it was printed, CLOCK_MONOTONIC; else 0 */
	uint32_t n_keys;  /* 0: keyless */
	const char *const *key_names; /* of struct plan_map; NULL: not known */
	struct view_row *rows;	      /* in the order of output */
	uint32_t n_rows;
	/* How it is shown: */
	uint64_t time_unit;    /* of text, if is_time: a word of the setting time_unit */
	uint64_t whole;	       /* of text: the total, of which each row shows its share; 0: none */
	const char *delimiter; /* between a user stack and a kernel stack on it; NULL: none */
};

/* Turns a stack's hash into frames; provided by the session. False if the stack is missing. The
 * frames and their strings must stay valid while a view uses them, which for a map means those of
 * all its rows. */
struct stack_source {
	bool (*find)(struct stack_source *s, uint64_t hash, const struct type *type,
		     struct view_stack *out);
	const char *trailer; /* behind a string that was cut; NULL: ".." */
	/* The text of a ksym, usym, user name or timestamp. NULL if the source has none. */
	const char *(*text)(struct stack_source *s, const struct type *t, const void *bytes);
};

/* Make the view of the value of `type` at `bytes`. Strings point into bytes. */
void view_make(struct view *v, const struct type *type, const void *bytes,
	       struct stack_source *stacks);

/* The number of a SHAPE_FLOAT. */
long double view_real(const struct view *v);
void view_set_real(struct view *v, long double x);
/* Part `i` of a tuple, record, array or struct. */
void view_part(const struct view *v, uint32_t i, struct view *out);
/* Losses of one probe by one cause. */
struct view_loss {
	const char *probe;	 /* as the user wrote it */
	const char *cause;	 /* "ring-full": stable, for programs */
	const char *what, *help; /* for people; help may be NULL */
	const char *host;	 /* where, if results of several are shown; else NULL */
	uint64_t n;
};

/* A message of the script: errorf(), warnf(), or a call that failed. */
struct view_message {
	const char *helper; /* -k: the BPF helper that failed with `result`; else NULL */
	int64_t result;
	const char *excerpt; /* lines of the script that the text writer adds; or NULL */
	enum plan_event_kind kind;
	const char *text;
	uint32_t len;
	const char *file; /* where the call is; columns from 1, `end` exclusive */
	uint32_t line, first, end;
};

/* Progress of tests and benchmarks (--test, --bench). */
struct view_test {
	enum view_test_stage {
		VIEW_TEST_BEGIN,  /* n, name_width: of the longest name */
		VIEW_TEST_RUN,	  /* name; not of benches */
		VIEW_TEST_RESULT, /* name, ns, and output or runs */
		VIEW_TEST_END,	  /* n, failed */
	} stage;
	bool is_bench;
	const char *name;
	const char *output; /* what the test printed */
	uint64_t ns;	    /* duration; benches: average of a run */
	uint64_t runs;	    /* benches */
	bool passed, skipped;
	uint32_t n, name_width;
	const char *const *failed;
	uint32_t n_failed;
};

/* A finished span, of span(). */
struct view_span {
	const char *name;
	bool is_call; /* the name is that of a function or system call */
	/* Of a call, if they are recorded: `3, "x"` and `-5`; or NULL. */
	const char *arguments, *result;
	/* What the script gave span() beside the name: each value's name is in its piece. */
	const struct format_piece *pieces;
	const struct view *values;
	uint32_t n_values;
	enum view_span_kind {
		VIEW_SPAN_USER,	   /* a function of a program */
		VIEW_SPAN_LIBRARY, /* of a library; the name is FUNCTION@LIBRARY */
		VIEW_SPAN_KERNEL,
		VIEW_SPAN_SYSCALL,
		VIEW_SPAN_OFF_CPU,
		VIEW_SPAN_ON_CPU,
		VIEW_SPAN_KINDS
	} kind;
	uint32_t pid, tid;
	const char *comm;
	uint64_t start, length; /* nanoseconds, CLOCK_MONOTONIC */
	uint64_t tracer;	/* of the length: the tracer's own time, if that is subtracted */
	bool is_open;		/* it had not ended when tracing did */
	bool is_left;	   /* an exception or longjmp left it; it ended after `length` at most */
	bool is_cut;	   /* it began before tracing did, and counts from there */
	bool is_outermost; /* the thread is in no other span that may come */
};

/* --label NAME=VALUE: what a run is told apart by, beside the host. */
struct view_label {
	const char *name; /* a word of letters, digits and _ */
	uint32_t name_len;
	const char *value;
};

/* What ran, for a writer that keeps it. Strings may be NULL. */
struct view_run {
	const char *path; /* the file of -o */
	const char *version, *arguments;
	const char *script_name, *script, *command;
	const char *host, *kernel, *machine;
	const char *boot_id; /* of the kernel since it started */
	const char *parts;   /* of a merged result: ids of its runs (merge.h); else NULL */
	const struct view_label *labels;
	uint32_t n_labels;
	bool resets;			 /* --reset: what a map has is that of an interval */
	const struct trace_scope *scope; /* NULL: not known */
	uint64_t start, monotonic;	 /* CLOCK_REALTIME, CLOCK_MONOTONIC */
	const char *facts;		 /* of the kernel whose events are recorded; or NULL */
	uint64_t boot, tai;		 /* the other clocks */
	uint64_t last_ns;		 /* --last; 0: all */
	const char *listen;		 /* --listen; or NULL */
	uint32_t max_keys;		 /* of a metric; 0: the default */
	/* Replace the file `path`: 0, or a status after a message. */
	int (*write_file)(const char *path, const void *bytes, size_t len, mode_t mode);
	uint64_t ended; /* of a recording: CLOCK_REALTIME; else 0 */
	/* What counts are the number of: "samples"; NULL: as the aggregation says. What times are:
	 * "off-cpu", "on-cpu"; NULL: of other things. */
	const char *counted, *timed;
};

/* --stats: what programs cost. */
struct view_stats_row {
	const char *name;
	uint64_t hits; /* of the program's probes, in scope, before their predicates */
	uint64_t runs; /* of the program */
	uint64_t ns, missed, lost;
	uint64_t kstacks, recalled; /* kernel stacks that may be recalled, and that were */
};

struct view_stats {
	uint64_t elapsed_ns, self_ns; /* CPU time of sonde */
	const struct view_stats_row *rows;
	uint32_t n;
	bool is_all; /* of the whole run, not of an interval */
};
