/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory of addresses, which pointers have and numbers keep that were made from them.
 */
#pragma once
#include "parser/lang/type.h"

/* A 64-bit integer that is not tagged, with its `from`; any other type unchanged. */
const struct type *type_from(const struct type *t, enum type_space from);
/* The memory of what is in `x` or in `y`, as far as it is known. */
enum type_space type_join_spaces(enum type_space x, enum type_space y);
/* The memory that a pointer points into, or that a number is an address in. */
enum type_space type_space_of(const struct type *t);
/* Is the memory that `t` points to in user space? `otherwise` if `t` is a plain address. */
bool type_is_in_user_space(const struct type *t, bool otherwise);
