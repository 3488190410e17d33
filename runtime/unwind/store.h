/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maps of bpf_helpers/unwind.h that hold unwind tables, created before the object is loaded so
 * that they can be filled while it compiles, and the allocation of words in them. Not thread-safe:
 * they belong to the worker (worker.h).
 */
#pragma once
#include "bpf_helpers/unwind.h"
#include <stdbool.h>
#include <stdint.h>

struct bpf_object;
struct unwind_store;

/* Create the maps. `max_chunks`: at most so many are ever filled. 0 or -errno. */
int unwind_store_open(struct unwind_store **out, uint32_t max_chunks);
void unwind_store_close(struct unwind_store *s);
/* Called when there is no space: drops some words and returns true, or returns false. */
typedef bool unwind_store_full_fn(void *ctx);
void unwind_store_on_full(struct unwind_store *s, unwind_store_full_fn *fn, void *ctx);
/* Create the first n chunks, and begin to make them reachable, so that unwind_store_commit() need
 * not wait. Call it once, before words are added. */
void unwind_store_reserve(struct unwind_store *s, uint32_t n);
/* Let an opened object use the maps. */
void unwind_store_hand_over(const struct unwind_store *s, struct bpf_object *object);

/* Copy n words into the store. Their address; 0: there is no space, or no memory. */
uint32_t unwind_store_add(struct unwind_store *s, const void *words, uint32_t n);
/* Nothing published refers to these words any more. */
void unwind_store_drop(struct unwind_store *s, uint32_t address, uint32_t n);
const void *unwind_store_at(const struct unwind_store *s, uint32_t address);
/* Set rules [first, first + n) of the dictionary. */
void unwind_store_rules(struct unwind_store *s, const struct unwind_rule *rules, uint32_t first,
			uint32_t n);
/* Make all words that were added reachable for programs: an address may be published only after it.
 * Waits 10 to 20 ms if the store has grown. 0 or -errno. */
int unwind_store_commit(struct unwind_store *s);

/* Publish, read or remove what programs look up. 0 or -errno. */
int unwind_store_set_space(struct unwind_store *s, uint32_t tgid, const struct unwind_space *space);
void unwind_store_remove_space(struct unwind_store *s, uint32_t tgid);
int unwind_store_set_file(struct unwind_store *s, const struct unwind_file_key *key,
			  const struct unwind_file *file);
void unwind_store_remove_file(struct unwind_store *s, const struct unwind_file_key *key);
/* The space after that of *tgid, in no order; of none when `is_first`. False at the end. */
bool unwind_store_next_space(const struct unwind_store *s, bool is_first, uint32_t *tgid);

uint64_t unwind_store_bytes(const struct unwind_store *s);	/* of all chunks */
uint64_t unwind_store_used_bytes(const struct unwind_store *s); /* in use by tables */
