/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --test and --bench.
 */
#pragma once
#include "runtime/session/events.h"

/* Run the plan's tests or benches, and show how they went; `drain` takes the records that they have
 * sent. How many failed, or -errno. */
int tests_run(struct session *s, struct events *events, void (*drain)(void *ctx), void *ctx);
