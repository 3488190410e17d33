/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a file in memory (memfd_create(2)), for functions that read files.
 */
#pragma once
#include <stddef.h>

/* A file `name` with these bytes. Returns a descriptor at its start, which the caller closes, or
 * -errno. */
int memory_file(const char *name, const void *bytes, size_t n);
/* The bytes of a file, from malloc, with a NUL after them; their number to *n. NULL with errno:
 * EFBIG if there are more than `most`. */
char *memory_file_bytes(int fd, size_t most, size_t *n);
