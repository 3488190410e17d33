/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --start: everything is loaded, and the run waits for its moment. The clock may be set meanwhile,
 * so it is read again at least every second.
 */
#include "runtime/run/loop_state.h"
#include "runtime/base/clock.h"
#include <poll.h>

enum { SECOND_NS = 1000000000, LOOK_MS = 1000 };

static clockid_t clock_of(const struct start_moment *m)
{
	return m->when == START_AFTER ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

/* On that clock. */
static uint64_t deadline(const struct start_moment *m)
{
	if (m->when != START_PERIOD)
		return m->ns;
	return (clock_ns(CLOCK_REALTIME) / m->ns + 1) * m->ns;
}

static void say_when(uint64_t left_ns)
{
	time_t at = (time_t)((clock_ns(CLOCK_REALTIME) + left_ns + SECOND_NS / 2) / SECOND_NS);
	struct tm tm;
	char text[64];

	if (localtime_r(&at, &tm) && strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm))
		log_info("tracing begins at %s", text);
}

/* Did a signal come, or has the process of -p or the command ended? */
static bool is_over(struct loop *l, uint64_t left_ns)
{
	struct pollfd set[] = {
		{.fd = l->stop, .events = POLLIN},
		{.fd = l->signals, .events = POLLIN},
		{.fd = l->pidfd, .events = POLLIN},
	};
	uint64_t ms = left_ns / 1000000;

	if (ms < 1)
		nanosleep(&(struct timespec){.tv_nsec = (long)left_ns}, NULL);
	if (poll(set, 3, ms < LOOK_MS ? (int)ms : LOOK_MS) > 0 && set[1].revents)
		loop_reap_command(l);
	return l->done || set[0].revents || set[2].revents;
}

bool loop_wait_for_start(struct loop *l)
{
	const struct start_moment *m = &l->o->start;
	uint64_t at = m->when == START_NOW ? 0 : deadline(m), now;

	for (bool is_first = true; at > (now = clock_ns(clock_of(m))); is_first = false) {
		if (is_first && at - now > SECOND_NS)
			say_when(at - now);
		if (is_over(l, at - now)) {
			log_info("stopped before tracing began");
			return false;
		}
	}
	return true;
}
