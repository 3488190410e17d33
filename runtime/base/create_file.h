/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens files to be written. They may hold what other users' programs did, so they are for their
 * owner only; and root must not write where another user's link points.
 */
#pragma once
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Open the folder in which `path` is, and find its name there. Links are followed if they belong
 * to root or to this user and nobody else can replace them. A link of /proc, such as that to
 * which /dev/stdout points, is left to the kernel: *is_proc. A descriptor (O_PATH), or -errno:
 * -ELOOP for a link that is not followed. */
int create_file_folder(const char *path, char name[NAME_MAX + 1], bool *is_proc);

/* Open the file to read and write it (a device, pipe or socket: to write) as a new file of mode
 * 0600, or an existing one, which becomes empty and gets that mode; with `is_new` it must not
 * exist. It is locked before it is changed. A descriptor, or -errno: -ELOOP likewise; -EBUSY if
 * another process has locked it; -EPERM for a file of another user in a folder in which anybody
 * could have made it. */
int create_file(const char *path, bool is_new);

/* Write a new file beside `path` and rename it: it is never half written. A file of this user
 * keeps its mode if `mode` lets others read it. 0 or -errno. */
int create_file_replace(const char *path, const void *bytes, size_t len, mode_t mode);
