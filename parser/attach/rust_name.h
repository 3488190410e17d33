/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of Rust functions as people write them.
 */
#pragma once
#include <stdbool.h>

/* Shorten methods: "<a::B as c::D>::f" and "<a::B>::f" become "a::B::f", and "a::f::"
 * ("a::f::<u32>" without its types) becomes "a::f". In place; false if nothing changed. */
bool rust_name_plain(char *name);
