// SPDX-License-Identifier: Apache-2.0
/*
 * Names of columns: see columns.h. They come from the text of the script, before macros are
 * replaced.
 */
#include "parser/syntax/columns.h"
#include "parser/base/diag.h"
#include "parser/lang/builtin.h"

void columns_name(struct arena *a, struct diags *d, struct expr *call, const char **names,
		  const struct span *spans)
{
	const struct builtin *b = builtin_find(call->call.name);
	bool has_columns = b && b->traits & TR_COLUMNS;

	for (uint32_t i = 0; i < call->call.n_args; i++) {
		if (has_columns && !names[i]) {
			names[i] = ast_value_name(call->call.args[i]);
		} else if (!has_columns && names[i]) {
			diag_error(d, spans[i], "named-argument",
				   "the arguments of %s have no names", call->call.name);
			diag_hint(d,
				  "write the value alone, or '==' to compare; only the columns of "
				  "row() have names, and printf() writes any separator");
			return;
		}
	}
	if (has_columns)
		call->call.names = names;
}
