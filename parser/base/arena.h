/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bump allocator. The compile half allocates tokens, AST, types and plan in one and frees them
 * all at once; no node is freed by itself. No function returns NULL: when memory runs out the
 * program ends with a message and status 2. The inputs of the front end are bounded
 * (parser/base/limits.h), so running out of memory is a problem of the machine, not of a script.
 */
#pragma once
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* Print "sonde: error: out of memory" and exit with status 2. */
__attribute__((noreturn)) void arena_out_of_memory(void);
/* New, empty arena. */
struct arena *arena_new(void);
/* Free the arena and everything allocated from it. NULL is allowed. */
void arena_free(struct arena *a);
/* `size` zeroed bytes, aligned to 16. */
void *arena_alloc(struct arena *a, size_t size);
/* Copy of the `len` bytes at `s`, NUL-terminated. */
char *arena_strndup(struct arena *a, const char *s, size_t len);
/* The three strings, concatenated. */
char *arena_join(struct arena *a, const char *x, const char *y, const char *z);
/* Copy of the string. */
char *arena_strdup(struct arena *a, const char *s);
/* Formatted string. */
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/* Make space for one more item in the array `items` of `n` items of `size` bytes. Returns the
 * array, which may have moved. The capacity is the power of two above n, at least 8. */
void *arena_grow(struct arena *a, void *items, uint32_t n, size_t size);

#define arena_new_of(a, type) ((type *)arena_alloc((a), sizeof(type)))
/* The list of words and one more, after ", ". */
#define arena_list(a, list, format, ...) \
	arena_printf((a), "%s%s" format, (list), *(list) ? ", " : "", __VA_ARGS__)
/* Append `item` to the array `items` with the count `n`, both lvalues. */
#define arena_push(a, items, n, item)                                      \
	do {                                                               \
		(items) = arena_grow((a), (items), (n), sizeof(*(items))); \
		(items)[(n)++] = (item);                                   \
	} while (0)
