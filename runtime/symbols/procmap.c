/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping tables of processes: see procmap.h. This file manages the lifetime of processes and their
 * generations, and drops ended processes beyond the bounds of procmap.h. Memory: a live process
 * costs its table (40 bytes per executable mapping) and about 200 bytes. The tables of ended
 * processes are trimmed.
 */
#include "runtime/symbols/procmap_impl.h"
#include <signal.h>

enum { SWEEP_STEP = 1024 };

/* ---- processes ---- */

struct process *procmap_find_process(const struct procmap *p, uint32_t tgid)
{
	struct process **found = process_table_find(&p->processes, tgid);

	return found ? *found : NULL;
}

static void unlist(struct procmap *p, struct process *r)
{
	if (!r->is_ended)
		return;
	TAILQ_REMOVE(&p->ended[r->is_bound], r, ended);
	p->n_ended[r->is_bound]--;
}

static void list(struct procmap *p, struct process *r)
{
	if (!r->is_ended)
		return;
	TAILQ_INSERT_TAIL(&p->ended[r->is_bound], r, ended);
	p->n_ended[r->is_bound]++;
}

void procmap_set_ended(struct procmap *p, struct process *r, bool is_ended, uint64_t time_ns)
{
	if (r->is_ended == is_ended)
		return;
	unlist(p, r);
	r->is_ended = is_ended;
	r->ended_ns = time_ns;
	list(p, r);
	for (size_t i = 0; is_ended && i < r->generations.n; i++)
		maptable_trim(&r->generations.items[i].table);
}

void procmap_set_bound(struct procmap *p, struct process *r, bool is_bound)
{
	if (r->is_bound == is_bound)
		return;
	unlist(p, r);
	r->is_bound = is_bound;
	list(p, r);
}

static void free_generation(struct procmap *p, struct generation *g)
{
	maptable_release(&p->files, g->table);
	former_free(&p->files, &g->former);
	procmap_close_code(p, g);
	procmap_release_program(&g->program);
}

static void free_process(struct procmap *p, struct process *r)
{
	for (size_t i = 0; i < r->generations.n; i++)
		free_generation(p, &r->generations.items[i]);
	vec_free(&r->generations);
	free(r);
}

void procmap_drop_process(struct procmap *p, struct process *r)
{
	unlist(p, r);
	process_table_remove(&p->processes, r->tgid);
	free_process(p, r);
}

/* Drop the oldest generation that no stack refers to, or, if there is none, the oldest. */
static void drop_generation(struct procmap *p, struct process *r)
{
	struct generation *g = r->generations.items;
	size_t i = 0;

	while (i + 1 < r->generations.n && g[i].is_bound)
		i++;
	if (i + 1 == r->generations.n) {
		i = 0;
		p->n_evicted++;
	}
	free_generation(p, &g[i]);
	vec_remove(&r->generations, i, 1);
}

struct generation *procmap_add_generation(struct procmap *p, struct process *r, uint64_t time_ns)
{
	struct generation g = {.start_ns = time_ns};

	if (r->generations.n) {
		g.number = newest_generation(r)->number + 1;
		g.life = newest_generation(r)->life;
	}
	if (r->generations.n == PROCMAP_GENERATIONS_MAX)
		drop_generation(p, r);
	/* Most processes have only one: reserve exactly that. */
	if (vec_reserve(&r->generations, r->generations.n + 1) || vec_push(&r->generations, g))
		return NULL;
	return newest_generation(r);
}

struct process *procmap_add_process(struct procmap *p, uint32_t tgid, uint64_t time_ns)
{
	struct process *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->tgid = tgid;
	if (procmap_add_generation(p, r, time_ns) && !process_table_insert(&p->processes, r))
		return r;
	free_process(p, r);
	return NULL;
}

/* ---- all of them ---- */

struct procmap *procmap_new(void)
{
	struct procmap *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->sweep_at = SWEEP_STEP;
	TAILQ_INIT(&p->ended[0]);
	TAILQ_INIT(&p->ended[1]);
	return p;
}

void procmap_free(struct procmap *p)
{
	if (!p)
		return;
	for (struct process **r = process_table_next(&p->processes, NULL); r;
	     r = process_table_next(&p->processes, r))
		free_process(p, *r);
	hash_free(&p->processes);
	mapfiles_free(&p->files);
	free(p);
}

struct mapfiles *procmap_files(struct procmap *p)
{
	return &p->files;
}

void procmap_expire(struct procmap *p, uint64_t now_ns)
{
	struct process *r;

	while ((r = TAILQ_FIRST(&p->ended[0])) &&
	       (p->n_ended[0] > PROCMAP_ENDED_MAX || now_ns > r->ended_ns + PROCMAP_ENDED_NS))
		procmap_drop_process(p, r);
	while (p->n_ended[1] > PROCMAP_BOUND_MAX) {
		procmap_drop_process(p, TAILQ_FIRST(&p->ended[1]));
		p->n_evicted++;
	}
}

void procmap_sweep(struct procmap *p, uint64_t now_ns)
{
	for (struct process **r = process_table_next(&p->processes, NULL); r;
	     r = process_table_next(&p->processes, r))
		if (!(*r)->is_ended && kill((pid_t)(*r)->tgid, 0) && errno == ESRCH)
			procmap_set_ended(p, *r, true, now_ns);
	procmap_expire(p, now_ns);
	p->sweep_at = 2 * p->processes.n + SWEEP_STEP;
}

uint64_t procmap_evicted(const struct procmap *p)
{
	return p->n_evicted;
}

size_t procmap_count(const struct procmap *p)
{
	return p->processes.n;
}

bool procmap_is_known(const struct procmap *p, uint32_t tgid)
{
	const struct process *r = procmap_find_process(p, tgid);

	return r && newest_generation(r)->is_complete;
}

uint32_t procmap_parent(const struct procmap *p, uint32_t tgid)
{
	const struct process *r = procmap_find_process(p, tgid);

	return r ? r->parent : 0;
}
