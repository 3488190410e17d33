/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --test and --bench.
 */
#pragma once
#include "runtime/events/events.h"

/* Run the plan's tests or benchmarks and print the results; `drain` handles the records that they
 * send. The number of failures, or -errno. */
int tests_run(struct session *s, struct events *events, void (*drain)(void *ctx), void *ctx);
