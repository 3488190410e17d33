/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The maps of generated code that belong to processes: see procmap.h. A map and its open file are
 * kept as long as the generation of its process.
 */
#include "runtime/symbols/perfmap.h"
#include "runtime/symbols/procmap_impl.h"

static struct generation *find_generation(const struct procmap *p, uint32_t tgid, uint32_t exec_id)
{
	const struct process *r = procmap_find_process(p, tgid);

	return r ? procmap_generation(r, exec_id) : NULL;
}

static bool has_code(const struct maptable *t)
{
	for (uint32_t i = 0; t && i < t->n; i++)
		if (mapfile_is_memory(t->items[i].file))
			return true;
	return false;
}

const struct procmap_code *procmap_code(struct procmap *p, uint32_t tgid, uint32_t exec_id)
{
	const struct process *r = procmap_find_process(p, tgid);
	struct generation *g = r ? procmap_generation(r, exec_id) : NULL;

	if (!g)
		return NULL;
	g->code.is_open = !r->is_ended && g == newest_generation(r);
	g->code.bound_ns = g->bound_ns;
	if (!g->code.map)
		g->code.has_code = has_code(g->table);
	return &g->code;
}

void procmap_set_code(struct procmap *p, uint32_t tgid, uint32_t exec_id, struct perfmap *map,
		      uint64_t time_ns)
{
	struct generation *g = find_generation(p, tgid, exec_id);

	if (!g) {
		perfmap_free(map);
		return;
	}
	procmap_close_code(p, g);
	g->code.map = map;
	g->code.tried_ns = time_ns;
	p->n_codes += map != NULL;
}

static bool close_codes(struct procmap *p, struct process *r)
{
	size_t n_before = p->n_codes;

	for (size_t i = 0; i < r->generations.n; i++)
		procmap_close_code(p, &r->generations.items[i]);
	return p->n_codes < n_before;
}

bool procmap_close_ended_code(struct procmap *p)
{
	struct process *r;

	TAILQ_FOREACH(r, &p->ended_bound, ended)
	if (close_codes(p, r))
		return true;
	return false;
}

void procmap_close_code(struct procmap *p, struct generation *g)
{
	p->n_codes -= g->code.map != NULL;
	perfmap_free(g->code.map);
	g->code.map = NULL;
}
