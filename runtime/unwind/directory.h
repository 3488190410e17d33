/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays of struct unwind_range: the directory of a file, which covers all its offsets, and the
 * ranges of a mapping, which are made from it. Only arithmetic; the numbers come from files and
 * processes, and may have any value.
 */
#pragma once
#include "bpf_helpers/unwind.h"
#include "runtime/base/vec.h"

struct unwind_table;

struct unwind_ranges {
	VEC(struct unwind_range);
};

#define UNWIND_OFFSET_MAX ((uint64_t)INT64_MAX)

/* Make the directory of a file with table `t`; `pieces` are the addresses of its pieces in the
 * store. Returns 0, -E2BIG (more ranges than an array may have) or -ENOMEM. */
int unwind_directory_make(const struct unwind_table *t, const uint32_t *pieces,
			  struct unwind_ranges *out);
/* Make the directory of a file without a table. Returns 0 or -ENOMEM. */
int unwind_directory_empty(struct unwind_ranges *out);
/* Append the ranges of a mapping of the file with that directory. Call it in order of addresses.
 * Returns 0 or -errno. */
int unwind_directory_map(const struct unwind_range *directory, size_t n, uint64_t start,
			 uint64_t end, uint64_t file_offset, struct unwind_ranges *out);
/* Append a range without a table; `flags` is enum unwind_range_flags. Returns 0 or -errno. */
int unwind_directory_add_plain(uint64_t start, uint64_t end, uint32_t flags,
			       struct unwind_ranges *out);
