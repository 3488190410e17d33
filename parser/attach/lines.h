/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points as lines of a listing: each can be written in a script.
 */
#pragma once
#include "parser/lang/probe.h"

struct arena;

/* `offset`: of a function of a program, in its file. */
typedef void probe_line_fn(const char *line, uint64_t offset, void *ctx);
/* Call fn with a line for each function, event or place of the point. The lines are in the arena.
 */
void probe_each_line(struct arena *a, const struct attach_point *p, probe_line_fn *fn, void *ctx);
/* Keep of points[first] and later, and of their functions, those with a line that the pattern
 * matches; how many points are left. */
uint32_t probe_keep_lines(struct arena *a, struct attach_point *points, uint32_t first, uint32_t n,
			  const char *pattern);
