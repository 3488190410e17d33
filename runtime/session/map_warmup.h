/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Free elements at hand on each CPU, for keys that come where memory cannot be asked for.
 */
#pragma once
#include <stdint.h>

/* `n` hashes that nobody uses yet, by their descriptors; `bytes`: of the longest key or value. */
void maps_warmed_up(const int *maps, uint32_t n, uint32_t bytes, uint32_t n_cpus);
