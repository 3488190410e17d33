/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads beside the main one, which handles the signals.
 */
#pragma once
#include <pthread.h>

/* Start a thread that blocks all signals. `attr` may be NULL: see pthread_create(3). 0 or
 * -errno. */
int thread_start(pthread_t *thread, const pthread_attr_t *attr, void *(*run)(void *), void *arg);
/* Initialize a condition whose times are those of CLOCK_MONOTONIC. */
void thread_condition_init(pthread_cond_t *c);
