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
