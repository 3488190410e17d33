/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks as values: { …; value }.
 */
#pragma once
#include "parser/lang/ast.h"

/* Take the value from the end of `b`: an expression without ';', or an if with an else or a block
 * that ends with one. Returns it, removed from `b`, or NULL if the block has no value; then `b` is
 * unchanged. The height of the result is set. */
struct expr *ast_take_value(struct arena *a, struct block *b);
/* The height of a node whose highest child, or statement's expression, is `e`. */
uint32_t ast_height_over(struct expr *e);
/* The value `value`, with the statements of `body` before it if there are any. The value may be
 * NULL: the block has none. */
struct expr *ast_value_block(struct arena *a, struct span s, struct block body, struct expr *value);
