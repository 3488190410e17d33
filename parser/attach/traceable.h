/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel functions that fentry and fexit cannot trace, although BTF describes them.
 */
#pragma once
#include <stdbool.h>

struct typed_function;

enum { TRACEABLE_WORDS = 6 }; /* argument words that every kernel passes to programs */

/* Does the kernel refuse to attach to the function of that name? */
bool traceable_is_denied(const char *name);
/* Is its result a structure or a union? The kernel refuses to load programs for such functions. */
bool traceable_returns_struct(const struct typed_function *f);
/* Does every kernel pass its arguments and its result to programs? */
bool traceable_is_passed(const struct typed_function *f);
