/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C++ and Rust symbols as people write them.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Symbol demangled into out; the parameters' types are left out unless asked for, return types of
 * templates always. False when it is no mangled name or the result does not fit. */
bool demangle(const char *symbol, bool with_parameters, char *out, size_t size);
