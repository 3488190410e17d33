/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exec ids, and lookup of addresses: see procmap.h.
 *
 * The kernel increments self_exec_id at each execve and copies it at fork. An exec_id stands for
 * the generation that a stack or a fork bound to it. If there is none, it stands for the generation
 * that is as many execs away from a bound one as the ids differ; if there is no bound one, for the
 * newest.
 */
#include "runtime/symbols/procmap_impl.h"

enum { BIND_RACE_NS = 100000 /* the exec record precedes the change of self_exec_id a little */ };

/* Index of the generation that was current at time_ns. */
static size_t at_time(const struct process *r, uint64_t time_ns)
{
	size_t i = r->generations.n - 1;

	while (i > 0 && r->generations.items[i].start_ns > time_ns)
		i--;
	return i;
}

static struct generation *with_id(const struct process *r, uint32_t exec_id)
{
	for (size_t i = r->generations.n; i-- > 0;)
		if (r->generations.items[i].has_id && r->generations.items[i].exec_id == exec_id)
			return &r->generations.items[i];
	return NULL;
}

/* The generation that is as many execs away from the nearest known one as the ids differ. */
static struct generation *by_count(const struct process *r, uint32_t exec_id)
{
	for (size_t i = r->generations.n; i-- > 0;) {
		const struct generation *g = &r->generations.items[i];
		uint32_t number = g->number + (exec_id - g->exec_id);

		for (size_t k = 0; g->has_id && k < r->generations.n; k++) {
			struct generation *other = &r->generations.items[k];

			if (other->number == number && other->life == g->life && !other->has_id)
				return other;
		}
	}
	return NULL;
}

struct generation *procmap_generation(const struct process *r, uint32_t exec_id)
{
	struct generation *g = with_id(r, exec_id);
	bool has_any_id = false;

	if (!g)
		g = by_count(r, exec_id);
	if (g)
		return g;
	for (size_t i = 0; i < r->generations.n; i++)
		has_any_id |= r->generations.items[i].has_id;
	return has_any_id ? NULL : newest_generation(r);
}

bool procmap_is_bound(const struct procmap *p, uint32_t tgid, uint32_t exec_id)
{
	const struct process *r = procmap_find_process(p, tgid);
	const struct generation *g = r ? with_id(r, exec_id) : NULL;

	return g && g->is_bound && g->life == newest_generation(r)->life;
}

static void bind(struct procmap *p, struct process *r, struct generation *g, uint32_t exec_id,
		 uint64_t time_ns)
{
	g->exec_id = exec_id;
	g->has_id = true;
	g->is_bound = true;
	g->bound_ns = time_ns;
	procmap_set_bound(p, r, true);
}

void procmap_unbind(struct procmap *p, uint32_t tgid)
{
	struct process *r = procmap_find_process(p, tgid);

	if (!r || !r->is_bound)
		return;
	if (r->is_ended) {
		procmap_drop_process(p, r);
		return;
	}
	procmap_set_bound(p, r, false);
	for (size_t i = 0; i < r->generations.n; i++) {
		r->generations.items[i].is_bound = false;
		procmap_close_code(p, &r->generations.items[i]);
	}
}

int procmap_bind(struct procmap *p, uint32_t tgid, uint32_t exec_id, uint64_t time_ns)
{
	struct process *r = procmap_find_process(p, tgid);
	struct generation *g, *before;
	size_t i;

	if (!r)
		return -ESRCH;
	i = at_time(r, time_ns);
	g = with_id(r, exec_id);
	if (!g || g->life != r->generations.items[i].life)
		g = by_count(r, exec_id);
	if (!g || g->life != r->generations.items[i].life)
		g = &r->generations.items[i];
	if (!g->has_id || g->exec_id == exec_id) {
		bind(p, r, g, exec_id, time_ns);
		return 0;
	}
	before = i ? &r->generations.items[i - 1] : NULL;
	if (exec_id == g->exec_id + 1 && g->bound_ns - g->start_ns < BIND_RACE_NS && before &&
	    !before->has_id) {
		/* The earlier stack was taken inside execve(), before the id changed. */
		bind(p, r, before, g->exec_id, g->bound_ns);
		bind(p, r, g, exec_id, time_ns);
		return 0;
	}
	if (g != newest_generation(r) || exec_id < g->exec_id)
		/* the stack is older than all known generations: its frames get no names */
		return 0;
	return -EAGAIN;
}

struct generation *procmap_find_generation(const struct procmap *p, uint32_t tgid, uint32_t exec_id)
{
	const struct process *r = procmap_find_process(p, tgid);

	return r ? procmap_generation(r, exec_id) : NULL;
}

const struct procmap_program *procmap_program(const struct procmap *p, uint32_t tgid,
					      uint32_t exec_id)
{
	const struct generation *g = procmap_find_generation(p, tgid, exec_id);

	return g ? &g->program : NULL;
}

void procmap_release_program(struct procmap_program *p)
{
	free(p->mapped);
	free(p->run);
	p->mapped = p->run = NULL;
}

/* If there is no memory, the path of the file is shown. */
void procmap_set_link(struct procmap_program *p, const char *mapped, const char *run)
{
	p->mapped = strdup(mapped);
	p->run = strdup(run);
	if (!p->mapped || !p->run)
		procmap_release_program(p);
}

void procmap_set_program(struct procmap *p, uint32_t tgid, uint32_t exec_id, const char *mapped,
			 const char *run)
{
	struct generation *g = procmap_find_generation(p, tgid, exec_id);

	if (!g)
		return;
	procmap_release_program(&g->program);
	g->program.is_known = true;
	if (!run)
		return;
	procmap_set_link(&g->program, mapped, run);
}

const struct mapping *procmap_table(const struct procmap *p, uint32_t tgid, uint32_t exec_id,
				    size_t *n)
{
	const struct generation *g = procmap_find_generation(p, tgid, exec_id);

	*n = g && g->table ? g->table->n : 0;
	return *n ? g->table->items : NULL;
}

const struct mapping *procmap_find(const struct procmap *p, uint32_t tgid, uint32_t exec_id,
				   uint64_t address, uint64_t time_ns, bool *is_newest)
{
	const struct process *r = procmap_find_process(p, tgid);
	const struct generation *g = r ? procmap_generation(r, exec_id) : NULL;

	*is_newest = g && g == newest_generation(r);
	return g ? maptable_at(g->table, &g->former, address, time_ns) : NULL;
}
