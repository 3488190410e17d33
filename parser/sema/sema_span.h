/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks of spans that other passes use.
 */
#pragma once
#include "parser/sema/sema.h"

/* Is this field of `args` the number of the system call whose end `p` is? */
bool sema_is_call_number(const struct probe *p, const struct expr *e);
/* Visit what follows as if it stood in the probe that starts the spans of this one. Returns the
 * probe to go back to. */
struct probe *sema_to_start(struct sema *s);
/* What entry() may hold: values of the start event, nothing of the end's. */
bool sema_check_entry(struct sema *s, struct expr *e);
