/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fields of a thread's struct that recordings have beside its numbers and names: those that
 * scripts read of curtask. The interpreter has a struct task_struct of its own, with these fields;
 * its facts say where they are (cli/recordings/record_events.c), and it puts them there.
 */
#pragma once
#include <stdint.h>

/* In the order in which they are recorded: path of the field, member of struct recorded_task. */
#define RECORDED_WORDS(WORD)                        \
	WORD("flags", flags)                        \
	WORD("__state", state)                      \
	WORD("exit_code", exit_code)                \
	WORD("start_boottime", start_boottime)      \
	WORD("sched_info.run_delay", run_delay)     \
	WORD("sched_info.last_queued", last_queued) \
	WORD("se.cfs_rq.rq.clock", clock)

enum {
#define COUNT(path, member) RECORDED_##member,
	RECORDED_WORDS(COUNT)
#undef COUNT
		RECORDED_N_WORDS,
};

struct recorded_task {
	int32_t pid, tgid;
	char comm[16];
	uint32_t flags, state;
	int32_t exit_code;
	uint64_t start_boottime;
	uint64_t run_delay, last_queued; /* of sched_info */
	uint64_t cfs_rq;		 /* of se: the address of `rq` */
	uint64_t rq;			 /* of a struct cfs_rq: the address of `clock` */
	uint64_t clock;			 /* of a struct rq */
};
