/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of several runs as one (docs/merging.md). First each run is shown to merge_collect(),
 * which adds maps and losses. Then what it collected has a plan, for a writer; each run is shown
 * once more, to merge_pass(), which hands events to the writer with the names of their hosts; and
 * merge_show() hands it the maps.
 */
#pragma once
#include "runtime/output/out.h"

struct merge;

/* The type of texts that are made here. */
extern const struct type *const merge_text_type;
struct view merge_text_view(const char *s);
/* The column `name` of a call of row(), for field number `field`. */
struct format_piece merge_column(const char *name, uint32_t field);

enum { MERGE_MOST_NAMES = 4 }; /* in `by` */

struct merge_form {
	const char *
		by; /* "host", labels, with commas: each value is kept apart; NULL: all are added */
	bool outliers; /* of each row the host, or value of `by`, that differs most */
};

struct merge *merge_new(const struct merge_form *form);
void merge_free(struct merge *m);
/* Note the run, of the file `path`, before it is shown. *is_known after a warning: it was there
 * before, or all runs that it was merged from. 0; -1 after a message if only some of these were. */
int merge_note_run(struct merge *m, const struct view_run *r, const char *path, bool *is_known);
struct out *merge_collect(struct merge *m);
/* How many runs were shown to it. */
uint32_t merge_count(const struct merge *m);
/* Do the runs have the labels of form->by? 0, or -1 after a message. */
int merge_check_by(struct merge *m);
/* The calls of `p`, of a run, may print rows. */
void merge_rows(struct merge *m, const struct plan *p);
/* Of all that was collected. */
const struct plan *merge_plan(struct merge *m);
struct out *merge_pass(struct merge *m, struct out *to);
/* Begin and end what is written; `path` is the file of -o. 0 or the -errno of a write. */
int merge_show_begin(struct merge *m, const char *path, struct out *to);
int merge_show(struct merge *m, struct out *to);
