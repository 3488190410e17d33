/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types in a program's debug information as types of the language (parser/lang/c_type.h).
 */
#pragma once
#include "runtime/elf/names.h"

/* A dwarf_make_type_fn. */
const struct type *dwarf_layout_of(struct dwarf_types *t, const void *die, const char *path,
				   struct arena *a);
/* The struct, union, enum or typedef `name` ("struct point", "point"), allocated in `a`; types that
 * it points to remember `file`, in which they are looked up later. NULL: there is no such type. */
const struct type *dwarf_types_named(struct dwarf_types *t, const char *name, const char *file,
				     struct arena *a);
