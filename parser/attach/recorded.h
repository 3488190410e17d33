/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points where all events are those of a recording (struct kernel, `recording`).
 */
#pragma once
#include "parser/attach/expand.h"

/* Expand a text as its row does, and keep only what was recorded. 0, or -1 with the reason. */
int recorded_expand(struct probe_expansion *e);
/* Report that the recording does not have `text`, and what it has. Returns -1. */
int recorded_none(const struct probe_reader *r, struct span span, const char *text);
