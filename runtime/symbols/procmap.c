/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping tables of processes: see procmap.h. Fed by maptrack.c (records) and /proc/PID/maps.
 *
 * Which generation an exec_id means: one that a stack (or a fork) tied to it; else, counted from
 * such a one, as many execs later or earlier; else the newest. The kernel raises self_exec_id by
 * one at each execve and hands it on at fork.
 * Memory: a live process costs its table (40 bytes an executable mapping) and about 200 bytes;
 * ended ones are kept within the bounds of procmap.h, and their tables are trimmed.
 */
#define _GNU_SOURCE
#include "runtime/symbols/procmap.h"
#include "runtime/base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

enum {
	SWEEP_STEP = 1024,
	BIND_RACE_NS = 100000, /* the exec record comes a little before self_exec_id changes */
};

struct generation {
	uint64_t start_ns, bound_ns;
	uint64_t read_ns; /* when it was made from /proc; 0: from a record */
	uint32_t number;  /* counts execs of this process */
	uint32_t life;	  /* counts reuses of the pid */
	uint32_t exec_id; /* valid with has_id */
	bool has_id, is_bound, is_complete;
	struct maptable *table; /* NULL: empty */
};

struct process {
	struct process *next; /* in the hash chain */
	TAILQ_ENTRY(process) ended;
	uint32_t tgid, parent;
	bool is_ended, is_bound;
	uint64_t ended_ns;
	size_t n, capacity;
	struct generation *generations; /* the newest is last; never empty */
};

TAILQ_HEAD(process_list, process);

struct procmap {
	struct process **slots;
	size_t n_slots, n_processes, sweep_at;
	struct mapfiles files;
	struct process_list ended, ended_bound;
	size_t n_ended, n_ended_bound;
	uint64_t n_forgotten;
};

/* ---- processes ---- */

static struct process **slot_of(const struct procmap *p, uint32_t tgid)
{
	return &p->slots[(tgid * 2654435761u >> 7) & (p->n_slots - 1)];
}

static struct process *find_process(const struct procmap *p, uint32_t tgid)
{
	struct process *r;

	for (r = *slot_of(p, tgid); r; r = r->next)
		if (r->tgid == tgid)
			return r;
	return NULL;
}

static struct generation *newest(const struct process *r)
{
	return &r->generations[r->n - 1];
}

static void grow_processes(struct procmap *p)
{
	struct process **old = p->slots, **slots = calloc(2 * p->n_slots, sizeof(*slots));
	size_t n = p->n_slots;

	if (!slots)
		return;
	p->slots = slots;
	p->n_slots = 2 * n;
	for (size_t i = 0; i < n; i++) {
		for (struct process *r = old[i], *next; r; r = next) {
			struct process **at = slot_of(p, r->tgid);

			next = r->next;
			r->next = *at;
			*at = r;
		}
	}
	free(old);
}

/* Lists of ended processes; ended_bound is in the order of their end too, near enough. */
static void unlist(struct procmap *p, struct process *r)
{
	if (!r->is_ended)
		return;
	if (r->is_bound) {
		TAILQ_REMOVE(&p->ended_bound, r, ended);
		p->n_ended_bound--;
	} else {
		TAILQ_REMOVE(&p->ended, r, ended);
		p->n_ended--;
	}
}

static void list(struct procmap *p, struct process *r)
{
	if (!r->is_ended)
		return;
	if (r->is_bound) {
		TAILQ_INSERT_TAIL(&p->ended_bound, r, ended);
		p->n_ended_bound++;
	} else {
		TAILQ_INSERT_TAIL(&p->ended, r, ended);
		p->n_ended++;
	}
}

static void set_ended(struct procmap *p, struct process *r, bool is_ended, uint64_t time_ns)
{
	if (r->is_ended == is_ended)
		return;
	unlist(p, r);
	r->is_ended = is_ended;
	r->ended_ns = time_ns;
	list(p, r);
	for (size_t i = 0; is_ended && i < r->n; i++)
		maptable_trim(&r->generations[i].table);
}

static void set_bound(struct procmap *p, struct process *r)
{
	if (r->is_bound)
		return;
	unlist(p, r);
	r->is_bound = true;
	list(p, r);
}

static void drop_process(struct procmap *p, struct process *r)
{
	struct process **at = slot_of(p, r->tgid);

	unlist(p, r);
	while (*at != r)
		at = &(*at)->next;
	*at = r->next;
	for (size_t i = 0; i < r->n; i++)
		maptable_put(&p->files, r->generations[i].table);
	free(r->generations);
	free(r);
	p->n_processes--;
}

/* The oldest generation without a stack makes room, or else just the oldest. */
static void drop_generation(struct procmap *p, struct process *r)
{
	size_t i = 0;

	while (i + 1 < r->n && r->generations[i].is_bound)
		i++;
	if (i + 1 == r->n) {
		i = 0;
		p->n_forgotten++;
	}
	maptable_put(&p->files, r->generations[i].table);
	r->n--;
	memmove(&r->generations[i], &r->generations[i + 1], (r->n - i) * sizeof(r->generations[0]));
}

/* One more generation from time_ns on; its table is still empty. */
static struct generation *add_generation(struct procmap *p, struct process *r, uint64_t time_ns)
{
	struct generation g = {.start_ns = time_ns};

	if (r->n) {
		g.number = newest(r)->number + 1;
		g.life = newest(r)->life;
	}
	if (r->n == PROCMAP_GENERATIONS_MAX)
		drop_generation(p, r);
	if (r->n == r->capacity) {
		size_t capacity = r->capacity ? 2 * r->capacity : 1;
		struct generation *all = realloc(r->generations, capacity * sizeof(*all));

		if (!all)
			return NULL;
		r->generations = all;
		r->capacity = capacity;
	}
	r->generations[r->n++] = g;
	return newest(r);
}

static struct process *add_process(struct procmap *p, uint32_t tgid, uint64_t time_ns)
{
	struct process *r = calloc(1, sizeof(*r)), **at;

	if (!r)
		return NULL;
	r->tgid = tgid;
	if (!add_generation(p, r, time_ns)) {
		free(r);
		return NULL;
	}
	if (p->n_processes >= p->n_slots)
		grow_processes(p);
	at = slot_of(p, tgid);
	r->next = *at;
	*at = r;
	p->n_processes++;
	return r;
}

struct mapfiles *procmap_files(struct procmap *p)
{
	return &p->files;
}

struct procmap *procmap_new(void)
{
	struct procmap *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->n_slots = 64;
	p->sweep_at = SWEEP_STEP;
	TAILQ_INIT(&p->ended);
	TAILQ_INIT(&p->ended_bound);
	p->slots = calloc(p->n_slots, sizeof(*p->slots));
	if (!p->slots) {
		free(p);
		return NULL;
	}
	return p;
}

void procmap_free(struct procmap *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->n_slots; i++)
		while (p->slots[i])
			drop_process(p, p->slots[i]);
	free(p->slots);
	free(p->files.slots);
	free(p);
}

void procmap_expire(struct procmap *p, uint64_t now_ns)
{
	struct process *r;

	while ((r = TAILQ_FIRST(&p->ended)) &&
	       (p->n_ended > PROCMAP_ENDED_MAX || now_ns > r->ended_ns + PROCMAP_ENDED_NS))
		drop_process(p, r);
	while (p->n_ended_bound > PROCMAP_BOUND_MAX) {
		drop_process(p, TAILQ_FIRST(&p->ended_bound));
		p->n_forgotten++;
	}
}

void procmap_sweep(struct procmap *p, uint64_t now_ns)
{
	for (size_t i = 0; i < p->n_slots; i++)
		for (struct process *r = p->slots[i]; r; r = r->next)
			if (!r->is_ended && kill((pid_t)r->tgid, 0) && errno == ESRCH)
				set_ended(p, r, true, now_ns);
	procmap_expire(p, now_ns);
	p->sweep_at = 2 * p->n_processes + SWEEP_STEP;
}

uint64_t procmap_forgotten(const struct procmap *p)
{
	return p->n_forgotten;
}

size_t procmap_count(const struct procmap *p)
{
	return p->n_processes;
}

bool procmap_is_known(const struct procmap *p, uint32_t tgid)
{
	const struct process *r = find_process(p, tgid);

	return r && newest(r)->is_complete;
}

uint32_t procmap_parent(const struct procmap *p, uint32_t tgid)
{
	const struct process *r = find_process(p, tgid);

	return r ? r->parent : 0;
}

/* ---- what happened ---- */

void procmap_mmap(struct procmap *p, uint32_t tgid, const struct mapping *m, const char *path,
		  uint64_t device, uint64_t inode)
{
	struct process *r = find_process(p, tgid);
	struct mapping with_file = *m;

	if (!r)
		return;
	set_ended(p, r, false, 0);
	with_file.file = mapfile_get(&p->files, device, inode, path);
	if (with_file.file)
		maptable_add(&p->files, &newest(r)->table, &with_file);
}

void procmap_exec(struct procmap *p, uint32_t tgid, uint64_t time_ns, bool only_known)
{
	struct process *r = find_process(p, tgid);
	struct generation *g;

	if (!r && only_known)
		return;
	if (r && newest(r)->read_ns >= time_ns) {
		/* /proc showed the outcome of this exec before its record came. */
		g = newest(r);
		g->start_ns = time_ns;
	} else if (r) {
		set_ended(p, r, false, 0);
		g = add_generation(p, r, time_ns);
	} else {
		r = add_process(p, tgid, time_ns);
		g = r ? newest(r) : NULL;
	}
	if (g)
		g->is_complete = true;
}

void procmap_fork(struct procmap *p, uint32_t parent, uint32_t child, uint64_t time_ns)
{
	struct process *from = find_process(p, parent), *to = find_process(p, child);
	struct generation *g;
	uint32_t life = 0;

	if (!from || parent == child)
		return; /* a thread, or nothing is known */
	if (to) {
		/* The pid is used again; stacks of its former life may still be asked for. */
		life = newest(to)->life + 1;
		set_ended(p, to, false, 0);
		g = add_generation(p, to, time_ns);
	} else {
		to = add_process(p, child, time_ns);
		g = to ? newest(to) : NULL;
	}
	if (!g)
		return;
	to->parent = parent;
	*g = (struct generation){.start_ns = time_ns,
				 .number = g->number,
				 .life = life,
				 .exec_id = newest(from)->exec_id,
				 .has_id = newest(from)->has_id,
				 .is_complete = newest(from)->is_complete,
				 .table = newest(from)->table};
	if (g->table)
		g->table->refs++;
}

void procmap_exit(struct procmap *p, uint32_t tgid, uint64_t time_ns)
{
	struct process *r = find_process(p, tgid);

	if (r)
		set_ended(p, r, true, time_ns);
}

/* ---- /proc/PID/maps ---- */

/* When the process started, in CLOCK_MONOTONIC; 0 when that cannot be told. */
static uint64_t process_start_ns(uint32_t tgid)
{
	uint64_t now_ns = monotonic_ns(); /* read first: never after the other */
	uint64_t boot_ns = clock_ns(CLOCK_BOOTTIME) - now_ns, start_ns;
	char path[48], text[1024], *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", tgid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	p = strrchr(text, ')'); /* the name may hold anything */
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (!p)
		return 0;
	start_ns = strtoull(p, NULL, 10) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
	return start_ns > boot_ns ? start_ns - boot_ns : 0;
}

/* The process whose newest generation is to hold what /proc shows: t. */
static struct process *process_of_table(struct procmap *p, uint32_t tgid, const struct maptable *t)
{
	struct process *r = find_process(p, tgid);
	uint64_t now_ns = monotonic_ns();

	if (!r) {
		r = add_process(p, tgid, 0); /* mapped so for an unknown time */
		if (r)
			newest(r)->read_ns = now_ns;
		return r;
	}
	if (!newest(r)->table || maptable_has_common(newest(r)->table, t))
		return r;
	/* Nothing is where it was: an exec was missed. */
	if (!add_generation(p, r, now_ns))
		return NULL;
	newest(r)->read_ns = now_ns;
	return r;
}

int procmap_read_process(struct procmap *p, uint32_t tgid, uint64_t not_after_ns)
{
	struct process *r;
	struct maptable *t = NULL;
	uint64_t now_ns = monotonic_ns();
	int err;

	if (not_after_ns != UINT64_MAX && process_start_ns(tgid) > not_after_ns + 10000000u)
		return -ESRCH;
	err = maptable_read(&p->files, tgid, &t);
	if (err)
		goto out;
	if (p->n_processes >= p->sweep_at)
		procmap_sweep(p, now_ns);
	r = process_of_table(p, tgid, t);
	if (!r) {
		err = -ENOMEM;
		goto out;
	}
	set_ended(p, r, false, 0);
	for (uint32_t i = 0; i < t->n; i++) {
		t->items[i].file->refs++;
		maptable_add(&p->files, &newest(r)->table, &t->items[i]);
	}
	newest(r)->is_complete = true;
out:
	maptable_put(&p->files, t);
	return err;
}

/* ---- exec ids ---- */

/* The place of the generation in force at time_ns. */
static size_t at_time(const struct process *r, uint64_t time_ns)
{
	size_t i = r->n - 1;

	while (i > 0 && r->generations[i].start_ns > time_ns)
		i--;
	return i;
}

static struct generation *with_id(const struct process *r, uint32_t exec_id)
{
	for (size_t i = r->n; i-- > 0;)
		if (r->generations[i].has_id && r->generations[i].exec_id == exec_id)
			return &r->generations[i];
	return NULL;
}

/* The generation as many execs from the nearest known one as exec_id says. */
static struct generation *by_count(const struct process *r, uint32_t exec_id)
{
	for (size_t i = r->n; i-- > 0;) {
		const struct generation *g = &r->generations[i];
		uint32_t number = g->number + (exec_id - g->exec_id);

		for (size_t k = 0; g->has_id && k < r->n; k++) {
			struct generation *other = &r->generations[k];

			if (other->number == number && other->life == g->life && !other->has_id)
				return other;
		}
	}
	return NULL;
}

static struct generation *generation_of(const struct process *r, uint32_t exec_id)
{
	struct generation *g = with_id(r, exec_id);
	bool has_any_id = false;

	if (!g)
		g = by_count(r, exec_id);
	if (g)
		return g;
	for (size_t i = 0; i < r->n; i++)
		has_any_id |= r->generations[i].has_id;
	return has_any_id ? NULL : newest(r);
}

bool procmap_is_bound(const struct procmap *p, uint32_t tgid, uint32_t exec_id)
{
	const struct process *r = find_process(p, tgid);
	const struct generation *g = r ? with_id(r, exec_id) : NULL;

	return g && g->is_bound && g->life == newest(r)->life;
}

static void bind(struct procmap *p, struct process *r, struct generation *g, uint32_t exec_id,
		 uint64_t time_ns)
{
	g->exec_id = exec_id;
	g->has_id = true;
	g->is_bound = true;
	g->bound_ns = time_ns;
	set_bound(p, r);
}

void procmap_unbind(struct procmap *p, uint32_t tgid)
{
	struct process *r = find_process(p, tgid);

	if (!r || !r->is_bound)
		return;
	unlist(p, r);
	r->is_bound = false;
	list(p, r);
	for (size_t i = 0; i < r->n; i++)
		r->generations[i].is_bound = false;
}

int procmap_bind(struct procmap *p, uint32_t tgid, uint32_t exec_id, uint64_t time_ns)
{
	struct process *r = find_process(p, tgid);
	struct generation *g, *before;
	size_t i;

	if (!r)
		return -ESRCH;
	i = at_time(r, time_ns);
	g = with_id(r, exec_id);
	if (!g || g->life != r->generations[i].life)
		g = by_count(r, exec_id);
	if (!g || g->life != r->generations[i].life)
		g = &r->generations[i];
	if (!g->has_id || g->exec_id == exec_id) {
		bind(p, r, g, exec_id, time_ns);
		return 0;
	}
	before = i ? &r->generations[i - 1] : NULL;
	if (exec_id == g->exec_id + 1 && g->bound_ns - g->start_ns < BIND_RACE_NS && before &&
	    !before->has_id) {
		/* The earlier stack was taken inside execve, before the id changed. */
		bind(p, r, before, g->exec_id, g->bound_ns);
		bind(p, r, g, exec_id, time_ns);
		return 0;
	}
	if (g != newest(r) || exec_id < g->exec_id)
		return 0; /* older than anything known: its frames stay without names */
	return -EAGAIN;
}

const struct mapping *procmap_table(const struct procmap *p, uint32_t tgid, uint32_t exec_id,
				    size_t *n, bool *is_newest)
{
	const struct process *r = find_process(p, tgid);
	const struct generation *g = r ? generation_of(r, exec_id) : NULL;

	*n = g && g->table ? g->table->n : 0;
	*is_newest = g && g == newest(r);
	return *n ? g->table->items : NULL;
}

const struct mapping *procmap_find(const struct procmap *p, uint32_t tgid, uint32_t exec_id,
				   uint64_t address, bool *is_newest)
{
	const struct process *r = find_process(p, tgid);
	const struct generation *g = r ? generation_of(r, exec_id) : NULL;
	uint32_t i;

	*is_newest = g && g == newest(r);
	if (!g || !g->table)
		return NULL;
	i = maptable_after(g->table, address);
	if (i == g->table->n || address < g->table->items[i].start)
		return NULL;
	return &g->table->items[i];
}
