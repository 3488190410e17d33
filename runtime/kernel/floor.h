/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The oldest kernel: what every script needs of it.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct kernel;

/* The names of the required capabilities (REQUIRED in parser/lang/capabilities.def) that the
 * running kernel is known to lack, as "A, B" in `text`. Returns how many there are. Kernels of 6.1
 * and later have them all, and are not asked: only what --no-feature names is lacking there. */
unsigned floor_lacks(struct kernel *k, char *text, size_t size);

/* Print an error if it lacks any. Returns 0 or -1. */
int floor_check(struct kernel *k);
