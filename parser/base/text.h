/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small questions about texts.
 */
#pragma once
#include "parser/base/find.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The part of a path after its last slash. */
static inline const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* True if the `len` bytes at `text` are `word`. */
static inline bool text_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* The first of `n` items of `size` bytes whose word is `text`, or NULL. `word` is in items[0]. */
static inline const void *text_find(const void *items, size_t n, size_t size,
				    const char *const *word, const char *text, size_t len)
{
	const char *item = items;
	ptrdiff_t at = (const char *)word - item;

	for (; n--; item += size)
		if (text_is(text, len, *(const char *const *)(item + at)))
			return item;
	return NULL;
}

/* True if the `len` bytes at `text` are one of an array of words. */
#define TEXT_IS_IN(words, text, len)                                                             \
	(text_find((words), sizeof(words) / sizeof(*(words)), sizeof(*(words)), (words), (text), \
		   (len)))

/* The row of a table whose member `member` is the `len` bytes at `text`; NULL: there is none. */
#define TEXT_ROW(rows, member, text, len)                                          \
	((__typeof__(&(rows)[0]))text_find((rows), sizeof(rows) / sizeof(*(rows)), \
					   sizeof(*(rows)), &(rows)[0].member, (text), (len)))

/* The same for an array of `n` items. */
#define TEXT_ITEM(items, n, member, text)                                                   \
	((n) ? (__typeof__(&(items)[0]))text_find((items), (n), sizeof(*(items)),           \
						  &(items)[0].member, (text), strlen(text)) \
	     : NULL)

/* Append to a list of words, after ", ", in a buffer of `size` bytes; cut if the buffer is full. */
#define TEXT_LIST(list, size, format, ...)                                                       \
	snprintf((list) + strlen(list), (size) - strlen(list), "%s" format, *(list) ? ", " : "", \
		 __VA_ARGS__)

/* The first of an array of words with which `text` begins, or NULL. */
#define TEXT_PREFIX(words, text) FIND_ROW(words, strncmp((text), *item, strlen(*item)) == 0)

/* The value of a hexadecimal digit in either case; -1: it is none. */
static inline int text_hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* FNV-1a. */
static inline uint32_t text_hash(const char *text, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

/* A line of a longer text, without its newline. */
struct text_line {
	const char *at;
	size_t len;
};

/* The line at *at, which moves past it. False at the end. */
static inline bool text_next_line(const char **at, const char *end, struct text_line *l)
{
	const char *newline;

	if (*at >= end)
		return false;
	newline = memchr(*at, '\n', (size_t)(end - *at));
	*l = (struct text_line){*at, (size_t)((newline ? newline : end) - *at)};
	*at = newline ? newline + 1 : end;
	return true;
}

static inline bool text_line_begins(const struct text_line *l, const char *with)
{
	size_t n = strlen(with);

	return l->len >= n && memcmp(l->at, with, n) == 0;
}
