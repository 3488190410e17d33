/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of C for --emit facts.
 */
#pragma once
#include <stdio.h>

struct c_types;

/* Write the types that the script used, which are not its own, as lines of a facts file. */
void emit_types(struct c_types *c, FILE *out);
