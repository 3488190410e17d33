/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of calls that act in user space: errorf(), warnf(), cat(), system(), join().
 */
#pragma once
#include "runtime/session/events.h"

event_fn ev_message, ev_cat, ev_system, ev_join;
