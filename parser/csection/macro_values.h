/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Macros of C as values in a script.
 */
#pragma once

struct preprocessor;
struct program;

/* Replace each name of a macro in the probes and functions of `program` by the macro's value,
 * which is an expression of the script. */
void macro_values_replace(struct preprocessor *p, struct program *program);
