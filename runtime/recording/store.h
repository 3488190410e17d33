/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database that a recording becomes: made, filled with rows (row.h), closed.
 */
#pragma once
#include "runtime/recording/schema.h"

struct store;

/* Make the database in the regular file `fd`, which is empty and stays the caller's; `path` is its
 * name in messages. NULL after a message. */
struct store *store_new(int fd, const char *path);
/* Execute a statement of SQL before rows are added. 0 or -errno after a message. */
int store_execute(struct store *s, const char *sql);
/* Add all rows that are complete in the `n` bytes, as one transaction. Returns the bytes of these,
 * or -errno after a message. */
long store_add(struct store *s, const char *bytes, size_t n);
/* The rows of each table that are in the file go to `stored`. 0 or -errno after a message. */
int store_close(struct store *s, uint64_t stored[REC_COUNT]);
