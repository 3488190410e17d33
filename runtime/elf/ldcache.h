/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Libraries by name, as the dynamic linker finds them.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Is `file` (libssl.so.3) what `name` means (libssl.so.3, libssl.so or libssl)? */
bool ldcache_is_library(const char *file, const char *name);
/* The path of a library by the text of /etc/ld.so.cache, NULL when it is not in there. The answer
 * points into it. Nothing in the text is trusted. */
const char *ldcache_find(const char *cache, size_t size, const char *name);
/* Find a library in the directories of $LD_LIBRARY_PATH (when `use_environment`), by the cache, and
 * in the linker's own directories, all below `root` ("" for ours). Its path without the root in
 * out (PATH_MAX). 0 or -ENOENT. */
int ldcache_search(const char *root, const char *name, bool use_environment, char *out);
/* `dirs`: directories separated by ':'. Find `name` in one of them, likewise. */
int ldcache_in_dirs(const char *root, const char *dirs, const char *name, char *out);
