/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines of -f jsonl, of many runs, in any order: those of a run have one host and the same labels.
 */
#pragma once
#include "runtime/recording/merge.h"

struct lines;

/* Read all; maps and losses go to merge_collect(), the others are kept. NULL after a message. */
struct lines *lines_read(FILE *f, const char *path, struct merge *m);
/* False after a message, an error if there is no other input: it has no lines of a run. */
bool lines_have_runs(const struct lines *l, bool is_alone);
/* Hand those that were kept to merge_pass(). 0 or the -errno of a write. */
int lines_pass(struct lines *l, struct out *pass);
void lines_free(struct lines *l);
