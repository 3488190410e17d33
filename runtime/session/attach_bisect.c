/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching a list of which the kernel refuses some, when a link is all or nothing.
 */
#include "runtime/session/attach.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* After so many refusals and nothing attached it is no matter of single items. */
enum { HOPELESS = 64 };

struct halving {
	attach_some_fn *some;
	void *ctx;
	uint32_t n_attached;
	struct attach_refused *refused;
};

/* What has to do with us, not with what is attached to. */
static bool is_ours(int err)
{
	return err == -EPERM || err == -EACCES || err == -EMFILE || err == -ENFILE ||
	       err == -ENOMEM || err == -EBADF || err == -EFAULT || err == -EINTR;
}

static int refuse(struct halving *h, uint32_t item, int err)
{
	struct attach_refused *r = h->refused;

	if (vec_push(r, item))
		return -ENOMEM;
	r->err = err;
	return !h->n_attached && r->n >= HOPELESS ? err : 0;
}

static int halve(struct halving *h, uint32_t first, uint32_t n)
{
	int err = h->some(h->ctx, first, n);

	if (!err) {
		h->n_attached += n;
		return 0;
	}
	if (is_ours(err))
		return err;
	if (n == 1)
		return refuse(h, first, err);
	err = halve(h, first, n / 2);
	return err ? err : halve(h, first + n / 2, n - n / 2);
}

int attach_bisect(attach_some_fn *some, void *ctx, uint32_t n, struct attach_refused *refused)
{
	struct halving h = {.some = some, .ctx = ctx, .refused = refused};
	int err;

	*refused = (struct attach_refused){.of = n};
	err = n ? halve(&h, 0, n) : 0;
	return err || h.n_attached || !n ? err : refused->err;
}
