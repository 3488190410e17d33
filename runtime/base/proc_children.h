/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The descendants of a process, from /proc/PID/task/TID/children.
 */
#pragma once
#include <stdint.h>

typedef void proc_child_fn(uint32_t pid, void *ctx);
/* Call fn with each descendant of a process, parents first. */
void proc_children_each_descendant(uint32_t pid, proc_child_fn *fn, void *ctx);
