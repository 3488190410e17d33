/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points on functions in a replay: only those whose events a recording has.
 */
#pragma once
#include "parser/attach/expand.h"

/* Expand a text of a type of function probes as its row does, and keep only targets that were
 * recorded. 0, or -1 with the reason. */
int recorded_expand(struct probe_expansion *e);
/* Report that the recording does not have `text`, and what it has. Returns -1. */
int recorded_none(const struct probe_reader *r, struct span span, const char *text);
