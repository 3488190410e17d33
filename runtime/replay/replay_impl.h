/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by replay.c, which runs the events, and replay_open.c, which visits threads.
 */
#pragma once
#include "runtime/base/recorded_events.h"
#include "runtime/replay/replay.h"
#include "runtime/session/session.h"

/* Run a program, and let the tracer read what it has printed. 0 or -errno. */
int replay_run_program(struct replay *r, uint32_t prog);

/* Spans that were open when the recording began, and that are when the replay ends. */
int replay_visit_begins(struct replay *r);
int replay_visit_ends(struct replay *r);
