/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the flags that callers pass to the kernel's allocators (GFP_KERNEL), as this kernel's
 * tracepoint kmem:kmalloc prints them: the bits differ between kernels.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct gfp_flags;
struct kernel;

/* The names, from malloc; none when the tracepoint's format cannot be read. NULL without memory. */
struct gfp_flags *gfp_flags_read(struct kernel *k);
/* The names of a print format, for tests. */
struct gfp_flags *gfp_flags_parse(const char *format);
/* Write `flags` as "GFP_KERNEL|__GFP_ZERO|0x100": compound names first, then unknown bits as one
 * number; "0" if none is set. */
void gfp_flags_text(const struct gfp_flags *f, uint64_t flags, char *text, size_t size);
