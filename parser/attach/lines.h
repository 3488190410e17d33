/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points as lines of a listing. Each line can be used in a script.
 */
#pragma once
#include "parser/lang/probe.h"

/* `t`: the target that the line names, or NULL. */
typedef void probe_line_fn(const char *line, const struct attach_target *t, void *ctx);
/* Call fn with a line for each function, event or place of the point. The lines are in the arena.
 */
void probe_each_line(struct arena *a, const struct attach_point *p, probe_line_fn *fn, void *ctx);
/* Remove from points[first] and later the functions and points without a line that matches the
 * pattern. Returns the number of points that remain. */
uint32_t probe_keep_lines(struct arena *a, struct attach_point *points, uint32_t first, uint32_t n,
			  const char *pattern);
