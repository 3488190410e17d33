/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The common part of the writers: a descriptor, its buffer, and when the buffer is written.
 */
#pragma once
#include "runtime/view/format.h"
#include "runtime/output/out.h"

enum { OUT_BUFFER_BYTES = 64 * 1024 };

struct out_file {
	struct out out; /* first: the callbacks get a pointer to it */
	struct text text;
	int fd;
	int error; /* 0 or the first -errno of a write; later output is discarded */
	enum out_buffering buffering;
	bool is_appending;   /* we set O_APPEND and will clear it */
	size_t looked_at;    /* leading bytes of the buffer that contain no newline */
	uint32_t name_width; /* of the table of benches */
	char buffer[OUT_BUFFER_BYTES];
};

/* 0 or -errno: the file has no descriptor, or cannot be flushed. */
int out_file_init(struct out_file *w, FILE *f);
/* out_tests.c: the text of tests and benches. */
int out_text_test(struct out *o, const struct view_test *v);
/* out_text.c: the text of a record. */
void out_text_event(struct text *t, const struct plan_event *e, const struct view *fields);
/* out_text.c: a map as text. */
int out_text_map(struct out *o, const struct view_map *m);
int out_file_flush(struct out *o);
/* A record, value or map is complete: write it if the buffering requires so. Returns the kept
 * error. */
int out_file_done(struct out_file *w);
