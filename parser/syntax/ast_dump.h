/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree as text, for --emit ast and --emit types.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>

struct program;

/* Print the tree as S-expressions; after sema, `with_types` adds types. */
void ast_dump(const struct program *p, bool with_types, FILE *out);
