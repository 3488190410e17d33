/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of code that processes generate, from their maps (perfmap.h). A map is opened when a stack
 * of its process is noted, so that frames have names when the process has ended. It and its open
 * file are kept as long as the generation of its process; the number of maps and their memory are
 * limited.
 */
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/symbols/perfmap.h"
#include "runtime/symbols/procmap_impl.h"

enum { MAPS_MAX = 128, MAPS_MAX_BYTES = 256 << 20, TRY_NS = 10000000 };

/* The generation that exec_id stands for if its map may be opened: it has none, and the process
 * runs and has not called execve since. */
static struct generation *without_map(const struct procmap *p, uint32_t tgid, uint32_t exec_id)
{
	const struct process *r = procmap_find_process(p, tgid);
	struct generation *g = r ? procmap_generation(r, exec_id) : NULL;

	return g && !g->code && !r->is_ended && g == newest_generation(r) ? g : NULL;
}

bool procmap_code_is_due(const struct procmap *p, uint32_t tgid, uint32_t exec_id)
{
	const struct generation *g = without_map(p, tgid, exec_id);

	return g && (!g->code_tried_ns || monotonic_ns() > g->code_tried_ns + TRY_NS);
}

static bool has_code(const struct maptable *t)
{
	return t && FIND(t->items, t->n, mapfile_is_memory(item->file));
}

void procmap_close_code(struct procmap *p, struct generation *g)
{
	p->n_codes -= g->code != NULL;
	perfmap_free(g->code);
	g->code = NULL;
}

/* Close the maps of the process that ended first. Returns false if no ended process has one. */
static bool close_ended(struct procmap *p)
{
	size_t n_before = p->n_codes;
	struct process *r;

	TAILQ_FOREACH(r, &p->ended[1], ended)
	{
		for (size_t i = 0; i < r->generations.n; i++)
			procmap_close_code(p, &r->generations.items[i]);
		if (p->n_codes < n_before)
			return true;
	}
	return false;
}

/* Is there room for another map? If not, maps of ended processes are closed: their stacks may have
 * been shown already. */
static bool has_room(struct procmap *p)
{
	bool is_full = p->n_codes >= MAPS_MAX, is_closed = is_full && close_ended(p);

	if (is_full && !p->has_warned_many)
		log_warning(
			"more than %d processes have written /tmp/perf-PID.map: generated code of %s has no names",
			MAPS_MAX, is_closed ? "those that ended first" : "the others");
	p->has_warned_many |= is_full;
	return !is_full || is_closed;
}

void procmap_open_code(struct procmap *p, uint32_t tgid, uint32_t exec_id)
{
	struct generation *g = without_map(p, tgid, exec_id);
	uint64_t now_ns = monotonic_ns();
	int fd = -1;

	if (!g)
		return;
	if (has_code(g->table) && has_room(p))
		fd = perfmap_open(tgid, g->bound_ns ? g->bound_ns : now_ns);
	g->code = fd >= 0 ? perfmap_new(fd) : NULL;
	g->code_tried_ns = now_ns;
	p->n_codes += g->code != NULL;
}

static void each_map(struct procmap *p, void (*fn)(struct perfmap *m, void *ctx), void *ctx)
{
	for (struct process **r = process_table_next(&p->processes, NULL); r;
	     r = process_table_next(&p->processes, r))
		for (size_t i = 0; i < (*r)->generations.n; i++)
			if ((*r)->generations.items[i].code)
				fn((*r)->generations.items[i].code, ctx);
}

static void add_bytes(struct perfmap *m, void *ctx)
{
	*(size_t *)ctx += perfmap_bytes(m);
}

static void drop_other(struct perfmap *m, void *ctx)
{
	if (m != ctx)
		perfmap_drop(m);
}

/* Keep the memory of maps within MAPS_MAX_BYTES. */
static void limit_bytes(struct procmap *p, struct perfmap *used)
{
	size_t bytes = 0;

	each_map(p, add_bytes, &bytes);
	if (bytes > MAPS_MAX_BYTES)
		each_map(p, drop_other, used);
}

bool procmap_find_code(struct procmap *p, uint32_t tgid, uint32_t exec_id, uint64_t ip,
		       const char **name, uint64_t *offset)
{
	struct generation *g;
	size_t bytes;
	bool is_found;

	if (procmap_code_is_due(p, tgid, exec_id))
		procmap_open_code(p, tgid, exec_id);
	g = procmap_find_generation(p, tgid, exec_id);
	if (!g || !g->code)
		return false;
	bytes = perfmap_bytes(g->code);
	is_found = perfmap_find(g->code, ip, name, offset);
	if (perfmap_bytes(g->code) > bytes)
		limit_bytes(p, g->code);
	if (perfmap_is_cut(g->code) && !p->has_warned_cut) {
		p->has_warned_cut = true;
		log_warning(
			"perf-%u.map has more functions than are read: some frames have no names",
			tgid);
	}
	return is_found;
}
