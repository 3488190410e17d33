/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files in ZIP archives, named as Android's dynamic linker names them: ARCHIVE!/MEMBER. Processes
 * map such a library from the archive itself, so it must be uncompressed and aligned to a page.
 */
#pragma once
#include <limits.h>
#include <stdint.h>

struct zip_member {
	char archive[PATH_MAX];
	uint64_t offset, size; /* in the archive */
};

/* What follows "!/" in the path; NULL: it names a plain file. */
const char *zip_member_of(const char *path);
/* Find the member; of a plain file, the archive is the file and the offset 0. Returns 0, -ENOENT
 * (no such file or member), -EMEDIUMTYPE (compressed, or not aligned to a page), -ENOEXEC (not an
 * archive), or another -errno. */
int zip_member_find(const char *path, struct zip_member *out);
/* A copy of the member in memory: a descriptor, or -errno as above. */
int zip_member_copy(const char *path);
