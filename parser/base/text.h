/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small questions about texts.
 */
#pragma once
#include <string.h>

/* The part of a path behind its last slash. */
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
