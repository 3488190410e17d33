/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lowest real-time priority for the time of a call: see hold_cpu.h.
 */
#include "runtime/base/hold_cpu.h"
#include <errno.h>
#include <sched.h>

enum { NOT_HELD = -1 };

static bool is_on;

/* Threads of other real-time policies keep theirs. The policy before, or NOT_HELD. */
static int hold(void)
{
	const struct sched_param least = {.sched_priority = 1};
	int policy = sched_getscheduler(0);

	if (policy != SCHED_OTHER && policy != SCHED_BATCH && policy != SCHED_IDLE)
		return NOT_HELD;
	return sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &least) ? NOT_HELD : policy;
}

static void release(int policy)
{
	const struct sched_param none = {.sched_priority = 0};

	if (policy != NOT_HELD)
		sched_setscheduler(0, policy, &none);
}

bool hold_cpu_is_allowed(void)
{
	int policy = hold();

	release(policy);
	return policy != NOT_HELD || sched_getscheduler(0) == SCHED_FIFO ||
	       sched_getscheduler(0) == SCHED_RR;
}

void hold_cpu_set(bool holds)
{
	__atomic_store_n(&is_on, holds, __ATOMIC_RELAXED);
}

int hold_cpu_begin(void)
{
	return __atomic_load_n(&is_on, __ATOMIC_RELAXED) ? hold() : NOT_HELD;
}

int hold_cpu_end(int held, int result)
{
	int err = errno;

	release(held);
	errno = err;
	return result;
}
