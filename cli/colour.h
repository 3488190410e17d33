/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Colours of messages.
 */
#pragma once
#include <stdbool.h>

/* Are messages on standard error coloured? On a terminal, unless SONDE_COLOR or BPFTRACE_COLOR says
 * always or never. */
bool colour_is_wanted(void);
