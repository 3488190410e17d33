/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tracepoints, functions and types of stock kernels, from files beside the program: for users who
 * may not read those of the kernel that runs, and to check scripts for another machine.
 */
#pragma once

struct kernel;

/* Answer questions from a stock kernel. `name`: "debian-13"; NULL: the one next to the kernel that
 * runs, and only about tracepoints if that has types. The name of the one taken; NULL after a
 * message. */
const char *stock_facts_use(struct kernel *k, const char *name);
/* May this process read the tracepoints of the kernel? */
int stock_facts_needed(struct kernel *k);
