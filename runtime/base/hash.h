/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash table of any type of entry: open addressing with linear probing, a power of two of slots,
 * at most three quarters of them in use. Entries lie in the slots themselves; those that are found
 * by pointer or must not move are tables of pointers.
 *
 * The struct, usable in a header, and its functions are two macros:
 *
 *	HASH_TABLE(process_table, struct process *);
 *
 *	HASH_INTEGER_FUNCTIONS(process_table, struct process *, uint32_t, hash_u32, (*e)->tgid, *e)
 *
 * HASH_FUNCTIONS is the same for keys of any type. A zeroed entry must be free.
 *
 * All zeros is an empty table. These result, with ENTRY and KEY as given:
 *
 *	ENTRY *NAME_find(const struct NAME *h, KEY key);	NULL if there is none
 *	int NAME_insert(struct NAME *h, ENTRY entry);		0 or -ENOMEM; its key must be new
 *	int NAME_reserve(struct NAME *h, size_t n);		0 or -ENOMEM; for n entries in all
 *	bool NAME_remove(struct NAME *h, KEY key);		false if there is none
 *	ENTRY *NAME_next(const struct NAME *h, ENTRY const *e);	all in turn, from NULL to NULL
 *	hash_free(h)						the slots, not what entries point to
 *
 * Inserting and removing moves entries: do neither while walking with NAME_next(). A failed
 * insertion leaves the table as it was.
 */
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HASH_SLOTS_MIN = 16 };

/* Slots are chosen by the low bits: spread the key into them. */
static inline uint64_t hash_u64(uint64_t key)
{
	key = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
	return key ^ key >> 32;
}

/* The same for numbers that are mostly consecutive, such as process ids: after a multiplication by
 * an odd number their lower bits differ. */
static inline uint64_t hash_u32(uint32_t key)
{
	return key * 2654435761u;
}

/* For keys that are hashes. */
static inline uint64_t hash_none(uint64_t key)
{
	return key;
}

/* FNV-1a. */
static inline uint64_t hash_bytes(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h ^ h >> 32;
}

static inline uint64_t hash_string(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 0x100000001b3u;
	return h ^ h >> 32;
}

/* Hashes of several parts: of what was before, and the next one; a string may be NULL. */
static inline uint64_t hash_mix(uint64_t h, uint64_t x)
{
	return hash_u64(h ^ x) * 0x9e3779b97f4a7c15u + 1;
}

static inline uint64_t hash_mix_string(uint64_t h, const char *s)
{
	return hash_mix(h, s ? hash_string(s) : 1);
}

/* Slots for n entries; 0 if there is no such number. */
static inline size_t hash_slots_for(size_t n)
{
	size_t n_slots = HASH_SLOTS_MIN;

	if (n > SIZE_MAX / 4)
		return 0;
	while (n_slots / 4 * 3 < n)
		n_slots *= 2;
	return n_slots;
}

/* The struct of type `type` that `table` is the member `member` of. */
#define HASH_TABLE_OWNER(table, type, member) \
	((const type *)(const void *)((const char *)(table) - offsetof(type, member)))

#define HASH_TABLE(NAME, ENTRY)    \
	struct NAME {              \
		ENTRY *slots;      \
		size_t n, n_slots; \
	}

#define hash_free(h)                               \
	do {                                       \
		__auto_type hash_f_ = (h);         \
                                                   \
		free(hash_f_->slots);              \
		hash_f_->slots = NULL;             \
		hash_f_->n = hash_f_->n_slots = 0; \
	} while (0)

#define HASH_FN(type) __attribute__((unused)) static inline type

/* The functions of a table. Expressions: HASH_OF is the hash of `key`; EQUAL, whether the keys `a`
 * and `b` are equal; KEY_OF the key of the entry at `e`; IS_USED, whether that entry is not free.
 * KEY_OF can reach what an entry refers to by HASH_TABLE_OWNER of the table `h`. */
#define HASH_FUNCTIONS(NAME, ENTRY, KEY, HASH_OF, EQUAL, KEY_OF, IS_USED)                          \
	HASH_FN(uint64_t) NAME##_hash(KEY key)                                                     \
	{                                                                                          \
		return HASH_OF;                                                                    \
	}                                                                                          \
                                                                                                   \
	HASH_FN(bool) NAME##_equal(KEY a, KEY b)                                                   \
	{                                                                                          \
		return EQUAL;                                                                      \
	}                                                                                          \
                                                                                                   \
	HASH_FN(KEY) NAME##_key(const struct NAME *h, ENTRY const *e)                              \
	{                                                                                          \
		return KEY_OF;                                                                     \
	}                                                                                          \
                                                                                                   \
	HASH_FN(bool) NAME##_is_free(ENTRY const *e)                                               \
	{                                                                                          \
		return !(IS_USED);                                                                 \
	}                                                                                          \
                                                                                                   \
	HASH_FN(ENTRY *) NAME##_find(const struct NAME *h, KEY key)                                \
	{                                                                                          \
		size_t mask = h->n_slots - 1, i;                                                   \
                                                                                                   \
		if (!h->n)                                                                         \
			return NULL;                                                               \
		for (i = NAME##_hash(key) & mask; !NAME##_is_free(&h->slots[i]);                   \
		     i = (i + 1) & mask)                                                           \
			if (NAME##_equal(NAME##_key(h, &h->slots[i]), key))                        \
				return &h->slots[i];                                               \
		return NULL;                                                                       \
	}                                                                                          \
                                                                                                   \
	/* Store an entry that is not in the table in the first free slot. */                      \
	HASH_FN(void) NAME##_place(ENTRY *slots, size_t mask, uint64_t hash, ENTRY entry)          \
	{                                                                                          \
		size_t i = hash & mask;                                                            \
                                                                                                   \
		while (!NAME##_is_free(&slots[i]))                                                 \
			i = (i + 1) & mask;                                                        \
		slots[i] = entry;                                                                  \
	}                                                                                          \
                                                                                                   \
	HASH_FN(ENTRY *) NAME##_next(const struct NAME *h, ENTRY const *e)                         \
	{                                                                                          \
		size_t i = e ? (size_t)(e - h->slots) + 1 : 0;                                     \
                                                                                                   \
		while (i < h->n_slots && NAME##_is_free(&h->slots[i]))                             \
			i++;                                                                       \
		return i < h->n_slots ? &h->slots[i] : NULL;                                       \
	}                                                                                          \
                                                                                                   \
	HASH_FN(int) NAME##_reserve(struct NAME *h, size_t n)                                      \
	{                                                                                          \
		size_t n_slots = hash_slots_for(n);                                                \
		ENTRY *slots;                                                                      \
                                                                                                   \
		if (n_slots && n_slots <= h->n_slots)                                              \
			return 0;                                                                  \
		slots = n_slots ? calloc(n_slots, sizeof(*slots)) : NULL;                          \
		if (!slots)                                                                        \
			return -ENOMEM;                                                            \
		for (ENTRY *e = NAME##_next(h, NULL); e; e = NAME##_next(h, e))                    \
			NAME##_place(slots, n_slots - 1, NAME##_hash(NAME##_key(h, e)), *e);       \
		free(h->slots);                                                                    \
		h->slots = slots;                                                                  \
		h->n_slots = n_slots;                                                              \
		return 0;                                                                          \
	}                                                                                          \
                                                                                                   \
	HASH_FN(int) NAME##_insert(struct NAME *h, ENTRY entry)                                    \
	{                                                                                          \
		if (h->n >= h->n_slots / 4 * 3 && NAME##_reserve(h, h->n + 1))                     \
			return -ENOMEM;                                                            \
		NAME##_place(h->slots, h->n_slots - 1, NAME##_hash(NAME##_key(h, &entry)), entry); \
		h->n++;                                                                            \
		return 0;                                                                          \
	}                                                                                          \
                                                                                                   \
	/* Entries behind the gap move into it unless that is before their home slot. */           \
	HASH_FN(bool) NAME##_remove(struct NAME *h, KEY key)                                       \
	{                                                                                          \
		ENTRY *found = NAME##_find(h, key);                                                \
		size_t mask = h->n_slots - 1, gap, i;                                              \
                                                                                                   \
		if (!found)                                                                        \
			return false;                                                              \
		gap = (size_t)(found - h->slots);                                                  \
		for (i = (gap + 1) & mask; !NAME##_is_free(&h->slots[i]); i = (i + 1) & mask) {    \
			size_t home = NAME##_hash(NAME##_key(h, &h->slots[i])) & mask;             \
                                                                                                   \
			if (((i - home) & mask) >= ((i - gap) & mask)) {                           \
				h->slots[gap] = h->slots[i];                                       \
				gap = i;                                                           \
			}                                                                          \
		}                                                                                  \
		memset(&h->slots[gap], 0, sizeof(h->slots[gap]));                                  \
		h->n--;                                                                            \
		return true;                                                                       \
	}

/* The same where keys are integers. HASH_KEY: hash_u64, hash_u32 or hash_none. */
#define HASH_INTEGER_FUNCTIONS(NAME, ENTRY, KEY, HASH_KEY, KEY_OF, IS_USED) \
	HASH_FUNCTIONS(NAME, ENTRY, KEY, HASH_KEY(key), a == b, KEY_OF, IS_USED)
