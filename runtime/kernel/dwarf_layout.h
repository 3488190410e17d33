/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types in a program's debug information as types of the language (parser/lang/c_type.h).
 */
#pragma once
#include "runtime/elf/names.h"

/* The struct, union, enum or typedef `name` ("struct point", "point"), allocated in `a`; types that
 * it points to remember `file`, in which they are looked up later. NULL: there is no such type. */
const struct type *dwarf_types_named(struct dwarf_types *t, const char *name, const char *file,
				     struct arena *a);
