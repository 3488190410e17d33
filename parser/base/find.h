/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds an item of an array by any condition; by a word: TEXT_ROW and TEXT_ITEM of text.h; in a
 * sorted array: vec_bound() of runtime/base/vec.h.
 */
#pragma once

#include <stddef.h>

/* The first of `n` items for which IS_IT is true, an expression of the address `item`; NULL: there
 * is none. */
#define FIND(items, n, IS_IT)                           \
	({                                              \
		__typeof__((items) + 0) item = (items); \
		size_t find_left_ = (n);                \
                                                        \
		for (; find_left_ && !(IS_IT); item++)  \
			find_left_--;                   \
		find_left_ ? item : NULL;               \
	})

/* The same for a table. */
#define FIND_ROW(rows, IS_IT) FIND(rows, sizeof(rows) / sizeof(*(rows)), IS_IT)

/* -1, 0 or 1: how two numbers are ordered, for qsort(). */
#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* Define a comparison function for qsort(); `a` and `b` are the two items. */
#define COMPARE(name, type, ORDER_OF_THEM)              \
	static int name(const void *a_, const void *b_) \
	{                                               \
		const type *a = a_;                     \
		const type *b = b_;                     \
                                                        \
		return ORDER_OF_THEM;                   \
	}
