/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exclusions in a probe's head: kprobe:vfs_*,!vfs_write*
 */
#pragma once
#include "parser/lang/probe.h"

/* Is this part of a head one that takes away? */
bool probe_is_exclusion(const struct attach_text *text);
/* Take what it matches away from points[first] and later. 0, or -1 with the reason in r->diags. */
int probe_exclude(const struct probe_reader *r, const struct attach_text *text,
		  struct attach_point *points, uint32_t first, uint32_t *n_points);
/* Report one that has no attach point before it; -1. */
int probe_no_exclusion(const struct probe_reader *r, const struct attach_text *text);
/* What follows "TYPE:" when the exclusion names that type of probes, or all of it. */
const char *exclusion_behind_type(const char *pattern, enum probe_id id);
