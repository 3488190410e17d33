/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attaching a session's programs, as other folders see it; attach.h is private to this one.
 */
#pragma once
#include "runtime/session/session.h"

/* Attach every program that can be attached before the command is executed. 0, or -errno after a
 * message; -EINTR without one when s->stop_fd ended it. */
int session_attach(struct session *s);
/* Are there other programs? They are attached when the command is at its first instruction. */
bool session_attaches_at_exec(const struct session *s);
int session_attach_at_exec(struct session *s);

struct out;
/* Read every iterator to its end, or pin it to its file. `drain` handles the records
 * that its program sends meanwhile. 0, or -errno after a message (-EPIPE without one). */
int session_iterate(struct session *s, struct out *out, void (*drain)(void *ctx), void *ctx);
