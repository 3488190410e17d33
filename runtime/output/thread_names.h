/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The names of threads that a writer has written.
 */
#pragma once
#include "runtime/base/hash.h"
#include "runtime/view/view.h"

struct named_thread {
	uint32_t tid, pid; /* tid 0: a free slot */
	char comm[17];
	uint64_t ended; /* the last span that a writer has noted; or 0 */
};

HASH_TABLE(thread_names, struct named_thread);
HASH_INTEGER_FUNCTIONS(thread_names, struct named_thread, uint32_t, hash_u64, e->tid, e->tid)

/* Note the process and the name of the span's thread. 1: they are new, 0: they were known, or
 * -ENOMEM. */
int thread_names_note(struct thread_names *names, const struct view_span *s);
