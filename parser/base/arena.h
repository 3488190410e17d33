/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bump allocator. The compile half allocates tokens, AST, types and plan here and frees
 * them all at once; nobody frees a single node (docs/architecture.md, "Memory").
 */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* New, empty arena; NULL when out of memory. */
struct arena *arena_new(void);
/* Free the arena and all that was allocated from it. NULL is fine. */
void arena_free(struct arena *a);
/* `size` zeroed bytes, aligned to 16. Out of memory ends the program with a message and status 2:
 * the front end's inputs are bounded (parser/base/limits.h), so this is the machine's trouble. */
void *arena_alloc(struct arena *a, size_t size);
/* Copy of the `len` bytes at `s`, NUL-terminated. */
char *arena_strndup(struct arena *a, const char *s, size_t len);
/* Copy of the whole string. */
char *arena_strdup(struct arena *a, const char *s);
/* Formatted string. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Make room for one more item in the array `items` of `n` items of `size` bytes: returns the
 * array, moved when it had to grow. The capacity is the next power of two of n, from 8. */
void *arena_grow(struct arena *a, void *items, uint32_t n, size_t size);

#define arena_new_of(a, type) ((type *)arena_alloc((a), sizeof(type)))
/* Append `item` to the array `items` with the count `n`, both lvalues. */
#define arena_push(a, items, n, item)                                      \
	do {                                                               \
		(items) = arena_grow((a), (items), (n), sizeof(*(items))); \
		(items)[(n)++] = (item);                                   \
	} while (0)
