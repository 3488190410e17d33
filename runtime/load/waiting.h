/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The programs that read user stacks of threads that wait (bpf_helpers/waiting.bpf.c). They are
 * loaded when they are needed first, since few runs need them and loading takes 10 ms.
 */
#pragma once
#include <stdbool.h>

struct session;

/* Do spans keep user stacks that can be read while the thread waits? */
bool waiting_can_read(const struct session *s);
/* Load the programs to s->waiting, unless they are there. 0 or -errno. */
int waiting_load(struct session *s);
void waiting_free(struct session *s);
