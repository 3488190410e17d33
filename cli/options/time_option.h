/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times on the command line.
 */
#pragma once
#include <stdint.h>

/* Read a time, the value of `option`: 10s, 500ms, 0.5s; a number alone is seconds, below
 * 100. 0, or -1 after a message. */
int option_time(const char *option, const char *arg, uint64_t *ns);
