/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which functions of a file does the kernel refuse to probe, or execute wrongly? Private to
 * attach_user.c.
 */
#pragma once
#include "parser/plan/plan.h"
#include "runtime/base/zip_member.h"

struct checked_file {
	struct plan_target *targets; /* a copy: first those to attach, then the others */
	uint32_t n, n_refused;
	uint32_t n_harmful; /* of those that are refused: uprobe_place_is_harmful() */
	void *view;	    /* of the file; NULL: it is not mapped */
	size_t view_bytes;
};

/* Attach to target number `item` and detach. 0, or why the kernel refused it: -errno. */
typedef int check_try_fn(void *ctx, uint32_t item);
/* Check the targets, all of one file, which `file` says where to find. It may be mapped until
 * check_end(), which is to be called after an error, too. Without `try`, the kernel is not asked.
 * 0 or -errno. */
int check_file(struct checked_file *c, const struct zip_member *file,
	       const struct plan_target *targets, uint32_t n, check_try_fn *try, void *ctx);
void check_end(struct checked_file *c);
