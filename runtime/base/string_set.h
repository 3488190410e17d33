/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned strings: one long-lived copy of each name or path. All zeros is an empty set.
 */
#pragma once
#include "runtime/base/hash.h"

struct string_chunk;

HASH_TABLE(string_table, const char *);

struct string_set {
	struct string_chunk *chunks;
	struct string_table table; /* pointers into the chunks */
	size_t n_bytes;		   /* of all strings */
};

/* The copy of `text`, valid until string_set_free(). NULL if out of memory. */
const char *string_set_intern(struct string_set *s, const char *text);
void string_set_free(struct string_set *s);
