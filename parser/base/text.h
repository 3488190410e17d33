/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small questions about texts.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The part of a path after its last slash. */
static inline const char *text_base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

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
