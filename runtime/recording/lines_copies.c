/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A run whose lines came several times before it had ended, such as `cat a.jsonl a.jsonl` of one
 * that was killed: each line counts as often as in the longest copy. Which copy a line is of is not
 * known, so equal lines are counted.
 */
#include "runtime/recording/lines_impl.h"
#include "parser/base/arena.h"

HASH_INTEGER_FUNCTIONS(copied_lines, struct copied_line, uint64_t, hash_none, e->hash, e->n)

static uint64_t hash_line(const struct line_run *run, const char *text, size_t len)
{
	return hash_mix(hash_bytes(text, len), (uintptr_t)run);
}

void lines_count_copy(struct lines *l, const struct line_run *run, const char *text, size_t len)
{
	uint64_t hash = hash_line(run, text, len);
	struct copied_line *known = copied_lines_find(&l->copied, hash);

	if (known)
		known->n++;
	else if (copied_lines_insert(&l->copied, (struct copied_line){.hash = hash, .n = 1}))
		arena_out_of_memory();
}

bool lines_is_copy(struct lines *l, const struct line_run *run, const char *text, size_t len)
{
	struct copied_line *known =
		run->n_copies ? copied_lines_find(&l->copied, hash_line(run, text, len)) : NULL;

	return known && known->n_read++ > (known->n - 1) / (run->n_copies + 1);
}
