/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of what the kernel and debug information describe: tracepoint fields, function arguments
 * and results, iterator fields.
 */
#pragma once
#include "parser/lang/probe.h"

/* Is it the address of a text: `const char *`? */
bool field_is_text(const struct tp_field *f);
/* Type of a tracepoint field's value; NULL: it cannot be read, such as a field of __rel_loc. */
const struct type *field_type(struct arena *a, const struct tp_field *f);
/* Type of a function argument that is an address in `space`; NULL when it is not an address. */
const struct type *field_pointer_type(struct arena *a, const struct tp_field *f,
				      enum type_space space);
/* Type that holds an argument of type `x` in one function and `y` in another; NULL when they differ
 * too much. */
const struct type *field_common_type(struct arena *a, const struct type *x, const struct type *y);
/* Type of `retval` at a return probe; NULL when the function returns nothing, or neither a number
 * nor an address. */
const struct type *field_result_type(const struct attach_point *p);
/* Type of ctx.FIELD in an iter probe. */
const struct type *iter_field_type(struct arena *a, const struct iter_field *f);
