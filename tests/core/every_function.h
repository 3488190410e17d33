/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Included before all functions of bpf_helpers/, so that those that read structs of the kernel are
 * compiled although nothing calls them: the object has all their CO-RE relocations.
 */
#include "bpf_helpers/bpf.h"
#undef INLINE
#undef INLINE_CORE
#undef OUTLINED
#define INLINE __attribute__((always_inline))
#define INLINE_CORE __attribute__((used))
#define OUTLINED INLINE
#pragma clang diagnostic ignored "-Wundefined-internal"
#pragma clang diagnostic ignored "-Wunused-function"
#pragma clang attribute push(__attribute__((internal_linkage)), apply_to = function)
