/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of span().
 */
#pragma once
#include "runtime/events/events.h"

event_fn ev_span;
/* Forget the names of functions. */
void event_span_free(struct events *e);
/* Do all spans have one state, so that no other span can be around one that is not nested? */
bool event_span_is_alone(const struct plan *p);
