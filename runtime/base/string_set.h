/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and paths that are handed out for long: one copy of each. Empty is all zeros.
 */
#pragma once
#include <stddef.h>

struct string_chunk;

struct string_set {
	struct string_chunk *chunks;
	const char **slots;
	size_t n, n_slots;
};

/* The one copy of `text`, which lives until string_set_free; NULL without memory. */
const char *string_set_keep(struct string_set *s, const char *text);
void string_set_free(struct string_set *s);
