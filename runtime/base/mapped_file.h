/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens files that processes have mapped, in any mount namespace and after they were deleted, and
 * only if they are what was mapped.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The device and inode that /proc/PID/maps shows for a mapping of the file behind fd. On some file
 * systems (overlayfs, btrfs), stat() returns others. Returns false if it cannot be mapped. */
bool mapped_file_identity(int fd, uint64_t *device, uint64_t *inode);
/* Open `path` if it is the file that /proc/PID/maps names by this device (makedev) and inode. A
 * descriptor or -1. */
int mapped_file_open_path(const char *path, uint64_t device, uint64_t inode);
/* Open what process `tgid` has mapped at [start, end): through /proc/PID/map_files, or else by
 * `path` below its root, which is of a file with that device and inode. A descriptor or -1. */
int mapped_file_open(uint32_t tgid, uint64_t start, uint64_t end, uint64_t device, uint64_t inode,
		     const char *path);
/* Open `path` below the root of process `tgid` (0: none) if it is that file. */
int mapped_file_open_in_root(uint32_t tgid, const char *path, uint64_t device, uint64_t inode);
