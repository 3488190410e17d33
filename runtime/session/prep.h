/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is prepared for a session while the compiler works.
 */
#pragma once
#include "runtime/session/ring.h"
#include "runtime/session/tracer_time.h"

struct precreated_map;
struct event_source;
struct unwind_worker;

struct session_prep {
	bool is_interpreted;		       /* the kernel does not run the programs */
	struct event_source *source;	       /* of the events; NULL: the kernel */
	const struct tracer_time *tracer_time; /* with needs.tracer_time of the plan */
	tracer_share_fn *tracer_share;
	bool tries_reads; /* reads of memory that fail are no losses */
	int btf_fd;	  /* custom BTF for CO-RE, or -1 */
	struct sonde_config config;
	struct ring_layout ring;
	int kfunc_ids[SONDE_KFUNC_COUNT]; /* 0: not looked up */
	struct precreated_map *maps;	  /* creating a large one takes 1 to 3 ms */
	uint32_t n_maps;
	struct unwind_worker *unwind; /* NULL unless user stacks are needed (unwind.h) */
	uint64_t unwind_until_ns;     /* the start waits for it until then; 0: for all */
	int unwind_error;	      /* why there are no tables: -errno, or 0 */
	/* Ask the verifier what it counted: session_log(). What it refuses is not reported then. */
	bool keeps_logs;
};
