/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --start: when a run begins.
 */
#pragma once
#include "runtime/run/start_moment.h"

/* Read "+30s", "@14:30", "@14:30:15" or "/10s". 0, or -1 after a message. */
int start_option_read(const char *arg, struct start_moment *out);
