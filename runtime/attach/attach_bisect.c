/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaches a list of items of which the kernel refuses some, although a link attaches all or
 * nothing.
 */
#include "runtime/attach/attach.h"
#include "runtime/base/clock.h"
#include "runtime/base/progress.h"

/* Give up after so many refusals with nothing attached: the cause is not a single item. */
enum { MAX_FAILURES = 64 };

/* A batch is one system call, which cannot be interrupted. */
enum { BATCH_MIN = 64, BATCH_MAX = 1 << 18, BATCH_NS = 200000000 };

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

/* The size of the next batch, if `size` items took that long. */
static uint32_t next_batch(uint32_t size, uint64_t ns)
{
	uint64_t fitting = ns ? size * BATCH_NS / ns : BATCH_MAX;

	return fitting < BATCH_MIN   ? BATCH_MIN
	       : fitting > BATCH_MAX ? BATCH_MAX
				     : (uint32_t)fitting;
}

int attach_bisect(attach_some_fn *some, void *ctx, uint32_t n, uint32_t batch,
		  struct attach_refused *refused)
{
	struct bisect b = {.some = some, .ctx = ctx, .refused = refused};
	uint32_t size;
	int err = 0;

	*refused = (struct attach_refused){.of = n};
	progress_items(n);
	for (uint32_t first = 0; !err && first < n; first += size) {
		uint64_t began = monotonic_ns();

		size = !batch || batch > n - first ? n - first : batch;
		err = bisect(&b, first, size);
		if (batch)
			batch = next_batch(size, monotonic_ns() - began);
		progress_done(first + size);
	}
	return err || b.n_attached || !n ? err : refused->err;
}
