/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interned strings: see string_set.h. The copies lie in chunks, so a short name costs no allocation
 * of its own.
 */
#include "runtime/base/string_set.h"

enum { CHUNK_BYTES = 2048 };

struct string_chunk {
	struct string_chunk *next;
	size_t used, size;
	char bytes[];
};

HASH_FUNCTIONS(string_table, const char *, const char *, hash_string(key), strcmp(a, b) == 0, *e,
	       *e)

static const char *copy(struct string_set *s, const char *text)
{
	size_t size = strlen(text) + 1;
	struct string_chunk *c = s->chunks;

	if (!c || c->size - c->used < size) {
		size_t chunk_size = size > CHUNK_BYTES ? size : CHUNK_BYTES;

		c = malloc(sizeof(*c) + chunk_size);
		if (!c)
			return NULL;
		*c = (struct string_chunk){.next = s->chunks, .size = chunk_size};
		s->chunks = c;
	}
	memcpy(c->bytes + c->used, text, size);
	c->used += size;
	s->n_bytes += size;
	return c->bytes + c->used - size;
}

const char *string_set_intern(struct string_set *s, const char *text)
{
	const char **found = string_table_find(&s->table, text);
	const char *kept;

	if (found)
		return *found;
	if (string_table_reserve(&s->table, s->table.n + 1))
		return NULL;
	kept = copy(s, text);
	return kept && !string_table_insert(&s->table, kept) ? kept : NULL;
}

void string_set_free(struct string_set *s)
{
	while (s->chunks) {
		struct string_chunk *next = s->chunks->next;

		free(s->chunks);
		s->chunks = next;
	}
	hash_free(&s->table);
	s->n_bytes = 0;
}
