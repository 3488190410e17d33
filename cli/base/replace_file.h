/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are written as a whole or not at all.
 */
#pragma once
#include <stddef.h>
#include <sys/types.h>

/* Write a new file beside `path` and rename it. It gets the permissions of the old file, or `mode`
 * if there is none. 0 or -errno. */
int replace_file(const char *path, const void *bytes, size_t len, mode_t mode);
