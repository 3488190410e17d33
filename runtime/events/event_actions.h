/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of calls that act in user space: errorf(), warnf(), cat(), system(), join(); and of what
 * failed in the kernel (-k).
 */
#pragma once
#include "runtime/events/events.h"

event_fn ev_message, ev_cat, ev_system, ev_join, ev_read;
/* packets.c */
event_fn ev_packet;
/* -k: what a BPF helper could not do. */
void events_warning(struct events *e, const struct sonde_warning_event *ev);

/* ---- event_span.c: records of span() */
event_fn ev_span;
/* Forget the names of functions. */
void event_span_free(struct events *e);
/* Do all spans have one state, so that no other span can be around one that is not nested? */
bool event_span_is_alone(const struct plan *p);
