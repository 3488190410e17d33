/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frees space among the open calls of Go functions (bpf_helpers/goroutine.bpf.c): a process that
 * ends leaves those that its goroutines were in. From time to time the elements of processes that
 * have ended are removed, so that a day of short-lived processes does not fill the map.
 */
#include "runtime/events/stack_sweep.h"
#include "runtime/base/clock.h"
#include "runtime/base/log.h"
#include "runtime/session/session.h"
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <signal.h>

#define PERIOD_NS 5000000000ull
enum { SHARE = 100 }; /* of the time: at most 1 % */

/* The beginning of a key: process id and execve count. */
struct key {
	uint32_t tgid, exec_id;
	uint8_t rest[SONDE_GOROUTINE_KEY - 8];
};

/* The last process that was asked about: elements of one are not in a row, but mostly few processes
 * are traced. */
struct asked {
	uint32_t tgid;
	bool has_ended;
};

static bool has_ended(struct asked *a, uint32_t tgid)
{
	if (a->tgid != tgid) {
		a->tgid = tgid;
		a->has_ended = kill((pid_t)tgid, 0) != 0 && errno == ESRCH;
	}
	return a->has_ended;
}

/* Keys that come and go meanwhile can send the walk back to its start: it has a limit. */
static uint32_t sweep_map(int fd, uint32_t max_entries)
{
	struct key key, next;
	struct asked asked = {0};
	uint32_t n = 0;
	int err = bpf_map_get_next_key(fd, NULL, &key);

	for (uint32_t i = 0; !err && i < max_entries; i++) {
		err = bpf_map_get_next_key(fd, &key, &next);
		if (has_ended(&asked, key.tgid))
			n += bpf_map_delete_elem(fd, &key) == 0;
		key = next;
	}
	return n;
}

static uint32_t sweep_all(const struct session *s)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->plan->n_probes; i++) {
		const struct plan_span *state = &s->plan->probes[i].state;
		struct bpf_map *map;
		char name[16];

		if (state->kind != SPAN_GOROUTINE || state->owner != i)
			continue;
		snprintf(name, sizeof(name), "span_%u", i);
		map = bpf_object__find_map_by_name(s->object, name);
		if (map)
			n += sweep_map(bpf_map__fd(map), state->max_entries);
	}
	return n;
}

static bool has_goroutines(const struct plan *p)
{
	return FIND(p->probes, p->n_probes, item->state.kind == SPAN_GOROUTINE);
}

void goroutine_sweep_start(struct session *s)
{
	/* In a pid namespace the numbers are those of the initial one. */
	if (has_goroutines(s->plan) && !s->plan->needs.pid_namespace)
		s->goroutine_sweep_ns = monotonic_ns() + PERIOD_NS;
}

void goroutine_sweep(struct session *s)
{
	uint64_t start, took;
	uint32_t n;

	if (!s->goroutine_sweep_ns || (start = monotonic_ns()) < s->goroutine_sweep_ns)
		return;
	n = sweep_all(s);
	took = monotonic_ns() - start;
	s->goroutine_sweep_ns = start + (took * SHARE > PERIOD_NS ? took * SHARE : PERIOD_NS);
	if (n)
		log_verbose("goroutines: removed %u elements of processes that have ended", n);
}
