/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Looks addresses up for a walk (unwind.bpf.c): the mapping in the process's array of ranges, and
 * the row in the mapping's piece.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_CHUNKS);
	__uint(key_size, 4);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_ARRAY);
			__uint(map_flags, BPF_F_MMAPABLE);
			__uint(max_entries, 1);
			__uint(key_size, 4);
			__uint(value_size, UNWIND_CHUNK_WORDS * 4);
		});
} sonde_unwind_store SEC(".maps");

static INLINE uint32_t *chunk_of(uint32_t address)
{
	uint32_t number = address >> UNWIND_CHUNK_BITS, zero = 0;
	void *chunk = bpf_map_lookup_elem(&sonde_unwind_store, &number);

	return chunk ? bpf_map_lookup_elem(chunk, &zero) : 0;
}

static INLINE uint32_t table_word(const uint32_t *chunk, uint64_t i)
{
	OPAQUE(i);
	return chunk[i & (UNWIND_CHUNK_WORDS - 1)];
}

/* Find the range of an array that contains address x, by binary search without branches. */
GLOBAL uint32_t sonde_unwind_range(struct sonde_walk *w, uint32_t ranges, uint64_t n, uint64_t x,
				   int64_t shift)
{
	uint32_t *chunk = chunk_of(ranges);
	uint64_t lo = ranges & (UNWIND_CHUNK_WORDS - 1);
	struct unwind_range *r;

	if (!w || !ranges || !chunk)
		return 0;
	LOOP for (int i = 0; i < 12 && n > 1; i++)
	{
		uint64_t half = n >> 1, mid = lo + half * UNWIND_RANGE_WORDS, above;

		OPAQUE(mid);
		r = (struct unwind_range *)(chunk +
					    (mid & (UNWIND_CHUNK_WORDS - UNWIND_RANGE_WORDS)));
		above = (x - r->start) >> 63; /* 1 if it begins above x */
		OPAQUE(above);
		lo += half * UNWIND_RANGE_WORDS & (above - 1);
		n -= half;
		OPAQUE(n);
	}
	OPAQUE(lo);
	r = (struct unwind_range *)(chunk + (lo & (UNWIND_CHUNK_WORDS - UNWIND_RANGE_WORDS)));
	if (x < r->start || x >= r->end)
		return 0;
	w->start = r->start + shift;
	w->bytes = r->end - r->start;
	w->origin = r->origin + shift;
	w->piece = r->piece;
	w->is_mapped = 1;
	w->flags = r->flags;
	return 1;
}

/* The index of the rule of the row that covers an offset in a piece. */
GLOBAL uint32_t sonde_unwind_row(uint32_t piece, uint64_t offset)
{
	uint32_t *chunk = chunk_of(piece);
	uint64_t base = piece, lo, n, word;

	if (!chunk)
		return 0;
	word = table_word(chunk, base + (offset >> UNWIND_BLOCK_BITS));
	offset &= UNWIND_BLOCK_BYTES - 1;
	lo = base + UNWIND_BLOCK_FIRST(word);
	n = UNWIND_BLOCK_ROWS(word);
	OPAQUE(n);
	LOOP for (int i = 0; i < 8 && n > 1; i++)
	{
		uint64_t half = n >> 1, above;

		above = offset - UNWIND_ROW_OFFSET((uint64_t)table_word(chunk, lo + half));
		OPAQUE(above); /* or LLVM makes a branch of it */
		above >>= 63;
		OPAQUE(above);
		lo += half & (above - 1);
		n -= half;
		OPAQUE(n);
	}
	return UNWIND_ROW_RULE(table_word(chunk, lo));
}
