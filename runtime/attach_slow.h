/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching that takes its time: what it costs is said, how far it is shown on a terminal, and a
 * signal to stop ends it.
 */
#pragma once
#include "session.h"

struct attach_slow {
	uint32_t n, n_done;
	uint64_t start_ns, shown_ns;
	bool is_shown, is_announced;
	int type, return_bit; /* of the perf event device */
};

/* `n` perf events are about to be made. */
void attach_slow_begin(struct attach_slow *a, const struct session *s, uint32_t n);
/* One more is there. */
void attach_slow_step(struct attach_slow *a);
/* Done, or given up with `err`. */
void attach_slow_end(struct attach_slow *a, int err);
