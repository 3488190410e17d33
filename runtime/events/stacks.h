/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks as views see them: their frames, and the names of these.
 */
#pragma once
#include "bpf_helpers/shared.h"

struct session;

int stacks_open(struct session *s);
void stacks_close(struct session *s);
/* A program reported a new user stack: note the mappings of its process. */
void stacks_note(struct session *s, const struct sonde_stack_event *ev);
/* A stack was removed from the store. No view may be in use. */
void stacks_evict(struct session *s, uint64_t hash);
/* Free names of user symbols that no stack has any more, if there are many. No view may be in
 * use. */
void stacks_collect_names(struct session *s);
/* For -v: what is kept at the end. Returns how many processes were evicted although maps had
 * stacks of them. */
uint64_t stacks_report(const struct session *s);
