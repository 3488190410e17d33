/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shorter forms of demangled names of C++ and Rust.
 */
#pragma once
#include <stdbool.h>

/* Remove the types of parameters from a demangled name, in place, and, unless keep_templates, the
 * arguments of templates and generics: "ns::map<int>::find(int const&) const" becomes
 * "ns::map::find". Operators, "(anonymous namespace)", lambdas and the parts of Rust names in angle
 * brackets stay. A name whose brackets do not balance stays as it is. */
void short_name(char *name, bool keep_templates);
