/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of CPU numbers as the kernel writes them, e.g. "0-3,8" in /sys/devices/system/cpu/online.
 */
#pragma once
#include "runtime/base/vec.h"

struct cpu_list {
	VEC(uint32_t);
};

/* Append the CPUs of `text`, of any number. 0, -EINVAL (malformed, or empty) or -ENOMEM. */
int cpu_list_parse(struct cpu_list *list, const char *text);
/* Append the CPUs that are online. 0 or -errno. */
int cpu_list_online(struct cpu_list *list);
/* Append the CPUs that can come online. 0 or -errno. */
int cpu_list_possible(struct cpu_list *list);
