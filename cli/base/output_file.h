/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of -o, or standard output. Failures are reported.
 */
#pragma once
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* Open it (create_file.h); `path` NULL: standard output. NULL after a report. */
FILE *output_open(const char *path);
/* Close it, unless it is standard output, of which main() reports what cannot be written. 0, 2
 * if something could not be written, or 1 if the file is not in its place any more; after a
 * report. */
int output_close(const char *path, FILE *f);
/* Write it as a whole: a regular file is replaced, so that it is never half written. A `mode`
 * for others, too, is that of a new file: it gets the permissions of an old file of the same user.
 * A mode for the owner alone is what it gets. 0, 1 or 2. */
int output_write(const char *path, const void *bytes, size_t len, mode_t mode);
