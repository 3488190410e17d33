/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `for ($k, $v : @m)`: see ast_entries.h. The loop's variable is an entry, with a name that no
 * script can write; its members are copied to those of the two variables that the body names.
 * Reading a value can take long (an aggregation is summed over all CPUs) or be impossible (a
 * histogram).
 */
#include "parser/lang/ast_entries.h"
#include "parser/base/arena.h"
#include <string.h>

struct named {
	const char *name;
	bool is_used;
};

static void find_name(struct expr *e, void *ctx)
{
	struct named *named = ctx;

	named->is_used |= e->kind == EX_VAR && strcmp(e->var.name, named->name) == 0;
	ast_each_child(e, find_name, ctx);
}

static void add_let(struct arena *a, struct block *list, struct block *body, const char *entry,
		    const char *member, struct expr *var)
{
	struct named named = {.name = var->var.name};
	struct expr *value =
		ast_field(a, var->span, ast_var(a, var->span, entry), var->span, member);

	ast_each_in_block(body, find_name, &named);
	if (named.is_used)
		arena_push(a, list->items, list->n, ast_stmt_let(a, var->span, var, NULL, value));
}

struct stmt *ast_stmt_for_entries(struct arena *a, struct span s, struct expr *key,
				  struct expr *value, struct expr *map, struct block body)
{
	const char *name = arena_printf(a, "%s, %s", key->var.name, value->var.name);
	struct expr *entry = ast_var(a, span_join(key->span, value->span), name);
	struct block list = {0};

	add_let(a, &list, &body, name, "0", key);
	add_let(a, &list, &body, name, "1", value);
	for (uint32_t i = 0; i < body.n; i++)
		arena_push(a, list.items, list.n, body.items[i]);
	return ast_stmt_for_map(a, s, entry, map, list);
}
