/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills the per-CPU lists of free elements of hashes, for keys added where memory cannot be
 * allocated.
 */
#pragma once
#include <stdint.h>

/* `maps`: descriptors of n hashes that are not used yet; `bytes`: of the longest key or value. */
void map_warmup(const int *maps, uint32_t n, uint32_t bytes, uint32_t n_cpus);
