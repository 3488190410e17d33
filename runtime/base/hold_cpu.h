/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a bpf(2) call that reads or changes a map, the kernel lets no program of kprobes and perf
 * events run on that CPU, also while the calling thread is preempted: those programs then miss the
 * events of all other threads there. A thread with real-time priority is not preempted by others
 * of normal priority.
 */
#pragma once
#include <stdbool.h>

/* True if the calling thread may give itself real-time priority, or has it. By trying. */
bool hold_cpu_is_allowed(void);
/* From now on, hold_cpu_begin() gives that priority; false: it does nothing, as at first. */
void hold_cpu_set(bool holds);

/* The result of a call that is made with that priority; errno is the call's, too. */
#define HOLD_CPU(call)                            \
	({                                        \
		int held_ = hold_cpu_begin();     \
		hold_cpu_end(held_, (int)(call)); \
	})
/* hold_cpu_end() gets what hold_cpu_begin() returned, restores the priority, returns `result`. */
int hold_cpu_begin(void);
int hold_cpu_end(int held, int result);
