/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stage between the parser and the semantic passes: imported files are read, and calls of
 * macros and functions are replaced by their bodies.
 */
#pragma once
#include "parser/lang/ast.h"

/* Before: the tree as parsed. After: it has what imported files have, too. */
void expand_imports(struct arena *a, struct program *p, struct diags *d);
/* After: no call of a macro or function is left. 0, or -1 if there were errors, also before. */
int expand_calls(struct arena *a, struct program *p, struct diags *d);
