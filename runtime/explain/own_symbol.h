/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What maps and variables in programs are for.
 */
#pragma once

/* The purpose of a map or variable, in words; NULL: no row of own_symbols.def is about it. */
const char *own_symbol_purpose(const char *name);
