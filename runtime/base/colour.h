/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours of messages, and of the results of tests.
 */
#pragma once
#include <stdbool.h>

/* Is what is written to a file coloured? On a terminal, unless SONDE_COLOR or BPFTRACE_COLOR says
 * always or never. */
bool colour_is_wanted(int fd);
