/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A growable array of any type:
 *
 *	VEC(struct link) links = {0};
 *
 *	err = vec_push(&links, (struct link){.fd = fd});
 *	for (size_t i = 0; i < links.n; i++)
 *		use(&links.items[i]);
 *	vec_free(&links);
 *
 * All zeros is an empty array. Memory at least doubles when it runs out, so a push is O(1) on
 * average. Whatever needs memory returns 0 or -ENOMEM and leaves the array as it was on failure.
 * Growing moves the items: keep indexes, not pointers.
 */
#pragma once
#include "parser/base/find.h"
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { VEC_FIRST_CAPACITY = 8 };

#define VEC(type)                   \
	struct {                    \
		type *items;        \
		size_t n, capacity; \
	}

/* Reallocate `items` for at least `want` of them and update *capacity. NULL if out of memory. */
static inline void *vec_grown(void *items, size_t *capacity, size_t want, size_t item_bytes)
{
	size_t n = *capacity > want / 2 ? 2 * *capacity : want;
	void *grown = reallocarray(items, n, item_bytes);

	if (grown)
		*capacity = n;
	return grown;
}

/* Make room for `want` items in all. 0 or -ENOMEM. On an empty array this is exact. */
#define vec_reserve(v, want)                                                                      \
	({                                                                                        \
		__auto_type vec_r_ = (v);                                                         \
		size_t vec_want_ = (want);                                                        \
		int vec_err_ = 0;                                                                 \
                                                                                                  \
		if (vec_want_ > vec_r_->capacity) {                                               \
			void *vec_grown_ = vec_grown(vec_r_->items, &vec_r_->capacity, vec_want_, \
						     sizeof(*vec_r_->items));                     \
			if (vec_grown_)                                                           \
				vec_r_->items = vec_grown_;                                       \
			else                                                                      \
				vec_err_ = -ENOMEM;                                               \
		}                                                                                 \
		vec_err_;                                                                         \
	})

/* Append a value. 0 or -ENOMEM. */
#define vec_push(v, ...)                                                                         \
	({                                                                                       \
		__auto_type vec_p_ = (v);                                                        \
		int vec_full_ = 0;                                                               \
                                                                                                 \
		if (vec_p_->n == vec_p_->capacity)                                               \
			vec_full_ = vec_reserve(vec_p_,                                          \
						vec_p_->n ? vec_p_->n + 1 : VEC_FIRST_CAPACITY); \
		if (!vec_full_)                                                                  \
			vec_p_->items[vec_p_->n++] = (__VA_ARGS__);                              \
		vec_full_;                                                                       \
	})

/* Append `count` values from an array. 0 or -ENOMEM. */
#define vec_append(v, from, count)                                           \
	({                                                                   \
		__auto_type vec_a_ = (v);                                    \
		const __typeof__(*vec_a_->items) *vec_from_ = (from);        \
		size_t vec_count_ = (count);                                 \
		int vec_full_ = vec_reserve(vec_a_, vec_a_->n + vec_count_); \
                                                                             \
		if (!vec_full_ && vec_count_) {                              \
			memcpy(vec_a_->items + vec_a_->n, vec_from_,         \
			       vec_count_ * sizeof(*vec_from_));             \
			vec_a_->n += vec_count_;                             \
		}                                                            \
		vec_full_;                                                   \
	})

/* Remove `count` items from index `at` on; those behind move up. */
#define vec_remove(v, at, count)                                                   \
	do {                                                                       \
		__auto_type vec_d_ = (v);                                          \
		size_t vec_at_ = (at), vec_count_ = (count);                       \
		size_t vec_end_ = vec_at_ + vec_count_;                            \
                                                                                   \
		assert(vec_end_ <= vec_d_->n);                                     \
		if (vec_d_->n > vec_end_)                                          \
			memmove(vec_d_->items + vec_at_, vec_d_->items + vec_end_, \
				(vec_d_->n - vec_end_) * sizeof(*vec_d_->items));  \
		vec_d_->n -= vec_count_;                                           \
	} while (0)

/* The number of items, from the first one on, for which IS_BEFORE is true, an expression of the
 * address `item`. The array is sorted, so that it is false for all after them. */
#define vec_bound(v, IS_BEFORE)                                                               \
	({                                                                                    \
		__auto_type vec_b_ = (v);                                                     \
		size_t vec_low_ = 0, vec_high_ = vec_b_->n;                                   \
                                                                                              \
		while (vec_low_ < vec_high_) {                                                \
			size_t vec_middle_ = vec_low_ + (vec_high_ - vec_low_) / 2;           \
			const __typeof__(*vec_b_->items) *item = &vec_b_->items[vec_middle_]; \
                                                                                              \
			if (IS_BEFORE)                                                        \
				vec_low_ = vec_middle_ + 1;                                   \
			else                                                                  \
				vec_high_ = vec_middle_;                                      \
		}                                                                             \
		vec_low_;                                                                     \
	})

static inline int vec_compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return ORDER(x, y);
}

/* Sort items that are, or begin with, a uint64_t by that number. */
#define vec_sort(v)                                                                               \
	do {                                                                                      \
		__auto_type vec_o_ = (v);                                                         \
                                                                                                  \
		if (vec_o_->n)                                                                    \
			qsort(vec_o_->items, vec_o_->n, sizeof(*vec_o_->items), vec_compare_u64); \
	} while (0)

/* Return unused memory. Failing to is harmless. */
#define vec_shrink(v)                                                                           \
	do {                                                                                    \
		__auto_type vec_s_ = (v);                                                       \
		void *vec_less_ = NULL;                                                         \
                                                                                                \
		if (vec_s_->n && vec_s_->n < vec_s_->capacity)                                  \
			vec_less_ =                                                             \
				reallocarray(vec_s_->items, vec_s_->n, sizeof(*vec_s_->items)); \
		if (vec_less_) {                                                                \
			vec_s_->items = vec_less_;                                              \
			vec_s_->capacity = vec_s_->n;                                           \
		}                                                                               \
	} while (0)

#define vec_free(v)                               \
	do {                                      \
		__auto_type vec_f_ = (v);         \
                                                  \
		free(vec_f_->items);              \
		vec_f_->items = NULL;             \
		vec_f_->n = vec_f_->capacity = 0; \
	} while (0)
