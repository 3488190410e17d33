/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Demangling of C++ and Rust symbols.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct config;

/* Demangle a symbol into out, with or without the types of parameters, and without the return types
 * of templates. False if it is not a mangled name or the result does not fit. */
bool demangle(const char *symbol, bool with_parameters, char *out, size_t size);

/* The same for the name of a function that is shown to the user, with the types of parameters.
 * Returns false for all names if cpp_demangle is false. */
bool demangle_shown(const char *symbol, char *out, size_t size);
/* Show names as these settings say (cpp_demangle, cpp_names); by default demangled, in full. */
void demangle_show(const struct config *c);
bool demangle_is_shown(void);
