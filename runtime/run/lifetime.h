/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The beginning and the end of a session.
 */
#pragma once
#include "runtime/session/prep.h"
#include "runtime/session/session.h"

/* Load the object. 0, or -errno after a message. */
int session_open(struct session *s, const struct plan *plan, struct kernel *k,
		 struct session_prep *prep, const void *elf, size_t len);
/* Stop all events. Links are closed; those that are slow to close are disabled and left to a helper
 * process, so that the user need not wait. */
void session_detach(struct session *s);
void session_close(struct session *s);
