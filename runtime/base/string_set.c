/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strings kept once each: see string_set.h. A hash table of pointers into chunks.
 */
#include "runtime/base/string_set.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 16 * 1024 };

struct string_chunk {
	struct string_chunk *next;
	size_t used, size;
	char bytes[];
};

static size_t hash_of(const char *text)
{
	uint64_t h = 0xcbf29ce484222325;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3;
	return h ^ h >> 32;
}

static bool grow(struct string_set *s)
{
	size_t n = s->n_slots ? 2 * s->n_slots : 256;
	const char **slots = calloc(n, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < s->n_slots; i++) {
		size_t at;

		if (!s->slots[i])
			continue;
		at = hash_of(s->slots[i]) & (n - 1);
		while (slots[at])
			at = (at + 1) & (n - 1);
		slots[at] = s->slots[i];
	}
	free(s->slots);
	s->slots = slots;
	s->n_slots = n;
	return true;
}

static const char *copy(struct string_set *s, const char *text)
{
	size_t size = strlen(text) + 1;
	struct string_chunk *c = s->chunks;

	if (!c || c->size - c->used < size) {
		size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;

		c = malloc(sizeof(*c) + room);
		if (!c)
			return NULL;
		*c = (struct string_chunk){.next = s->chunks, .size = room};
		s->chunks = c;
	}
	memcpy(c->bytes + c->used, text, size);
	c->used += size;
	return c->bytes + c->used - size;
}

const char *string_set_keep(struct string_set *s, const char *text)
{
	size_t at;

	if (2 * s->n >= s->n_slots && !grow(s))
		return NULL;
	at = hash_of(text) & (s->n_slots - 1);
	for (; s->slots[at]; at = (at + 1) & (s->n_slots - 1))
		if (strcmp(s->slots[at], text) == 0)
			return s->slots[at];
	s->slots[at] = copy(s, text);
	s->n += s->slots[at] != NULL;
	return s->slots[at];
}

void string_set_free(struct string_set *s)
{
	while (s->chunks) {
		struct string_chunk *next = s->chunks->next;

		free(s->chunks);
		s->chunks = next;
	}
	free(s->slots);
	*s = (struct string_set){0};
}
