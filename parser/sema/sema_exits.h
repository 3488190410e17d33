/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that end in jumps to other functions (tail calls), where there is no `retval`.
 */
#pragma once
#include "parser/sema/sema.h"

/* Check that the functions of `p` have a result where the probe fires, for `e`, which reads it.
 * Those of a pattern that do not are removed from it, with a warning. False: reported. */
bool sema_exits_have_result(struct sema *s, const struct expr *e, struct attach_point *p);
