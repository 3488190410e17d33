/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates large maps from the plan while the compiler works, and passes them to libbpf before it
 * loads: a hash of 131,072 buckets takes 1.5 ms to create, a ring of 8 MiB about 2 ms.
 */
#include "runtime/load/precreate.h"
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

/* By bpf(2) itself: libbpf leaves out the name when a trial program of its own fails to load, and a
 * map that is handed over without a name is not found again. */
static int create(const char *name, union bpf_attr *attr)
{
	strncpy(attr->map_name, name, sizeof(attr->map_name) - 1);
	return (int)syscall(SYS_bpf, BPF_MAP_CREATE, attr, sizeof(*attr));
}

static void add(struct session_prep *prep, const char *name, enum bpf_map_type type,
		uint32_t key_size, uint32_t value_size, uint32_t max_entries, uint32_t flags)
{
	struct precreated_map *m = &prep->maps[prep->n_maps];
	union bpf_attr attr = {.map_type = type,
			       .key_size = key_size,
			       .value_size = value_size,
			       .max_entries = max_entries,
			       .map_flags = flags};

	m->name = name;
	m->longest = key_size > value_size ? key_size : value_size;
	m->is_hash = type == BPF_MAP_TYPE_HASH;
	m->fd = create(name, &attr);
	if (m->fd >= 0) /* otherwise libbpf tries again, and its error is reported */
		prep->n_maps++;
}

void precreate_maps(struct session_prep *prep, const struct plan *plan)
{
	prep->maps = calloc(plan->n_maps + 2, sizeof(*prep->maps));
	if (!prep->maps)
		return;
	for (uint32_t i = 0; i < plan->n_maps; i++) {
		const struct plan_map *m = &plan->maps[i];

		if (plan_is_hash(m))
			add(prep, m->symbol, m->bpf_type, m->key_size, m->value_size,
			    m->max_entries, m->flags);
	}
	if (plan->needs.stack_entries)
		add(prep, "sonde_stacks", BPF_MAP_TYPE_HASH, sizeof(uint64_t),
		    sizeof(struct sonde_stack), plan->needs.stack_entries, BPF_F_NO_PREALLOC);
	if (plan->needs.ring_buffer)
		add(prep, "sonde_events", BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
		    prep->ring.element_bytes, prep->ring.segments, BPF_F_MMAPABLE);
}

void precreate_warm_up(const struct session_prep *prep, uint32_t n_cpus)
{
	int *fds = calloc(prep->n_maps + 1, sizeof(*fds));
	uint32_t n = 0, bytes = 0;

	for (uint32_t i = 0; fds && i < prep->n_maps; i++) {
		const struct precreated_map *m = &prep->maps[i];

		if (!m->is_hash)
			continue;
		fds[n++] = m->fd;
		bytes = m->longest > bytes ? m->longest : bytes;
	}
	map_warmup(fds, n, bytes, n_cpus);
	free(fds);
}

void precreate_hand_over(const struct session_prep *prep, struct bpf_object *object)
{
	for (uint32_t i = 0; i < prep->n_maps; i++) {
		struct bpf_map *m = bpf_object__find_map_by_name(object, prep->maps[i].name);

		if (m && bpf_map__reuse_fd(m, prep->maps[i].fd))
			log_verbose("map %s: created again by libbpf", prep->maps[i].name);
	}
}

void precreate_free(struct session_prep *prep)
{
	for (uint32_t i = 0; i < prep->n_maps; i++)
		close(prep->maps[i].fd);
	free(prep->maps);
}
