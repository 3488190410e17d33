/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks variables up by address: see elfsym.h. They are sorted by address at the first call; names
 * are read when an address is in a variable.
 */
#include "runtime/elf/elfsym_impl.h"
#include <stdlib.h>
#include <string.h>

enum { OBJECTS_MAX = 1024 * 1024 };

struct collector {
	struct elfsym *e;
	uint32_t table;
};

static int add_object(void *ctx, uint32_t i, const struct symbol *s)
{
	const struct collector *c = ctx;

	if (ELF64_ST_TYPE(s->info) != STT_OBJECT || !s->size || s->size > UINT64_MAX - s->value)
		return 0;
	if (c->e->objects.n == OBJECTS_MAX)
		return 1;
	return vec_push(&c->e->objects, (struct object){s->value, s->value + s->size, c->table, i});
}

static void collect(struct elfsym *e)
{
	for (uint32_t t = 0; t < TABLE_COUNT && !e->objects.n; t++)
		elfsym_each_symbol(e, t, SYMBOL_OBJECT, add_object, &(struct collector){e, t});
	e->has_objects = true;
	vec_sort(&e->objects);
}

bool elfsym_object_at(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *offset)
{
	size_t low;
	char *names, *best = NULL, *other;
	struct symbol s, best_symbol = {0};
	uint64_t start;

	if (!e->has_objects)
		collect(e);
	low = vec_bound(&e->objects, item->start <= vaddr);
	if (!low || vaddr >= e->objects.items[low - 1].end)
		return false;
	names = malloc(SCRATCH_BYTES);
	start = e->objects.items[low - 1].start;
	for (other = names; names && low && e->objects.items[low - 1].start == start; low--) {
		const struct object *o = &e->objects.items[low - 1];
		const struct table *t = &e->tables[o->table];

		if (!elfsym_read_symbol(t, o->symbol, &s) || !elfsym_read_name(t, s.name, other) ||
		    (best && !elfsym_is_better(other, &s, best, &best_symbol)))
			continue;
		best = other;
		best_symbol = s;
		other = best == names ? names + NAME_MAX_BYTES : names;
	}
	*offset = vaddr - start;
	*name = best ? elfsym_intern_name(e, best) : NULL;
	free(names);
	return *name;
}
