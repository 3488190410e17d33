/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks as values: { …; value }.
 */
#pragma once
#include "parser/lang/ast.h"

/* Take the value from the end of `b`: an expression without ';', or an if with an else or a block
 * that ends with one. Returns it, removed from `b`, or NULL if the block has no value; then `b` is
 * unchanged. */
struct expr *ast_take_value(struct arena *a, struct block *b);
/* The value `value`, with the statements of `body` before it if there are any. The value may be
 * NULL: the block has none. */
struct expr *ast_value_block(struct arena *a, struct span s, struct block body, struct expr *value);
