/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plan as bytes, for compiled scripts.
 */
#pragma once
#include <stddef.h>

struct arena;
struct plan;

/* The plan as bytes from malloc; `a` is for what is needed meanwhile. */
void *plan_file_write(struct arena *a, const struct plan *p, size_t *len);
/* The plan in `a`. NULL when the bytes are damaged: nothing in them is trusted. */
struct plan *plan_file_read(struct arena *a, const void *bytes, size_t len);
