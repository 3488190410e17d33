/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of ranges: see directory.h.
 */
#include "runtime/unwind/directory.h"
#include "runtime/unwind/table.h"

/* Append a range. Two adjacent ranges without a table become one. */
static int append(struct unwind_ranges *out, struct unwind_range r)
{
	struct unwind_range *last = out->n ? &out->items[out->n - 1] : NULL;

	if (last && last->end == r.start && !last->piece && !r.piece && last->flags == r.flags) {
		last->end = r.end;
		return 0;
	}
	if (out->n == UNWIND_RANGES)
		return -E2BIG;
	return vec_push(out, r);
}

int unwind_directory_add_plain(uint64_t start, uint64_t end, uint32_t flags,
			       struct unwind_ranges *out)
{
	struct unwind_range r = {.start = start,
				 .end = end,
				 .origin = start,
				 .flags = UNWIND_RANGE_NO_TABLE | flags};

	return start < end ? append(out, r) : 0;
}

int unwind_directory_empty(struct unwind_ranges *out)
{
	return unwind_directory_add_plain(0, UNWIND_OFFSET_MAX, 0, out);
}

/* The runtime of the table, and where its variable is from `start` on. */
static uint32_t runtime_flags(const struct unwind_table *t, uint64_t start)
{
	uint64_t far = t->runtime_variable ? t->runtime_variable - start : 0;

	if (t->runtime_variable < UNWIND_SLOT_MOST)
		far = t->runtime_variable / 8 * UNWIND_VARIABLE_UNIT; /* UNWIND_SLOT_OF() */
	if (far % 4 || far / UNWIND_VARIABLE_UNIT >> UNWIND_VARIABLE_BITS)
		far = 0;
	return (uint32_t)(far / UNWIND_VARIABLE_UNIT << 4 | t->runtime)
		       << UNWIND_RANGE_RUNTIME_BIT |
	       (uint32_t)(far % UNWIND_VARIABLE_UNIT / 4) << UNWIND_RANGE_VARIABLE_BIT;
}

/* Add the part of a piece that is in the segment, at its file offsets. */
static int add_piece(const struct unwind_table *t, const struct unwind_segment *s,
		     const struct unwind_piece *p, uint32_t words, struct unwind_ranges *out)
{
	uint64_t segment_end = s->address + s->bytes;
	uint64_t start = p->start > s->address ? p->start : s->address;
	uint64_t end = p->end < segment_end ? p->end : segment_end;
	struct unwind_range r = {.start = start - s->address + s->file_offset,
				 .end = end - s->address + s->file_offset,
				 .origin = p->start - s->address + s->file_offset,
				 .piece = words,
				 .flags = runtime_flags(t, p->start)};

	if (start >= end || r.end > UNWIND_OFFSET_MAX || r.start >= r.end)
		return 0;
	return out->n < UNWIND_RANGES ? vec_push(out, r) : -E2BIG;
}

/* Fill the gaps between ranges. Where ranges overlap, the later one is cut. */
static int fill(const struct unwind_ranges *pieces, struct unwind_ranges *out)
{
	uint64_t end = 0;
	int err = 0;

	for (size_t i = 0; i < pieces->n && !err; i++) {
		struct unwind_range r = pieces->items[i];

		err = unwind_directory_add_plain(end, r.start, 0, out);
		r.start = r.start > end ? r.start : end;
		if (!err && r.start < r.end) {
			err = append(out, r);
			end = r.end;
		}
	}
	return err ?: unwind_directory_add_plain(end, UNWIND_OFFSET_MAX, 0, out);
}

int unwind_directory_make(const struct unwind_table *t, const uint32_t *pieces,
			  struct unwind_ranges *out)
{
	struct unwind_ranges sorted = {0};
	int err = 0;

	for (uint32_t i = 0; i < t->n_segments && !err; i++)
		for (uint32_t k = 0; k < t->n_pieces && !err; k++)
			err = add_piece(t, &t->segments[i], &t->pieces[k], pieces[k], &sorted);
	vec_sort(&sorted);
	if (!err)
		err = fill(&sorted, out);
	vec_free(&sorted);
	return err;
}

int unwind_directory_map(const struct unwind_range *directory, size_t n, uint64_t start,
			 uint64_t end, uint64_t file_offset, struct unwind_ranges *out)
{
	uint64_t offset_end = file_offset + (end - start), shift = start - file_offset;
	int err = 0;

	if (start >= end || offset_end < file_offset || offset_end > UNWIND_OFFSET_MAX)
		return 0;
	for (size_t i = 0; i < n && !err; i++) {
		struct unwind_range r = directory[i];

		if (r.end <= file_offset || r.start >= offset_end)
			continue;
		r.start = (r.start > file_offset ? r.start : file_offset) + shift;
		r.end = (r.end < offset_end ? r.end : offset_end) + shift;
		r.origin += shift;
		err = append(out, r);
	}
	return err;
}
