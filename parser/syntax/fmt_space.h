/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where spaces and line breaks belong between the tokens of a formatted script. Private to fmt*.c.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct filter;

/* True if token `i` ends a value, so that an operator after it is a binary one. */
bool fmt_ends_value(const struct filter *f, uint32_t i);
/* True if a space separates token `i` from the one before it on its line. */
bool fmt_has_space(const struct filter *f, uint32_t i);
/* True if a long line can end before token `i`. */
bool fmt_may_break(const struct filter *f, uint32_t i);
