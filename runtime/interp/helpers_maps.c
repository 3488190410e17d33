/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for maps and loops.
 */
#include "runtime/interp/interp_impl.h"

enum { MAX_LOOPS = 1 << 23 }; /* BPF_MAX_LOOPS */

static int wrong(uint64_t *result, int64_t err)
{
	*result = (uint64_t)err;
	return 0;
}

static int look_up(struct interp *p, const uint64_t r[5], uint64_t cpu, uint64_t *result)
{
	const struct interp_map *m = interp_map_of(p, r[0]);
	const void *key = m ? interp_need(p, r[1], m->key_size, false) : NULL;
	int64_t element;

	if (!key)
		return -EFAULT;
	element = interp_map_lookup(m, key);
	*result = element < 0 || cpu >= p->n_cpus
			  ? 0
			  : interp_map_value(m, (uint32_t)element, (uint32_t)cpu);
	return 0;
}

int help_map_lookup_elem(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	return look_up(p, r, p->cpu, result);
}

int help_map_lookup_percpu_elem(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	return look_up(p, r, r[2], result);
}

/* The key and the value are copied first: they may be in the map, whose memory can move. */
int help_map_update_elem(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	struct interp_map *m = interp_map_of(p, r[0]);
	const void *key = m ? interp_need(p, r[1], m->key_size, false) : NULL;
	const void *value = key ? interp_need(p, r[2], m->value_size, false) : NULL;
	uint8_t *copy = value ? malloc((size_t)m->key_size + m->value_size) : NULL;

	if (!value)
		return -EFAULT;
	if (!copy)
		return wrong(result, -ENOMEM);
	memcpy(copy, key, m->key_size);
	memcpy(copy + m->key_size, value, m->value_size);
	wrong(result, interp_map_update(p, m, copy, copy + m->key_size, r[3], (int)p->cpu));
	free(copy);
	return 0;
}

int help_map_delete_elem(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	struct interp_map *m = interp_map_of(p, r[0]);
	const void *key = m ? interp_need(p, r[1], m->key_size, false) : NULL;

	return key ? wrong(result, interp_map_delete(m, key)) : -EFAULT;
}

static uint64_t code_at(uint64_t address)
{
	return address >> 48 == INTERP_TAG_CODE ? address & 0xffffffff : UINT32_MAX;
}

/* The callback gets the map, a key, a value and the context; it can delete the element. */
int help_for_each_map_elem(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	const struct interp_map *m = interp_map_of(p, r[0]);
	struct region *keys = &p->regions[REGION_CONTEXT];
	uint64_t n = 0, stop = 0;
	int64_t element;

	if (!m)
		return -EFAULT;
	for (uint32_t from = 0; !stop && (element = interp_map_next(m, from)) >= 0;
	     from = (uint32_t)element + 1) {
		struct region before = *keys;
		uint32_t index = (uint32_t)element;
		uint8_t *key = malloc(m->key_size);
		uint64_t args[5] = {r[0], interp_address(REGION_CONTEXT, 0),
				    interp_map_value(m, index, p->cpu), r[2]};
		int err;

		if (!key)
			return wrong(result, -ENOMEM);
		if (interp_map_is_hash(m))
			memcpy(key, m->keys + (size_t)index * m->key_size, m->key_size);
		else
			memcpy(key, &index, sizeof(index));
		*keys = (struct region){.at = key, .bytes = m->key_size};
		p->n_callbacks++;
		err = interp_call(p, (uint32_t)code_at(r[1]), args, &stop);
		p->n_callbacks--;
		*keys = before;
		free(key);
		if (err)
			return err;
		n++;
	}
	return wrong(result, (int64_t)n);
}

int help_loop(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	uint32_t n = (uint32_t)r[0], i;
	uint64_t stop = 0;

	if (n > MAX_LOOPS)
		return wrong(result, -E2BIG);
	for (i = 0; i < n && !stop; i++) {
		uint64_t args[5] = {i, r[2]};

		if (interp_call(p, (uint32_t)code_at(r[1]), args, &stop))
			return -EFAULT;
	}
	return wrong(result, i);
}

/* Only one ring buffer exists, which wakes the reader. In an interpreter the reader needs no
 * waking, so nothing is written. */
int help_ringbuf_output(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	return interp_map_of(p, r[0]) ? wrong(result, 0) : -EFAULT;
}

int help_task_storage_get(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	struct interp_map *m = interp_map_of(p, r[0]);
	const uint32_t *tid = interp_thread_number(p, r[1]);
	uint8_t *zeros;
	int64_t element;

	*result = 0;
	if (!m)
		return -EFAULT;
	element = tid ? interp_map_lookup(m, tid) : -ENOENT;
	if (element < 0 && tid && r[3] & BPF_LOCAL_STORAGE_GET_F_CREATE) {
		zeros = calloc(1, m->value_size);
		if (zeros && !interp_map_update(p, m, tid, zeros, BPF_ANY, 0))
			element = interp_map_lookup(m, tid);
		free(zeros);
	}
	if (element >= 0)
		*result = interp_map_value(m, (uint32_t)element, 0);
	return 0;
}

int help_task_storage_delete(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	struct interp_map *m = interp_map_of(p, r[0]);
	const uint32_t *tid = interp_thread_number(p, r[1]);

	return !m ? -EFAULT : wrong(result, tid ? interp_map_delete(m, tid) : -ENOENT);
}
