/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of the arguments of a call.
 */
#pragma once
#include "parser/lang/ast.h"

/* `names` are those that the script gives to the call's arguments, or NULL each. The columns of
 * row() without one get that of their value: `args.filename` is "filename". Names in other calls
 * are reported to `d`. */
void columns_name(struct arena *a, struct diags *d, struct expr *call, const char **names,
		  const struct span *spans);
