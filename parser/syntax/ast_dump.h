/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree as text, for --emit ast and --emit types.
 */
#pragma once
#include "parser/base/source.h"

struct program;

/* Print the tree as S-expressions; after sema, `with_types` adds types. */
void ast_dump(const struct program *p, bool with_types, FILE *out);
/* The same; at() is called before each probe, predicate, statement and map, with its place. */
void ast_dump_with_places(const struct program *p, bool with_types, FILE *out,
			  void (*at)(void *ctx, struct span span), void *ctx);
