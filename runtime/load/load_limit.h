/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits how long the kernel's verifier may check a script's programs. It stops, with EAGAIN, when
 * the thread that loads has a signal to handle.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Limit the time of this thread's loads from now on, for a script of `n_progs` programs. */
void load_limit_begin(uint32_t n_progs);
void load_limit_end(void);
/* Was the last load stopped? */
bool load_limit_is_over(void);
/* The limit of the last load, in seconds: $SONDE_VERIFIER_SECONDS, or else one that depends on the
 * number of programs. 0: there is none. */
double load_limit_seconds(void);
