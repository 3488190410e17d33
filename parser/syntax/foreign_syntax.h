/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words and forms of other languages, answered with ours.
 */
#pragma once
#include <stdbool.h>

struct filter;

/* Say the syntax error at the filter's current token when it is such a slip. */
bool foreign_syntax(struct filter *f);
