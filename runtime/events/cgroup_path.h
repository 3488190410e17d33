/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths of cgroups.
 */
#pragma once
#include <stdint.h>

/* "unified:/a,cpu:/a", the paths of a cgroup id in all hierarchies whose names match
 * `filter` (NULL: all); the number, where there is none. From malloc; NULL when out of memory. */
char *cgroup_path_text(uint64_t id, const char *filter);
/* The same of what was recorded of that id: its paths without a filter. */
char *cgroup_path_filter(const char *paths, uint64_t id, const char *filter);
