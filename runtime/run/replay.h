/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session that runs programs on recorded events (docs/internals/replay.md).
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct session;
struct session_prep;

/* What programs are told of the run is that of the recording. */
void replay_prepare(struct session_prep *prep);
/* The same of how the tracer shows times. */
void replay_open(struct session *s);
/* Run all programs of the recorded events, and intervals between them. `drain` is called after each
 * and returns false when the run is to end. 0, or -errno after a message. */
int replay_run(struct session *s, bool (*drain)(void *ctx), void *ctx);
