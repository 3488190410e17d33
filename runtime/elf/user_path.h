/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding programs and libraries by the names that users type.
 */
#pragma once
#include <limits.h>
#include <stdint.h>

/* The root of the files of process `pid` (0: sonde's own): "" or /proc/PID/root. */
void user_path_root(uint32_t pid, char out[PATH_MAX]);
/* Find the file `name`: a path, a program in $PATH, or a library that process `pid` has mapped or
 * that the dynamic linker would find. The result is absolute, and symbolic links are resolved.
 * Returns 0, -ENOENT, or another -errno. */
int user_path_find(uint32_t pid, const char *name, char out[PATH_MAX]);
typedef void user_path_fn(const char *path, void *ctx);
/* Call fn with each file that the pattern matches. 0 or -errno. */
int user_path_each(uint32_t pid, const char *pattern, user_path_fn *fn, void *ctx);
/* Find the library `name` that process `pid` has mapped; fn (unless NULL) is called with each file
 * before it. 0 or -ESRCH. */
int user_path_mapped(uint32_t pid, const char *name, char out[PATH_MAX], user_path_fn *fn,
		     void *ctx);
/* user_library.c: find the library `name` that the program at `path` loads. If there is none, call
 * fn with each library that it loads. 0, -ESRCH, or another -errno. */
int user_path_library(uint32_t pid, const char *path, const char *name, char out[PATH_MAX],
		      user_path_fn *fn, void *ctx);
