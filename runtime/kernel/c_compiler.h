/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a C compiler of this machine: no shell, output in memory, limits of time and size.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

/* The path of the first of `names` that is in PATH; NULL: there is none. */
const char *c_compiler_find(struct arena *a, const char *const *names, uint32_t n);

/* Run argv[0], an absolute path, with `text` as standard input. Returns what it writes to standard
 * output, in `a`, followed by a NUL that *len does not count. NULL: *why says why it failed; for an
 * error that the compiler reported that is its first one, with its place if `with_place`. */
const char *c_compiler_run(struct arena *a, const char *const *argv, const char *text,
			   bool with_place, size_t *len, const char **why);
