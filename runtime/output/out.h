/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The interface of the writers, and the writers.
 */
#pragma once
#include "runtime/view/view.h"

/* When output is written: when the loop is idle or the buffer full, at each line's end, only when
 * the buffer is full, or at once. */
enum out_buffering { OUT_BUFFER_IDLE, OUT_BUFFER_LINE, OUT_BUFFER_FULL, OUT_BUFFER_NONE };

/* What comes in by `input`: nothing, the user ends the run, or a round is asked for. */
enum out_input { OUT_NO_INPUT, OUT_END_RUN, OUT_ROUND };

/* An output format. All functions return 0 or the -errno of a write. EPIPE ends the run
 * silently. */
struct out {
	/* Called once, before all others; NULL: the writer needs no facts of the run. */
	int (*begin)(struct out *o, const struct view_run *r);
	int (*printf_event)(struct out *o, const struct plan_event *e, const struct view *fields);
	/* PE_ROW: a row of a table, whose columns are the event's pieces. */
	int (*row)(struct out *o, const struct plan_event *e, const struct view *fields);
	/* The text writer prints it to standard error. */
	int (*message)(struct out *o, const struct view_message *m);
	int (*value)(struct out *o, const struct view *v);
	int (*map)(struct out *o, const struct view_map *m);
	int (*span)(struct out *o, const struct view_span *s);
	/* All probes are attached; losses. The text writer prints these to standard error. */
	int (*attached)(struct out *o, uint32_t n_probes);
	int (*lost)(struct out *o, const struct view_loss *l);
	int (*test)(struct out *o, const struct view_test *t);
	int (*stats)(struct out *o, const struct view_stats *s);
	/* Everything that the script prints is written; only the maps at the end may follow. */
	int (*end)(struct out *o);
	int (*flush)(struct out *o);
	/* Keep what is held back (sonde record --last); NULL: the writer holds nothing back. */
	int (*dump)(struct out *o);
	uint64_t n_dropped; /* of that, lost for lack of memory */
	/* Write what needs all that was printed; NULL: nothing does. */
	int (*finish)(struct out *o);
	/* The maps that --interval prints follow; NULL: the writer does not say when. */
	int (*interval)(struct out *o, const struct timespec *now, bool is_short);
	/* --interval prints all maps between a call with `begins` and one without; the first time
	 * when tracing begins, if there is `input`. NULL: the writer need not know. */
	int (*round)(struct out *o, bool begins);
	/* `input_fd` can be read, or a signal came: enum out_input. */
	int (*input)(struct out *o);
	int input_fd;
	bool wants_losses; /* each round has those that were counted so far */
	/* Tracing has ended: what comes now is shown as by the text writer. */
	void (*stop)(struct out *o);
	void (*close)(struct out *o);
	void (*release)(struct out *o); /* called by close(): free what the writer holds; or NULL */
	struct out_tap *tap;		/* out_tap.h; or NULL */
};

/* A writer of that format for what `plan` prints, which may be NULL for text and JSON. Writes to
 * the file's descriptor with its own buffer; does not own the file. close() flushes, but only
 * flush() reports errors. `word` followed the format's name, or is NULL; it is kept. NULL with
 * errno set if the file has no descriptor or cannot be flushed, or without memory. */
typedef struct out *out_new_fn(FILE *f, const struct plan *plan, const char *word);
#define OUT_FORMAT(id, name, make, ...) out_new_fn make;
#include "runtime/output/formats.def"

/* Pass a record with fields to the callback for its kind. */
int out_event(struct out *o, const struct plan_event *e, const struct view *fields);
/* Set the buffering (-B). Returns the descriptor, which can be polled for the end of its reader. */
int out_set_buffering(struct out *o, enum out_buffering buffering);
/* A command will write to the same descriptor: set O_APPEND until out_unshare(). Programs that copy
 * in the kernel (copy_file_range() in cat of coreutils) do not lock the shared offset and would
 * overwrite our output. Only for files whose offset is at their end. */
void out_share(struct out *o);
void out_unshare(struct out *o);
/* Write everything regardless of the buffering. 0 or the -errno of a write. */
int out_finish(struct out *o);
