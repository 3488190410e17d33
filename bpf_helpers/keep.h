/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Shared by keep.bpf.c and keep_user.bpf.c. Their functions are global: the verifier checks each
 * once in a program, with unknown arguments, however many captures the program has.
 */
#pragma once
#include "bpf_helpers/stack.h"
#include "bpf_helpers/unwind.h"

/* Functions of other files, which are inlined here and leave no copies. */
#pragma clang attribute push(__attribute__((internal_linkage)), apply_to = function)
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/loss.bpf.c"
#include "bpf_helpers/ring.bpf.c"
#include "bpf_helpers/ask.bpf.c"
#pragma clang attribute pop

static INLINE uint64_t finish(uint64_t h)
{
	h *= FACTOR;
	return h ^ h >> 32;
}

enum { BLOCK = 4 };

/* The part of a stack that is hashed. */
struct sonde_frames {
	uint64_t ips[(SONDE_MAX_FRAMES + BLOCK - 1) / BLOCK * BLOCK];
};

/* The hash of n frames, or of some more that are 0. */
uint64_t sonde_keep_hash(const struct sonde_frames *frames, uint32_t n, uint64_t seed);

static INLINE uint64_t hash_frames(const struct sonde_stack *st, uint64_t n, uint64_t seed)
{
	uint64_t h = finish(sonde_keep_hash((const struct sonde_frames *)st->ips, n, seed));
	uint64_t before = h - 1;

	barrier_var(before);
	return h | (before & ~h) >> 63; /* 1 instead of 0, without a branch */
}

/* Count n losses. There is one function for all, because it calls two helpers that the kernel
 * inlines. For each of them the kernel copies the verifier's data about all instructions. */
uint32_t sonde_keep_lose(uint32_t probe, uint32_t cause, uint32_t n);

/* Put the stack at `st` into the store, with flags of bpf_map_update_elem(). */
static INLINE struct sonde_stack *put(struct sonde_stack *st, uint64_t hash, uint64_t flags,
				      uint32_t probe)
{
	long err = bpf_map_update_elem(&sonde_stacks, &hash, st, flags);

	if (err && err != -EEXIST)
		sonde_keep_lose(probe, SONDE_LOSS_STACK_STORE, 1);
	return bpf_map_lookup_elem(&sonde_stacks, &hash);
}

/* Zero the words after the last of n frames that hash_frames() reads. */
static INLINE void zero_behind(uint64_t *ips, uint64_t n)
{
#pragma unroll
	for (uint32_t j = 0; j < BLOCK; j++)
		ips[n + j] = 0;
}

/* Hide a number of frames from the verifier, which then knows only the bound SONDE_MAX_FRAMES. */
static INLINE uint64_t at_most_all(uint64_t n)
{
	barrier_var(n);
	_Static_assert(SONDE_MAX_FRAMES == 127, "the most that seven bits hold");
	return n & SONDE_MAX_FRAMES;
}

/* Cut to `limit` frames (0: no limit). */
static INLINE uint64_t cut_to(uint64_t *ips, uint64_t n, uint64_t limit)
{
	if (!limit || n <= limit)
		return n;
	limit = at_most_all(limit);
	zero_behind(ips, limit);
	return limit;
}

_Static_assert(UNWIND_DEEP == UNWIND_COMPLETE + 1, "the end of a stack that is cut");

/* Set the number of a stack's frames, and hide it from the verifier. */
static INLINE uint64_t set_frames(struct sonde_stack *st, uint64_t n)
{
	st->n_frames = n;
	return at_most_all(*(volatile uint16_t *)&st->n_frames);
}

/* The kernel captured `bytes` of frames at st->ips - skip. Returns the number of frames at
 * st->ips. */
static INLINE uint64_t end_capture(struct sonde_stack *st, uint64_t bytes, uint64_t skip,
				   uint32_t probe, uint32_t limit)
{
	uint64_t n = bytes / 8;

	st->end = UNWIND_COMPLETE;
	if (n >= SONDE_MAX_FRAMES && !limit) { /* there may have been more than fit */
		st->end = UNWIND_DEEP;
		sonde_keep_lose(probe, SONDE_LOSS_STACK_DEEP, 1);
	}
	return set_frames(st, cut_to(st->ips, n - skip, limit));
}

/* The slot that the program has taken. */
static INLINE struct sonde_walk *taken_slot(struct scratch *s, uint64_t slot)
{
	barrier_var(slot); /* the verifier must see the mask */
	return &s->slot[slot & (SONDE_SCRATCH_SLOTS - 1)];
}
