/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows on their way to the database of a recording. Whoever reads events only appends bytes to a
 * file that has no name; a thread of low priority follows and inserts the rows. So a burst of
 * events costs no more than with text, and a long run needs no more memory or space than a short
 * one.
 */
#pragma once
#include "runtime/recording/schema.h"

struct spool;
struct store;

/* `path` is that of the database: the file is in its folder. Owns the store. NULL with errno. */
struct spool *spool_new(struct store *store, const char *path);
/* Append the bytes of one row. 0 or the -errno of a write or of the database. */
int spool_put(struct spool *s, const char *bytes, size_t n);
/* Hand over what was put. 0 or -errno, likewise. */
int spool_flush(struct spool *s);
/* Wait until all rows are in the database, and close it. How many of each table are there goes to
 * `stored`. 0 or -errno, likewise. */
int spool_close(struct spool *s, uint64_t stored[REC_COUNT]);
