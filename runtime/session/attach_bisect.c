/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches a list of items of which the kernel refuses some, although a link attaches all or
 * nothing.
 */
#include "runtime/session/attach.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Give up after so many refusals with nothing attached: the cause is not a single item. */
enum { MAX_FAILURES = 64 };

struct bisect {
	attach_some_fn *some;
	void *ctx;
	uint32_t n_attached;
	struct attach_refused *refused;
};

/* Errors of this process, not of an item. */
static bool is_ours(int err)
{
	return err == -EPERM || err == -EACCES || err == -EMFILE || err == -ENFILE ||
	       err == -ENOMEM || err == -EBADF || err == -EFAULT || err == -EINTR;
}

static int refuse(struct bisect *b, uint32_t item, int err)
{
	struct attach_refused *r = b->refused;

	if (vec_push(r, item))
		return -ENOMEM;
	r->err = err;
	return !b->n_attached && r->n >= MAX_FAILURES ? err : 0;
}

static int bisect(struct bisect *b, uint32_t first, uint32_t n)
{
	int err = b->some(b->ctx, first, n);

	if (!err) {
		b->n_attached += n;
		return 0;
	}
	if (is_ours(err))
		return err;
	if (n == 1)
		return refuse(b, first, err);
	err = bisect(b, first, n / 2);
	return err ? err : bisect(b, first + n / 2, n - n / 2);
}

int attach_bisect(attach_some_fn *some, void *ctx, uint32_t n, struct attach_refused *refused)
{
	struct bisect b = {.some = some, .ctx = ctx, .refused = refused};
	int err;

	*refused = (struct attach_refused){.of = n};
	err = n ? bisect(&b, 0, n) : 0;
	return err || b.n_attached || !n ? err : refused->err;
}
