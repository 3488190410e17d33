/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Numbers for the values of `probe` and `func`: programs handle 32-bit numbers, which are cheap
 * map keys, and user space prints the names. A script may have tens of thousands of them.
 */
#include "parser/plan/plan.h"

static uint32_t hash_of(const char *text, uint32_t len)
{
	uint64_t h = len, word = 0;

	/* names of C++ have a hundred bytes: eight at a time */
	for (; len >= sizeof(word); text += sizeof(word), len -= (uint32_t)sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		h = (h ^ word) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	word = 0;
	memcpy(&word, text, len);
	h = (h ^ word) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32);
}

/* The slot that holds the name, or the free slot where it belongs. */
static uint32_t *slot_of(const struct plan_names *names, const char *text, uint32_t len)
{
	uint32_t at = hash_of(text, len) & (names->n_slots - 1);

	for (; names->slots[at]; at = (at + 1) & (names->n_slots - 1)) {
		const char *there = names->text[names->slots[at]];

		if (strncmp(there, text, len) == 0 && !there[len])
			break;
	}
	return &names->slots[at];
}

static void grow(struct arena *a, struct plan_names *names)
{
	names->n_slots = names->n_slots ? 2 * names->n_slots : 32;
	names->slots = arena_alloc(a, names->n_slots * sizeof(*names->slots));
	for (uint32_t i = 1; i < names->n; i++)
		*slot_of(names, names->text[i], (uint32_t)strlen(names->text[i])) = i;
}

uint32_t plan_name_add(struct arena *a, struct plan *p, const char *text, uint32_t len)
{
	struct plan_names *names = &p->names;
	uint32_t *slot;

	if (!names->n)
		arena_push(a, names->text, names->n, "");
	if (2 * names->n >= names->n_slots)
		grow(a, names);
	slot = slot_of(names, text, len);
	if (*slot)
		return *slot;
	*slot = names->n;
	arena_push(a, names->text, names->n, arena_strndup(a, text, len));
	return *slot;
}

uint32_t plan_name_find(const struct plan *p, const char *text, uint32_t len)
{
	if (!p->names.n_slots || memchr(text, 0, len))
		return 0;
	return *slot_of(&p->names, text, len);
}

const char *plan_name(const struct plan *p, uint32_t id)
{
	return id < p->names.n ? p->names.text[id] : "";
}
