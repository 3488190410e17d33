/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How much memory a run takes, for messages about limits.
 */
#pragma once
#include <stdint.h>

struct plan;

/* Bytes of the compiler, the tracer and the empty maps, roughly: of virtual memory if that is what
 * is limited (limit_is_virtual()), else of memory. Elements of hashes come on top of it, up to the
 * sizes of the maps. */
uint64_t session_memory_needed(const struct plan *plan);
