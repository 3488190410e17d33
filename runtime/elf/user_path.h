/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs and libraries by what users call them.
 */
#pragma once
#include <limits.h>
#include <stdint.h>

/* Where the files of process `pid` (0: ours) are: "" or /proc/PID/root. */
void user_path_root(uint32_t pid, char out[PATH_MAX]);
/* The file that is called `name`: a path, a program in $PATH, or a library as process `pid` has it
 * mapped or the dynamic linker finds it. Absolute, links followed. 0, -ENOENT, other -errno. */
int user_path_find(uint32_t pid, const char *name, char out[PATH_MAX]);
typedef void user_path_fn(const char *path, void *ctx);
/* Each file that the pattern matches, as a shell does. 0 or -errno. */
int user_path_each(uint32_t pid, const char *pattern, user_path_fn *fn, void *ctx);
/* The library `name` that process `pid` has mapped; fn, when not NULL, is called with the others
 * before it. 0, -ESRCH. */
int user_path_mapped(uint32_t pid, const char *name, char out[PATH_MAX], user_path_fn *fn,
		     void *ctx);
/* user_library.c: the library `name` as the program at `path` loads it; when there is no such, fn
 * is called with each that it does. 0, -ESRCH, other -errno. */
int user_path_library(uint32_t pid, const char *path, const char *name, char out[PATH_MAX],
		      user_path_fn *fn, void *ctx);
