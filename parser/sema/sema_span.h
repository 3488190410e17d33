/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of spans that other passes use.
 */
#pragma once
#include "parser/sema/sema.h"

/* True when `e`, a field of `args`, is the number of the system call whose return `p` is. */
bool sema_is_call_number(const struct probe *p, const struct expr *e);
/* Continue as in the probe that starts the spans of the current one. Returns the current probe,
 * for the caller to restore. */
struct probe *sema_to_start(struct sema *s);
/* Check that the argument of entry() uses only what is known when the span starts. */
bool sema_check_entry(struct sema *s, struct expr *e);
/* Rewrite `e` to entry(e): its value is kept from when the span starts. */
void sema_keep_at_entry(struct sema *s, struct expr *e);
