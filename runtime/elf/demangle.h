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

/* The same for the name of a function that is shown, with the types of parameters. False for all
 * names after demangle_show(false). */
bool demangle_shown(const char *symbol, char *out, size_t size);
/* Are names shown demangled (cpp_demangle)? They are by default. */
void demangle_show(bool on);
bool demangle_is_shown(void);
