/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keywords, for editors. They are in lexer.l.
 */
#pragma once
#include <stdint.h>

/* The i-th keyword or reserved word; NULL after the last. Some are in the list twice. */
const char *syntax_keyword(uint32_t i);
