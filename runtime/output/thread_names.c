/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See thread_names.h.
 */
#include "runtime/output/thread_names.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

int thread_names_note(struct thread_names *names, const struct view_span *s)
{
	struct named_thread *known = thread_names_find(names, s->tid), new = {.tid = s->tid};

	if (!s->tid || (known && known->pid == s->pid && strcmp(known->comm, s->comm) == 0))
		return 0;
	if (!known && thread_names_insert(names, new))
		return -ENOMEM;
	known = thread_names_find(names, s->tid);
	known->pid = s->pid;
	snprintf(known->comm, sizeof(known->comm), "%s", s->comm);
	return 1;
}
