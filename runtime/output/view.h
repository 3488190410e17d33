/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes and a type, made ready for any output writer; and the writers' one interface. Format code
 * lives in format.c and out_*.c only.
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
	const char *name;   /* NULL: unknown */
	uint64_t offset;    /* from the symbol's start; without a name, from the module's */
	const char *module; /* user frames: the mapped file's path; NULL otherwise */
};

struct view_stack {
	const struct view_frame *frames; /* innermost first */
	uint32_t n;
	bool is_user;
	bool is_lost; /* it was taken, but the store does not have it (n is 0) */
};

/* One bucket of a histogram: its number (agg.h has what it holds) and how many values fell into
 * it. */
struct view_bucket {
	uint32_t index;
	uint64_t count;
};

/* A value ready to be shown. type->kind selects the arm; for TY_AGG it is the one that the view
 * hook of its row in aggs.def sets. */
struct view {
	const struct type *type;
	union {
		uint64_t integer; /* sign-extended when type->is_signed */
		struct {
			const char *text;
			uint32_t len; /* up to the first NUL */
		} string;
		struct view_stack stack;
		struct {
			uint64_t count, average, total;
		} stats;
		struct {
			const struct view_bucket *buckets; /* ascending; those left out are empty */
			uint32_t n;
			uint64_t total;	  /* of all buckets */
			uint64_t divisor; /* counts are shown divided by it: 1 or more */
		} histogram;
		struct {
			const uint8_t *bytes;
			struct stack_source *stacks;
		} compound; /* TY_TUPLE, TY_RECORD, TY_ARRAY: view_part gives the parts */
	};
};

/* One row of a map: its keys' views and its value's. */
struct view_row {
	struct view *keys;
	struct view value;
};

struct view_map {
	const char *name;      /* "@lat" */
	uint32_t n_keys;       /* 0: keyless */
	struct view_row *rows; /* sorted as they are to be printed */
	uint32_t n_rows;
};

/* Turns a stack's hash into frames; the session gives one. False: the stack is not there. The
 * frames and their strings must stay where they are while a view made with them is in use: those
 * of a whole map at once. */
struct stack_source {
	bool (*find)(struct stack_source *s, uint64_t hash, bool is_user, struct view_stack *out);
	/* Text of a ksym, usym, user name or timestamp; NULL in a source that has none. */
	const char *(*text)(struct stack_source *s, const struct type *t, const void *bytes);
};

/* The view of the value of `type` at `bytes`. Strings point into bytes. */
void view_make(struct view *v, const struct type *type, const void *bytes,
	       struct stack_source *stacks);

/* Part `i` of a tuple, record or array. */
void view_part(const struct view *v, uint32_t i, struct view *out);
/* What could not be recorded or shown, of one probe and cause. */
struct view_loss {
	const char *probe;	 /* as the user wrote it */
	const char *cause;	 /* "ring-full": stable, for programs */
	const char *what, *help; /* for people; help may be NULL */
	uint64_t n;
};

/* Tests and benches (--test, --bench), as they go. */
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
	uint64_t ns;	    /* how long it took; benches: a run, on average */
	uint64_t runs;	    /* benches */
	bool passed, skipped;
	uint32_t n, name_width;
	const char *const *failed;
	uint32_t n_failed;
};

/* When output is written: at idle moments (and when the buffer is full), at each line's end, only
 * when the buffer is full, at once. */
enum out_buffering { OUT_BUFFER_IDLE, OUT_BUFFER_LINE, OUT_BUFFER_FULL, OUT_BUFFER_NONE };

/* An output format. All functions return 0 or -errno of the write (EPIPE ends the run quietly). */
struct out {
	int (*printf_event)(struct out *o, const struct plan_event *e, const struct view *fields);
	int (*value)(struct out *o, const struct view *v);
	int (*map)(struct out *o, const struct view_map *m);
	/* All probes are attached; what was lost. Text says these on standard error. */
	int (*attached)(struct out *o, uint32_t n_probes);
	int (*lost)(struct out *o, const struct view_loss *l);
	int (*test)(struct out *o, const struct view_test *t);
	int (*flush)(struct out *o);
	void (*close)(struct out *o);
};

/* Text, as bpftrace's users and scripts know it. Writes to the file's descriptor, with a buffer of
 * its own; does not own the file. close() flushes, but only flush() tells of errors. NULL when the
 * file has no descriptor, cannot be flushed, or memory is short (errno says which). */
struct out *out_text_new(FILE *f);
/* JSON, one object a line; the same otherwise. */
struct out *out_json_new(FILE *f);

/* -B. Returns the descriptor that is written to: its reader's end can be polled for. */
int out_set_buffering(struct out *o, enum out_buffering buffering);
/* A command will write to the same descriptor: whatever either writes goes to the file's end, until
 * out_unshare. Programs that copy in the kernel (coreutils' cat: copy_file_range) do not take the
 * lock of the common offset, and would overwrite what we write meanwhile. Files only, and only one
 * that stands at its end. */
void out_share(struct out *o);
void out_unshare(struct out *o);
/* Write out everything whatever the buffering. 0 or the -errno of a write. */
int out_finish(struct out *o);
