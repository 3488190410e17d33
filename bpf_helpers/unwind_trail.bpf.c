/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Recalls stacks by the trails (walk.h) that walks have left.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/walk.h"

/* The words of a stack that is being recalled: only the walk in scratch slot 0 does that. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, WALK_MOST);
} sonde_unwind_stack SEC(".maps");

/* Words in a part of a trail. A global function compares a part; the verifier checks it once. */
enum { PART = 16 };

struct part_at {
	uint16_t at[PART];
};

struct part_words {
	uint64_t word[PART];
};

struct stack_words {
	uint64_t word[WALK_MOST / 8];
};

/* Are the first n words of a part as they were? */
GLOBAL uint32_t sonde_unwind_same(const struct stack_words *stack, const struct part_at *where,
				  const struct part_words *was, uint64_t n)
{
	if (!stack || !where || !was)
		return 0;
#pragma unroll
	for (uint32_t i = 0; i < PART; i++) {
		uint64_t at = where->at[i];

		if (i == n)
			break;
		OPAQUE(at);
		if (stack->word[at & (WALK_MOST / 8 - 1)] != was->word[i])
			return 0;
	}
	return 1;
}

/* Has the process of a trail, or its mappings, changed? A trail of another process has another
 * number at that place. */
static INLINE uint32_t has_changed(const struct sonde_trail *t)
{
	struct sonde_signs signs = {};

	read_signs(&signs, t->signs_at);
	return signs.space != t->signs.space || signs.changes != t->signs.changes;
}

/* All words are read by one helper call. */
GLOBAL uint32_t sonde_unwind_recall(struct sonde_trail *t)
{
	uint32_t zero = 0;
	struct stack_words *stack = bpf_map_lookup_elem(&sonde_unwind_stack, &zero);
	uint64_t n, bytes;

	if (!t || !stack)
		return 0;
	bytes = t->bytes;
	if (bytes > WALK_MOST || has_changed(t) || bpf_probe_read_user(stack, bytes, (void *)t->sp))
		return 0;
	n = t->n_slots;
	LOOP for (uint32_t i = 0; i < WALK_SLOTS && i < n; i += PART)
	{
		if (!sonde_unwind_same(stack, (struct part_at *)&t->at[i],
				       (struct part_words *)&t->word[i], n - i))
			return 0;
	}
	return 1;
}

GLOBAL uint64_t sonde_unwind_learn(struct sonde_walk *w, uint64_t hash)
{
	struct sonde_trail *t;
	uint32_t index;

	if (!w || w->is_missing)
		return 0;
	index = w->trail;
	t = bpf_map_lookup_elem(&sonde_unwind_trails, &index);
	if (index >= SONDE_SCRATCH_SLOTS && t && t->n_slots <= WALK_SLOTS)
		t->hash = hash;
	return 0;
}
