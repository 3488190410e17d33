/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel functions that fentry and fexit cannot trace, although BTF describes them.
 */
#pragma once
#include <stdbool.h>

struct typed_function;

enum { TRACEABLE_WORDS = 6 }; /* argument words that every kernel passes to programs */

/* True if the kernel refuses to attach to the function of that name. */
bool traceable_is_denied(const char *name);
/* True if the function returns a structure or union. The kernel loads no programs for such
 * functions. */
bool traceable_returns_struct(const struct typed_function *f);
/* True if every kernel passes the function's arguments and result to programs. */
bool traceable_is_passed(const struct typed_function *f);
