/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of the writers: a descriptor, its buffer, when the buffer is written, and another
 * writer for what the format does not show.
 */
#pragma once
#include "runtime/output/out.h"
#include "runtime/view/format.h"
#include "runtime/view/span_trees.h"

enum { OUT_BUFFER_BYTES = 64 * 1024 };

struct out_file {
	struct out out;	   /* first: the callbacks get a pointer to it */
	struct out *other; /* gets what the writer has no callback for; or NULL */
	/* The default of `span` adds to them; the writer sets spans.show. */
	struct span_trees spans;
	struct text text;
	int fd;
	int error; /* 0 or the first -errno of a write; later output is discarded */
	enum out_buffering buffering;
	bool is_appending;   /* we set O_APPEND and will clear it */
	size_t looked_at;    /* leading bytes of the buffer that contain no newline */
	uint32_t name_width; /* of the table of benches */
	char buffer[OUT_BUFFER_BYTES];
};

/* A writer to `f` with the callbacks `out`: an object of `size` bytes that begins with a struct
 * out_file, the rest of it zeros. It owns `other`. Missing callbacks for results call those of
 * `other`, and flush it; if `other` is NULL, the writer has them all. `span`, `stats`, `end` and
 * `flush` have defaults of their own. NULL with errno, and `other` is closed, if `f` has no
 * descriptor or cannot be flushed, or without memory. */
void *out_file_new(size_t size, FILE *f, struct out *other, const struct out *out);
/* The same with text on standard error as the other writer. */
void *out_file_beside_text(size_t size, FILE *f, const struct out *out);
/* The writer whose spans they are. */
static inline void *out_of_spans(struct span_trees *t)
{
	return (char *)t - offsetof(struct out_file, spans);
}

/* out_tests.c: the text of tests and benches. */
int out_text_test(struct out *o, const struct view_test *v);
/* out_text.c: the text of a record. */
void out_text_event(struct text *t, const struct plan_event *e, const struct view *fields);
/* out_text.c: a map as text. */
int out_text_map(struct out *o, const struct view_map *m);
/* A map as the other writer shows it. */
int out_other_map(struct out *o, const struct view_map *m);
int out_file_flush(struct out *o);
/* Keep the error, if it is the first. */
void out_file_note(struct out_file *w, int err);
/* A record, value or map is complete: write it if the buffering requires so. Returns the kept
 * error. */
int out_file_done(struct out_file *w);
