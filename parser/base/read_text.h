/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads text from a stream that may have no end.
 */
#pragma once
#include <stddef.h>
#include <stdio.h>

/* The bytes up to `until`, which is among them, or to the end of the file, with a NUL after them;
 * their number to *len. The caller frees it. NULL with errno: 0 at the end of the file, EFBIG if
 * there are more than `most` bytes. */
char *read_text(FILE *f, int until, size_t most, size_t *len);
