// SPDX-License-Identifier: Apache-2.0
/*
 * row(), and span() with values: the values and the names of columns. Names are keys of JSON and
 * columns of SQL, so they differ from each other in more than their case.
 */
#include "parser/sema/sema_type.h"
#include <ctype.h>
#include <strings.h>

static bool is_well_formed(const char *name)
{
	size_t n = strlen(name);

	for (const char *c = name; *c; c++)
		if (!isprint((unsigned char)*c) || *c == '"' || *c == '\\')
			return false;
	return n > 0 && n <= LIMIT_COLUMN_NAME;
}

static bool is_taken(const struct expr *call, uint32_t i)
{
	const char **names = call->call.names;

	for (uint32_t k = 0; k < i; k++)
		if (names[k] && strcasecmp(names[k], names[i]) == 0)
			return true;
	return false;
}

static bool check_name(struct sema *s, const struct expr *call, uint32_t i)
{
	const char *name = call->call.names[i];

	if (!name)
		sema_error(s, call->call.args[i]->span, "column-name", "this column has no name");
	else if (!is_well_formed(name))
		sema_error(s, call->call.args[i]->span, "column-name",
			   "the name of a column has 1 to %d printable characters of ASCII without "
			   "quotes and backslashes",
			   LIMIT_COLUMN_NAME);
	else if (is_taken(call, i))
		sema_error(s, call->call.args[i]->span, "column-name",
			   "another column is named '%s', too", name);
	else
		return true;
	sema_hint(s, "name it: %s(…, NAME = value)", call->call.name);
	return false;
}

static bool check_value(struct sema *s, const struct expr *call, struct expr *arg)
{
	if (arg->type->kind == TY_ERROR || sema_is_string_address(s, arg))
		return false;
	if (arg->type->kind == TY_VOID)
		sema_error(s, arg->span, "arg-type",
			   "%s needs a value here, but this call has none", call->call.name);
	else if (arg->type->kind == TY_AGG && !type_is_integral(arg->type))
		sema_error(s, arg->span, "arg-type", "%s cannot be in a column",
			   sema_name_of(s, arg->type));
	else
		return true;
	return false;
}

bool sema_check_columns(struct sema *s, const struct expr *call, uint32_t from)
{
	for (uint32_t i = from; i < call->call.n_args; i++)
		if (!check_value(s, call, call->call.args[i]) || !check_name(s, call, i))
			return false;
	return true;
}

const struct type *chk_row(struct sema *s, struct expr *e)
{
	sema_check_columns(s, e, 0);
	return &type_void;
}
