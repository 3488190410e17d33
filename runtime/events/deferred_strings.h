/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values that become strings in user space.
 */
#pragma once
#include <stdint.h>

struct session;

/* The strings live until deferred_strings_release(). */
void deferred_strings_open(struct session *s);
void deferred_strings_release(struct session *s);
const char *deferred_strings_time(struct session *s, const char *format, uint64_t wall_ns);
uint64_t deferred_strings_wall_clock(const struct session *s);

/* ---- cgroup_path.c: paths of cgroups */

/* "unified:/a,cpu:/a", the paths of a cgroup id in all hierarchies whose names match
 * `filter` (NULL: all); the number, where there is none. From malloc; NULL when out of memory. */
char *cgroup_path_text(uint64_t id, const char *filter);
/* The same of what was recorded of that id: its paths without a filter. */
char *cgroup_path_filter(const char *paths, uint64_t id, const char *filter);
