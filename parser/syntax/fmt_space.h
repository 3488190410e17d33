/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where spaces and line breaks belong between the tokens of a formatted script. Private to fmt*.c.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct filter;

/* Does token `i` end a value, so that an operator behind it is a binary one? */
bool fmt_ends_value(const struct filter *f, uint32_t i);
/* Does a space separate token `i` from the one before it on its line? */
bool fmt_has_space(const struct filter *f, uint32_t i);
/* Can a long line end before token `i`? */
bool fmt_may_break(const struct filter *f, uint32_t i);
