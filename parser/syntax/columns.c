// SPDX-License-Identifier: Apache-2.0
/*
 * Names of columns: see columns.h. They come from the text of the script, before macros are
 * replaced.
 */
#include "parser/syntax/columns.h"
#include "parser/base/diag.h"
#include "parser/lang/builtin.h"

/* The name of a value: that of a variable, a member, a function, or the only thing it is made from.
 * NULL: it has none. */
static const char *name_of(const struct expr *e)
{
	const char *inner;

	switch (e->kind) {
	case EX_NAME: return e->name.name;
	case EX_VAR: return e->var.name + 1;
	case EX_MAP: return e->map.name[1] ? e->map.name + 1 : NULL;
	case EX_FIELD: return e->field.name;
	case EX_INDEX: return name_of(e->index.object);
	case EX_CAST: return name_of(e->cast.operand);
	case EX_UNARY: return name_of(e->unary.operand);
	case EX_CALL:
		inner = e->call.n_args == 1 ? name_of(e->call.args[0]) : NULL;
		return inner ? inner : e->call.name;
	default: return NULL;
	}
}

void columns_name(struct arena *a, struct diags *d, struct expr *call, const char **names,
		  const struct span *spans)
{
	const struct builtin *b = builtin_find(call->call.name);
	bool has_columns = b && b->traits & TR_COLUMNS;

	for (uint32_t i = 0; i < call->call.n_args; i++) {
		if (has_columns && !names[i]) {
			names[i] = name_of(call->call.args[i]);
		} else if (!has_columns && names[i]) {
			diag_error(d, spans[i], "named-argument",
				   "the arguments of %s have no names", call->call.name);
			diag_hint(d, "write '==' to compare; only the columns of row() have names");
			return;
		}
	}
	if (has_columns)
		call->call.names = names;
}
