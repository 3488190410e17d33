/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database that a recording becomes: made, filled with rows (row.h), closed.
 */
#pragma once
#include <stddef.h>

struct store;

/* Make the database in the regular file `path`, which exists and is empty. NULL after a message. */
struct store *store_new(const char *path);
/* Add all rows that are complete in the `n` bytes, as one transaction. Returns the bytes of these,
 * or -errno after a message. */
long store_add(struct store *s, const char *bytes, size_t n);
/* 0 or -errno after a message. */
int store_close(struct store *s);
