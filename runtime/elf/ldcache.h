/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds libraries by name, as the dynamic linker does (ld.so(8)).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Debian's name of this machine. */
#if defined(__x86_64__)
#define LDCACHE_MULTIARCH "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define LDCACHE_MULTIARCH "aarch64-linux-gnu"
#endif

/* Does `name` (libssl.so.3, libssl.so or libssl) refer to the file name `file` (libssl.so.3)? */
bool ldcache_is_library(const char *file, const char *name);
/* Find the path of a library in the contents of /etc/ld.so.cache: one for programs with that
 * e_machine, EM_386 or (all others) this machine's. NULL if it is not there. The result points into
 * `cache`. The contents are not trusted. */
const char *ldcache_find(const char *cache, size_t size, uint16_t machine, const char *name);
/* Search a library in the directories of $LD_LIBRARY_PATH (if `use_environment`), in the cache, and
 * in the default directories, all below `root` ("" for sonde's own). Stores its path without the
 * root in out (PATH_MAX). Returns 0 or -ENOENT. */
int ldcache_search(const char *root, uint16_t machine, const char *name, bool use_environment,
		   char *out);
/* The same, in a list of directories separated by ':'. */
int ldcache_in_dirs(const char *root, const char *dirs, const char *name, char *out);
