/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of Rust functions as people write them.
 */
#pragma once
#include <stdbool.h>

/* "<a::B as c::D>::f" and "<a::B>::f", methods, become "a::B::f", "a::f::" (of "a::f::<u32>", whose
 * types were cut off) "a::f". In place; false when nothing was to be done. */
bool rust_name_plain(char *name);
