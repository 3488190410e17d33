/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parts: functions that hold some statements of a probe whose body is too long for one function.
 * Shared by gen_part.c, gen_stmt.c and gen_frame.c.
 */
#pragma once
#include "codegen/gen.h"

/* How deep parts can be nested: only statements in an expression make parts in parts. Each takes
 * one of the 8 frames that a chain of calls can have. */
enum { MOST_PARTS_NESTED = 2 };

/* Is the selected probe's body so long that it is split into parts? */
bool gen_part_splits(const struct gen *g);
/* Does `b` take more than one part? */
bool gen_part_is_long(const struct gen *g, const struct block *b);
/* Generate the statements of a long block, in parts. */
void gen_parts(struct gen *g, const struct block *b);
/* Does the `if`, with its else-if chain, take more than one part? */
bool gen_part_is_chain(const struct gen *g, struct stmt *st);
/* Generate such an `if`, in parts. */
void gen_branches(struct gen *g, struct stmt *st);
