/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Maps: arrays in files that the tracer maps into its memory, as it does with arrays of the kernel,
 * and hashes.
 */
#include "runtime/interp/interp_impl.h"
#include "runtime/base/hash.h"
#include <bpf/libbpf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FIRST_ELEMENTS = 64 };

bool interp_map_is_hash(const struct interp_map *m)
{
	switch (m->type) {
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_TASK_STORAGE: return true;
	default: return false;
	}
}

static bool is_of_cpus(enum bpf_map_type type)
{
	return type == BPF_MAP_TYPE_PERCPU_ARRAY || type == BPF_MAP_TYPE_PERCPU_HASH ||
	       type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static bool evicts(const struct interp_map *m)
{
	return m->type == BPF_MAP_TYPE_LRU_HASH || m->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

static uint64_t element_bytes(const struct interp_map *m)
{
	return (uint64_t)m->stride * m->n_parts;
}

/* ---- making ------------------------------------------------------------------------------- */

static int make_array(struct interp *p, struct interp_map *m)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bytes = element_bytes(m) * m->max_entries;
	struct region *r = &p->regions[m->region];
	void *at;

	if (m->type == BPF_MAP_TYPE_RINGBUF) /* it only wakes the reader; see ring.c of session */
		bytes = 2 * page;
	bytes = (bytes + page - 1) / page * page;
	if (bytes >> 32 || ftruncate(m->fd, (off_t)bytes))
		return bytes >> 32 ? -E2BIG : -errno;
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, m->fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	*r = (struct region){.at = at, .bytes = bytes};
	return 0;
}

static int grow(struct interp *p, struct interp_map *m, uint32_t capacity)
{
	struct region *r = &p->regions[m->region];
	uint64_t bytes = element_bytes(m) * capacity;
	void *values = bytes >> 32 ? NULL : realloc(r->at, bytes);
	void *keys = realloc(m->keys, (size_t)m->key_size * capacity);
	void *next = realloc(m->next, sizeof(*m->next) * capacity);
	void *used = realloc(m->used, sizeof(*m->used) * capacity);

	r->at = values ?: r->at;
	m->keys = keys ?: m->keys;
	m->next = next ?: m->next;
	m->used = used ?: m->used;
	if (!values || !keys || !next || !used)
		return -ENOMEM;
	for (uint32_t i = capacity; i-- > m->capacity;) {
		m->used[i] = 0;
		m->next[i] = m->first_free;
		m->first_free = i + 1;
	}
	r->bytes = bytes;
	m->capacity = capacity;
	return 0;
}

static int make_hash(struct interp *p, struct interp_map *m)
{
	m->n_heads = 1;
	while (m->n_heads < m->max_entries && m->n_heads < 1 << 20)
		m->n_heads *= 2;
	m->heads = calloc(m->n_heads, sizeof(*m->heads));
	if (!m->heads)
		return -ENOMEM;
	return grow(p, m, m->max_entries < FIRST_ELEMENTS ? m->max_entries : FIRST_ELEMENTS);
}

static int make_map(struct interp *p, struct interp_map *m, struct bpf_map *from)
{
	size_t size = 0;
	const void *initial = bpf_map__initial_value(from, &size);
	int err;

	snprintf(m->name, sizeof(m->name), "%s", bpf_map__name(from));
	m->type = bpf_map__type(from);
	m->key_size = bpf_map__key_size(from);
	m->value_size = bpf_map__value_size(from);
	m->max_entries = bpf_map__max_entries(from);
	if (m->type == BPF_MAP_TYPE_TASK_STORAGE)
		m->max_entries = 1u << 20;
	m->stride = (m->value_size + 7) / 8 * 8;
	m->n_parts = is_of_cpus(m->type) ? p->n_cpus : 1;
	m->fd = memfd_create("sonde-map", MFD_CLOEXEC);
	if (m->fd < 0)
		return -errno;
	err = interp_map_is_hash(m) ? make_hash(p, m) : make_array(p, m);
	if (!err && initial)
		memcpy(p->regions[m->region].at, initial, size);
	if (!err && bpf_map__is_internal(from) && strstr(m->name, ".rodata"))
		p->regions[m->region].is_constant = true;
	return err;
}

int interp_open_maps(struct interp *p, const struct bpf_object *object)
{
	struct bpf_map *m;
	uint32_t n = 0;
	int err = 0;

	bpf_object__for_each_map(m, object) n++;
	p->maps = calloc(n + 1, sizeof(*p->maps));
	p->regions = calloc(n + REGION_MAPS, sizeof(*p->regions));
	if (!p->maps || !p->regions)
		return -ENOMEM;
	p->n_regions = n + REGION_MAPS;
	bpf_object__for_each_map(m, object)
	{
		struct interp_map *to = &p->maps[p->n_maps];

		to->fd = -1;
		to->region = REGION_MAPS + p->n_maps++;
		err = err ?: make_map(p, to, m);
	}
	return err;
}

void interp_close_maps(struct interp *p)
{
	for (uint32_t i = 0; i < p->n_maps; i++) {
		struct interp_map *m = &p->maps[i];
		struct region *r = &p->regions[m->region];

		if (interp_map_is_hash(m))
			free(r->at);
		else if (r->at)
			munmap(r->at, r->bytes);
		if (m->fd >= 0)
			close(m->fd);
		free(m->keys);
		free(m->heads);
		free(m->next);
		free(m->used);
	}
	free(p->maps);
}

struct interp_map *interp_map_find(const struct interp *p, const char *name)
{
	return FIND(p->maps, p->n_maps, strcmp(item->name, name) == 0);
}

struct interp_map *interp_map_of(struct interp *p, uint64_t handle)
{
	uint64_t number = handle & 0xffffffffffff;

	if (handle >> 48 == INTERP_TAG_MAP && number < p->n_maps)
		return &p->maps[number];
	interp_end(p, "a helper was called without a map");
	return NULL;
}

/* ---- elements ----------------------------------------------------------------------------- */

static uint32_t *head_of(const struct interp_map *m, const void *key)
{
	return &m->heads[hash_bytes(key, m->key_size) & (m->n_heads - 1)];
}

static bool is_key(const struct interp_map *m, uint32_t element, const void *key)
{
	return memcmp(m->keys + (size_t)element * m->key_size, key, m->key_size) == 0;
}

int64_t interp_map_lookup(const struct interp_map *m, const void *key)
{
	uint32_t index;

	if (!interp_map_is_hash(m)) {
		memcpy(&index, key, sizeof(index));
		return index < m->max_entries ? (int64_t)index : -ENOENT;
	}
	for (uint32_t i = *head_of(m, key); i; i = m->next[i - 1])
		if (is_key(m, i - 1, key))
			return i - 1;
	return -ENOENT;
}

uint64_t interp_map_value(const struct interp_map *m, uint32_t element, uint32_t cpu)
{
	return interp_address(m->region, element_bytes(m) * element +
						 (m->n_parts > 1 ? (uint64_t)m->stride * cpu : 0));
}

static void remove_element(struct interp_map *m, uint32_t element)
{
	uint32_t *at = head_of(m, m->keys + (size_t)element * m->key_size);

	while (*at != element + 1)
		at = &m->next[*at - 1];
	*at = m->next[element];
	m->used[element] = 0;
	m->next[element] = m->first_free;
	m->first_free = element + 1;
	m->n_elements--;
}

/* Remove the element that was written longest ago. */
static void evict_one(struct interp_map *m)
{
	uint32_t oldest = 0;
	uint64_t at = UINT64_MAX;

	for (uint32_t i = 0; i < m->capacity; i++)
		if (m->used[i] && m->used[i] < at) {
			at = m->used[i];
			oldest = i;
		}
	remove_element(m, oldest);
}

static int64_t add_element(struct interp *p, struct interp_map *m, const void *key)
{
	uint32_t *head = head_of(m, key), element;

	if (m->n_elements >= m->max_entries) {
		if (!evicts(m))
			return -E2BIG;
		evict_one(m);
	}
	if (!m->first_free) {
		uint64_t more = 2 * (uint64_t)m->capacity;
		int err = grow(p, m, more < m->max_entries ? (uint32_t)more : m->max_entries);

		if (err)
			return err;
	}
	element = m->first_free - 1;
	m->first_free = m->next[element];
	memcpy(m->keys + (size_t)element * m->key_size, key, m->key_size);
	memset(p->regions[m->region].at + element_bytes(m) * element, 0, element_bytes(m));
	m->next[element] = *head;
	*head = element + 1;
	m->n_elements++;
	return element;
}

static void set_value(struct interp *p, struct interp_map *m, uint32_t element, const void *value,
		      int cpu)
{
	uint8_t *at = p->regions[m->region].at + element_bytes(m) * element;

	if (m->n_parts == 1)
		memcpy(at, value, m->value_size);
	else if (cpu >= 0)
		memcpy(at + (size_t)m->stride * (uint32_t)cpu, value, m->value_size);
	else
		memcpy(at, value, element_bytes(m));
	if (interp_map_is_hash(m))
		m->used[element] = ++m->writes;
}

int interp_map_update(struct interp *p, struct interp_map *m, const void *key, const void *value,
		      uint64_t flags, int cpu)
{
	int64_t element = interp_map_lookup(m, key);

	if (!interp_map_is_hash(m) && element < 0)
		return -E2BIG;
	if (element >= 0 && flags == BPF_NOEXIST)
		return -EEXIST;
	if (element < 0 && flags == BPF_EXIST)
		return -ENOENT;
	if (element < 0)
		element = add_element(p, m, key);
	if (element < 0)
		return (int)element;
	set_value(p, m, (uint32_t)element, value, cpu);
	return 0;
}

int interp_map_delete(struct interp_map *m, const void *key)
{
	int64_t element = interp_map_is_hash(m) ? interp_map_lookup(m, key) : -EINVAL;

	if (element < 0)
		return (int)element;
	remove_element(m, (uint32_t)element);
	return 0;
}

int64_t interp_map_next(const struct interp_map *m, uint32_t element)
{
	if (!interp_map_is_hash(m))
		return element < m->max_entries ? (int64_t)element : -1;
	for (; element < m->capacity; element++)
		if (m->used[element])
			return element;
	return -1;
}
