/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exclusions in a probe's head: kprobe:vfs_*,!vfs_write*
 */
#pragma once
#include "parser/lang/probe.h"

/* True if this part of a probe's head is an exclusion. */
bool probe_is_exclusion(const struct attach_text *text);
/* Remove what the exclusion matches from points[first] and later. Returns 0, or -1 with the reason
 * in r->diags. */
int probe_exclude(const struct probe_reader *r, const struct attach_text *text,
		  struct attach_point *points, uint32_t first, uint32_t *n_points);
/* Report an exclusion with no attach point before it. Returns -1. */
int probe_no_exclusion(const struct probe_reader *r, const struct attach_text *text);
