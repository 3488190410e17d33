/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The BPF maps of bpf_helpers/unwind.h that hold unwind tables, and the allocation of words in
 * them. The maps are created before the script's object is loaded, so that they can be filled while
 * it is compiled. Not thread-safe: only the worker (unwind.h) uses them.
 */
#pragma once
#include "bpf_helpers/unwind.h"
#include <stdbool.h>

struct bpf_object;
struct unwind_store;

/* Create the maps. At most `max_chunks` chunks are ever filled. Returns 0 or -errno. */
int unwind_store_open(struct unwind_store **out, uint32_t max_chunks);
void unwind_store_close(struct unwind_store *s);
/* A function that is called when there is no space. It drops some words and returns true, or
 * returns false. */
typedef bool unwind_store_full_fn(void *ctx);
void unwind_store_on_full(struct unwind_store *s, unwind_store_full_fn *fn, void *ctx);
/* Unless n / 2 words are free, create chunks until n are, and begin to make them reachable, so that
 * unwind_store_commit() need not wait. A chunk takes 0.1 to 0.2 ms. */
void unwind_store_reserve(struct unwind_store *s, uint64_t n);
/* Make an opened object use these maps (bpf_map__reuse_fd). */
void unwind_store_hand_over(const struct unwind_store *s, struct bpf_object *object);

/* Copy n words into the store. Returns their address; 0: there is no space, or no memory. */
uint32_t unwind_store_add(struct unwind_store *s, const void *words, uint32_t n);
/* Free words that nothing published refers to any more. */
void unwind_store_drop(struct unwind_store *s, uint32_t address, uint32_t n);
/* The words at an address. */
const void *unwind_store_at(const struct unwind_store *s, uint32_t address);
/* Set the rules from index `first` up to first + n of the dictionary. */
void unwind_store_rules(struct unwind_store *s, const struct unwind_rule *rules, uint32_t first,
			uint32_t n);
/* Make all words that were added reachable for BPF programs. An address may be published only after
 * this call. It waits 10 to 20 ms if the store has grown. Returns 0 or -errno. */
int unwind_store_commit(struct unwind_store *s);

/* Would unwind_store_commit() return at once? If not, the work for it goes on in a thread. */
bool unwind_store_is_settled(struct unwind_store *s);

/* Publish or remove elements of the two hashes in which BPF programs look up processes and files.
 * Returns 0 or -errno. */
int unwind_store_set_space(struct unwind_store *s, uint32_t tgid, const struct unwind_space *space);
void unwind_store_remove_space(struct unwind_store *s, uint32_t tgid);
int unwind_store_set_file(struct unwind_store *s, const struct unwind_file_key *key,
			  const struct unwind_file *file);
void unwind_store_remove_file(struct unwind_store *s, const struct unwind_file_key *key);
/* Iterate over the processes in the kernel's hash, in no order: set *tgid to the one after *tgid,
 * or to the first one if `is_first`. Returns false at the end. */
bool unwind_store_next_space(const struct unwind_store *s, bool is_first, uint32_t *tgid);

uint64_t unwind_store_bytes(const struct unwind_store *s); /* bytes of all chunks */
/* bytes that tables use */
uint64_t unwind_store_used_bytes(const struct unwind_store *s);
