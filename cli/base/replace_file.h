/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are written as a whole or not at all.
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

/* Write a new file beside `path` and rename it. Links are followed as create_file.h has it. A
 * mode for others, too, is that of a new file: it gets the permissions of an old file of the
 * same user. A mode for the owner alone is what it gets. 0 or -errno. */
int replace_file(const char *path, const void *bytes, size_t len, mode_t mode);
