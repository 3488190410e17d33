/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching that takes long (attach_slow.h).
 */
#include "runtime/attach/attach_slow.h"
#include "runtime/base/clock.h"
#include "runtime/base/progress.h"

enum {
	MANY = 32,	      /* events; fewer are not reported */
	SAMPLE = 16,	      /* events after which the total time is estimated */
	QUIET_NS = 500000000, /* what takes less is not reported */
	CLOSE_MS = 70,	      /* the least time that the kernel takes to free one event */
};

void attach_slow_begin(struct attach_slow *a, const char *name, const char *why, uint32_t n)
{
	*a = (struct attach_slow){.name = name, .why = why, .n = n, .start_ns = monotonic_ns()};
	progress_items(n);
}

/* Report the estimated time. */
static void announce(struct attach_slow *a, uint64_t now)
{
	double seconds = 1e-9 * (double)(now - a->start_ns) * a->n / a->n_done;

	a->is_announced = true;
	log_warning("%s: attaching to %u functions takes about %.1f s, and after the end the "
		    "kernel needs %.0f s or more to detach them",
		    a->why, a->n, seconds, 1e-3 * CLOSE_MS * a->n);
}

void attach_slow_step(struct attach_slow *a, bool is_attached)
{
	a->n_done++;
	a->n_attached += is_attached;
	progress_done(a->n_done);
	if (a->n >= MANY && !a->is_announced && a->n_done >= SAMPLE)
		announce(a, monotonic_ns());
}

void attach_slow_end(struct attach_slow *a, int err)
{
	uint64_t ns = monotonic_ns() - a->start_ns;

	if (!err && a->n > 1)
		log_msg(ns > QUIET_NS ? LOG_INFO : LOG_VERBOSE,
			"%s: %u functions were attached one by one in %.1f s: %s", a->name,
			a->n_attached, 1e-9 * (double)ns, a->why);
}

struct one_by_one {
	struct session *s;
	struct attach_slow slow;
	attach_item_fn *item;
	void *ctx;
};

static int attach_item(void *ctx, uint32_t first, uint32_t n)
{
	struct one_by_one *o = ctx;
	int err;

	if (n > 1)
		return -EINVAL;
	if (session_stopped(o->s))
		return -EINTR;
	err = o->item(o->ctx, first);
	attach_slow_step(&o->slow, !err);
	return err;
}

int attach_one_by_one(struct session *s, uint32_t prog, const char *why, attach_item_fn *item,
		      void *ctx, uint32_t n, struct attach_refused *refused)
{
	struct one_by_one o = {.s = s, .item = item, .ctx = ctx};
	int err;

	attach_slow_begin(&o.slow, session_prog_name(s, prog), why, n);
	err = attach_bisect(attach_item, &o, n, 0, refused);
	attach_slow_end(&o.slow, err);
	return err;
}
