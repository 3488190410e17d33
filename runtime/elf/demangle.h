/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling of C++ and Rust symbols.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Demangle a symbol into out, with or without the types of parameters, and without the return types
 * of templates. False if it is not a mangled name or the result does not fit. */
bool demangle(const char *symbol, bool with_parameters, char *out, size_t size);
