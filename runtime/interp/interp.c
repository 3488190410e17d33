/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opens and closes interpreters, runs programs, and gives the tracer access to their maps.
 */
#include "runtime/interp/interp_impl.h"
#include "runtime/base/clock.h"
#include "runtime/base/map_calls.h"
#include "runtime/base/recorded_events.h"
#include <bpf/libbpf.h>
#include <sched.h>

/* ---- maps, for the tracer ------------------------------------------------------------------ */

static struct interp_map *map_of_fd(const struct interp *p, int fd)
{
	return FIND(p->maps, p->n_maps, item->fd == fd);
}

/* Copy the values of all CPUs. */
static void copy_out(const struct interp *p, const struct interp_map *m, uint32_t element,
		     void *value)
{
	const uint8_t *at = p->regions[m->region].at + (size_t)m->stride * m->n_parts * element;

	memcpy(value, at, m->n_parts > 1 ? (size_t)m->stride * m->n_parts : m->value_size);
}

static int on_lookup(void *ctx, int fd, const void *key, void *value, bool is_deleted)
{
	struct interp *p = ctx;
	struct interp_map *m = map_of_fd(p, fd);
	int64_t element;

	pthread_mutex_lock(&p->lock);
	element = m ? interp_map_lookup(m, key) : -EBADF;
	if (element >= 0)
		copy_out(p, m, (uint32_t)element, value);
	if (element >= 0 && is_deleted)
		interp_map_delete(m, key);
	pthread_mutex_unlock(&p->lock);
	return element < 0 ? (int)element : 0;
}

static int on_update(void *ctx, int fd, const void *key, const void *value, uint64_t flags)
{
	struct interp *p = ctx;
	struct interp_map *m = map_of_fd(p, fd);
	int err;

	pthread_mutex_lock(&p->lock);
	err = m ? interp_map_update(p, m, key, value, flags, -1) : -EBADF;
	pthread_mutex_unlock(&p->lock);
	return err;
}

static int on_delete(void *ctx, int fd, const void *key)
{
	struct interp *p = ctx;
	struct interp_map *m = map_of_fd(p, fd);
	int err;

	pthread_mutex_lock(&p->lock);
	err = m ? interp_map_delete(m, key) : -EBADF;
	pthread_mutex_unlock(&p->lock);
	return err;
}

static int on_next_key(void *ctx, int fd, const void *key, void *next)
{
	struct interp *p = ctx;
	const struct interp_map *m = map_of_fd(p, fd);
	int64_t element;

	if (!m)
		return -EBADF;
	pthread_mutex_lock(&p->lock);
	element = key ? interp_map_lookup(m, key) : -1;
	element = interp_map_next(m, element < 0 ? 0 : (uint32_t)element + 1);
	if (element >= 0 && interp_map_is_hash(m))
		memcpy(next, m->keys + (size_t)element * m->key_size, m->key_size);
	else if (element >= 0)
		memcpy(next, &(uint32_t){(uint32_t)element}, sizeof(uint32_t));
	pthread_mutex_unlock(&p->lock);
	return element < 0 ? -ENOENT : 0;
}

/* ---- life --------------------------------------------------------------------------------- */

static int make_regions(struct interp *p)
{
	static const uint32_t bytes[REGION_MAPS] = {
		[REGION_STACK] = (INTERP_MAX_DEPTH + 1) * INTERP_FRAME_BYTES,
		[REGION_CONTEXT] = INTERP_CONTEXT_BYTES,
		[REGION_TASK] = TASK_BYTES,
		[REGION_REGISTERS] = INTERP_REGISTER_BYTES,
	};

	for (int i = 0; i < REGION_MAPS; i++) {
		p->regions[i] = (struct region){.at = calloc(1, bytes[i]), .bytes = bytes[i]};
		if (!p->regions[i].at)
			return -ENOMEM;
	}
	p->regions[REGION_TASK].is_constant = true;
	return 0;
}

struct interp *interp_open(const struct bpf_object *object, const void *elf, size_t len)
{
	struct interp *p = calloc(1, sizeof(*p));
	int n_cpus = libbpf_num_possible_cpus(), err;

	if (!p)
		return NULL;
	pthread_mutex_init(&p->lock, NULL);
	p->n_cpus = n_cpus > 0 ? (uint32_t)n_cpus : 1;
	p->random = clock_ns(CLOCK_MONOTONIC) | 1;
	err = interp_open_maps(p, object) ?: make_regions(p) ?: interp_read_image(p, elf, len);
	if (err) {
		interp_close(p);
		errno = -err;
		return NULL;
	}
	map_calls_set(&(struct map_calls){.ctx = p,
					  .lookup = on_lookup,
					  .update = on_update,
					  .delete = on_delete,
					  .next_key = on_next_key});
	return p;
}

void interp_close(struct interp *p)
{
	if (!p)
		return;
	map_calls_set(NULL);
	interp_close_maps(p);
	if (p->context.at)
		p->regions[REGION_CONTEXT] = p->context;
	vec_free(&p->slots);
	vec_free(&p->registers);
	free(p->called);
	for (int i = 0; p->regions && i < REGION_MAPS; i++) {
		free(p->regions[i].at);
		free((void *)(uintptr_t)p->regions[i].known);
	}
	free(p->regions);
	interp_free_image(p);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

int interp_map_fd(const struct interp *p, const char *name)
{
	const struct interp_map *m = interp_map_find(p, name);

	return m ? m->fd : -1;
}

/* ---- a run -------------------------------------------------------------------------------- */

int interp_run(struct interp *p, const char *program, uint32_t *result)
{
	const struct code_symbol *f = FIND(p->symbols, p->n_symbols, !strcmp(item->name, program));
	uint64_t args[5] = {interp_address(REGION_CONTEXT, 0)}, value = 0;
	int cpu = sched_getcpu(), err;

	if (!f)
		return -ENOENT;
	pthread_mutex_lock(&p->lock);
	if (p->recorded)
		cpu = p->event ? (int)(p->event->cpu % p->n_cpus) : 0;
	p->cpu = cpu >= 0 && (uint32_t)cpu < p->n_cpus ? (uint32_t)cpu : 0;
	p->left = INTERP_BUDGET;
	p->depth = p->n_callbacks = 0;
	err = interp_call(p, f->at, args, &value);
	pthread_mutex_unlock(&p->lock);
	*result = (uint32_t)value;
	return err;
}

struct interp_fault interp_fault(const struct interp *p)
{
	return p->last;
}
