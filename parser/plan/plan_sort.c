/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --sort MAP:ORDER[:desc],…: in which order the rows of maps are printed. ORDER is `key`, `value`,
 * `total`, or the number of a part of the key; MAP may be `*`, all maps.
 */
#include "parser/base/find.h"
#include "parser/base/nearest.h"
#include "parser/base/text.h"
#include "parser/plan/plan_build.h"
#include <stdlib.h>

static const struct order_word {
	const char *word;
	int by;
} orders[] = {{"key", ORDER_KEY}, {"value", ORDER_VALUE}, {"total", ORDER_TOTAL}};

static struct plan_map *find_map(struct planner *pl, const char *name)
{
	struct plan_map *map;
	const char *near;

	name = arena_printf(pl->arena, "%s%s", *name == '@' ? "" : "@", name);
	map = TEXT_ITEM(pl->plan->maps, pl->plan->n_maps, name, name);
	if (map)
		return map;
	near = NEAREST(name, pl->plan->maps, pl->plan->n_maps, item->name);
	diag_error(pl->diags, SPAN_NONE, "sort", "--sort: this script has no map %s", name);
	if (near)
		diag_hint(pl->diags, "did you mean '%s'?", near);
	else if (pl->plan->n_maps)
		diag_hint(pl->diags, "it has %s%s", pl->plan->maps[0].name,
			  pl->plan->n_maps > 1 ? " and others" : "");
	return NULL;
}

static void bad_order(struct planner *pl, const char *text)
{
	diag_error(pl->diags, SPAN_NONE, "sort", "--sort: '%s' is not MAP:ORDER", text);
	diag_hint(pl->diags, "write @m:key, @m:value, @m:total of stats(), or @m:2 for the second "
			     "part of the key; with :desc the largest comes first");
}

/* The number of a part of the key, from 1. */
static bool read_part(struct planner *pl, const struct plan_map *m, const char *word,
		      uint32_t *part)
{
	char *end;
	unsigned long n = strtoul(word, &end, 10);

	if (*word < '0' || *word > '9' || *end)
		return false;
	*part = (uint32_t)n;
	if (n >= 1 && n <= m->n_keys)
		return true;
	return diag_error(pl->diags, SPAN_NONE, "sort",
			  "--sort: the key of %s has %u part%s, not %s", m->name, m->n_keys,
			  m->n_keys == 1 ? "" : "s", word),
	       true;
}

static void sort_one(struct planner *pl, char *text)
{
	const char *all = arena_strdup(pl->arena, text);
	char *order = strchr(text, ':'), *direction = order ? strchr(order + 1, ':') : NULL;
	struct plan_order o = {.is_descending = direction && strcmp(direction, ":desc") == 0};
	const struct order_word *word;
	struct plan_map *m;
	bool is_all;

	if (!order || (direction && !o.is_descending && strcmp(direction, ":asc") != 0)) {
		bad_order(pl, all);
		return;
	}
	*order++ = '\0';
	if (direction)
		*direction = '\0';
	is_all = strcmp(text, "*") == 0;
	m = is_all ? pl->plan->maps : find_map(pl, text);
	if (!m)
		return;
	word = FIND_ROW(orders, strcmp(item->word, order) == 0);
	o.by = word ? word->by : ORDER_KEY;
	if (!word && (is_all || !read_part(pl, m, order, &o.part)))
		bad_order(pl, all);
	for (uint32_t i = 0; i < (is_all ? pl->plan->n_maps : 1); i++)
		m[i].order = o;
}

void plan_sort(struct planner *pl, const char *list)
{
	char *text = arena_strdup(pl->arena, list), *next;

	for (; text; text = next) {
		next = strchr(text, ',');
		if (next)
			*next++ = '\0';
		sort_one(pl, text);
	}
}
