/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `for ($k, $v : @m) { … }`, written with one loop variable.
 */
#pragma once
#include "parser/lang/ast.h"

/* A loop over the entries of `map`. `key` and `value`, both EX_VAR, become variables of the body if
 * the body names them. */
struct stmt *ast_stmt_for_entries(struct arena *a, struct span s, struct expr *key,
				  struct expr *value, struct expr *map, struct block body);
