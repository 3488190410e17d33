/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching that takes long: the cost is reported, progress is shown on a terminal, and a stop
 * signal ends it.
 */
#pragma once
#include "runtime/attach/attach.h"

struct attach_slow {
	const char *name, *why;
	uint32_t n, n_done, n_attached;
	uint64_t start_ns;
	bool is_announced;
};

/* `n` functions of `name` are about to be attached one by one, because `why`. */
void attach_slow_begin(struct attach_slow *a, const char *name, const char *why, uint32_t n);
/* One more was attached or refused. */
void attach_slow_step(struct attach_slow *a, bool is_attached);
/* All done, or ended by `err`. */
void attach_slow_end(struct attach_slow *a, int err);

/* Attach item `item`. 0 or -errno. */
typedef int attach_item_fn(void *ctx, uint32_t item);
/* attach_bisect() for functions of `prog` that the kernel can only attach one at a time. */
int attach_one_by_one(struct session *s, uint32_t prog, const char *why, attach_item_fn *item,
		      void *ctx, uint32_t n, struct attach_refused *refused);
