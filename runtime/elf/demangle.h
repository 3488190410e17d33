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

/* The same for the name of a function that is shown to the user, with the types of parameters.
 * Returns false for all names if demangle_show() says so. */
bool demangle_shown(const char *symbol, char *out, size_t size);
/* Set what demangle_shown() returns: nothing unless `show`; names with or without the types of
 * parameters, and with or without the arguments of templates, which full names have. The default is
 * full names. */
void demangle_show(bool show, bool with_parameters, bool with_templates);
bool demangle_is_shown(void);

/* short_name.c */

/* Remove the types of parameters from a demangled name, in place, and, unless keep_templates, the
 * arguments of templates and generics: "ns::map<int>::find(int const&) const" becomes
 * "ns::map::find". Operators, "(anonymous namespace)", lambdas and the parts of Rust names in angle
 * brackets stay. A name whose brackets do not balance stays as it is. */
void short_name(char *name, bool keep_templates);
