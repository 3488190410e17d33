/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers and names of signals.
 */
#pragma once

enum { SIGNAL_LAST = 64 };

/* The number of a signal, by its name with or without SIG, or of SIGRTMIN+n; 0: there is none. */
int signal_number(const char *name);
/* The name of a signal, without SIG; NULL if it has none. */
const char *signal_text(int number);
