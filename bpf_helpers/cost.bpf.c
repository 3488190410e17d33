/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The tracer's own time in spans of user functions (needs.tracer_time of the plan). The state of a
 * thread, or of a goroutine, is the time that probes have taken from it so far. A span stores this
 * time when it begins. What has been added by its end is contained in the span's length, and is
 * subtracted from it, together with the time of the span's own probes (the floor).
 */
#include "bpf_helpers/helpers.h"

struct cost_state {
	uint64_t cost;
	uint64_t born; /* when the element was made, in ns */
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(max_entries, 0);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct cost_state);
} sonde_costs SEC(".maps");

/* The state of a thread. NULL if there is no memory for it, which is counted. */
INLINE uint64_t *sonde_cost_open(struct task_struct *t, uint32_t probe)
{
	struct cost_state *s =
		bpf_task_storage_get(&sonde_costs, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (unlikely(!s)) {
		sonde_loss_count(probe, SONDE_LOSS_TASK_STORAGE);
		return 0;
	}
	s->born = s->born ?: bpf_ktime_get_ns();
	return &s->cost;
}

struct cost_goroutine {
	uint64_t space, goroutine;
};

/* A goroutine runs on several threads, and each thread runs several. The states that were not used
 * for the longest time make room for others. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct cost_goroutine);
	__type(value, struct cost_state);
} sonde_goroutine_costs SEC(".maps");

/* The state of a goroutine; NULL if it has none. */
INLINE uint64_t *sonde_cost_find_goroutine(struct task_struct *t, uint64_t goroutine)
{
	struct cost_goroutine id = {sonde_task_space(t), goroutine};

	return bpf_map_lookup_elem(&sonde_goroutine_costs, &id);
}

/* The same, made if there is none. NULL if there is no memory for it, which is counted. */
INLINE uint64_t *sonde_cost_open_goroutine(struct task_struct *t, uint64_t goroutine,
					   uint32_t probe)
{
	struct cost_goroutine id = {sonde_task_space(t), goroutine};
	struct cost_state s = {.born = bpf_ktime_get_ns()};
	uint64_t *cost = bpf_map_lookup_elem(&sonde_goroutine_costs, &id);

	if (cost)
		return cost;
	bpf_map_update_elem(&sonde_goroutine_costs, &id, &s, BPF_NOEXIST);
	cost = bpf_map_lookup_elem(&sonde_goroutine_costs, &id);
	if (!cost)
		sonde_loss_count(probe, SONDE_LOSS_GOROUTINES);
	return cost;
}

static INLINE volatile struct sonde_cost *cost_of(uint64_t cookie, uint32_t method)
{
	return &sonde_control.costs[method % SONDE_COST_METHODS]
				   [(cookie >> SONDE_COST_BIT) % SONDE_COST_CLASSES];
}

/* Count the time of a program that began at `began` and ends now. The kernel's time for a return
 * probe has been counted at the entry. */
INLINE void sonde_cost_end(uint64_t *cost, uint64_t cookie, uint32_t method, uint64_t began)
{
	uint64_t kernel = method >= SONDE_COST_EXITS ? cost_of(cookie, method)->call_ns : 0;

	*cost += bpf_ktime_get_ns() - began + kernel;
}

/* Call it at the end of the program at a call's entry. It stores the start time of the span, and
 * the time that probes had taken before. */
INLINE void sonde_cost_begin(uint64_t *cost, uint64_t *start, uint64_t *before, uint64_t cookie,
			     uint32_t method, uint64_t began)
{
	volatile struct sonde_cost *c = cost_of(cookie, method);
	uint64_t call_ns = c->call_ns, floor_ns = c->floor_ns, now = bpf_ktime_get_ns();

	if (unlikely(sonde_control.cost_ask)) {
		sonde_control.cost_cpu = bpf_get_smp_processor_id();
		sonde_control.cost_ask = 0;
	}
	*cost += now - began + call_ns;
	*before = *cost - floor_ns;
	*start = now;
}

/* The length of a call without the tracer's time. */
INLINE uint64_t sonde_cost_less(uint64_t *cost, uint64_t before, uint64_t length)
{
	uint64_t own = *cost - before;

	if (length >= own)
		return length - own;
	__sync_fetch_and_add((uint64_t *)&sonde_control.n_short, 1);
	return 0;
}

/* What a call stores whose state can be another one when it returns: of a program that switches
 * stacks, it may return on another thread, and a state of a goroutine may have made room. Then only
 * the time of its own probes is known. */
struct moving_cost {
	uint64_t before;
	uint32_t floor_ns, born;
};

static INLINE uint32_t born(const uint64_t *cost)
{
	return (uint32_t)((const struct cost_state *)cost)->born;
}

INLINE void sonde_cost_begin_moving(uint64_t *cost, uint64_t *start, struct moving_cost *m,
				    uint64_t cookie, uint32_t method, uint64_t began)
{
	m->floor_ns = cost_of(cookie, method)->floor_ns;
	m->born = born(cost);
	sonde_cost_begin(cost, start, &m->before, cookie, method, began);
}

INLINE uint64_t sonde_cost_less_moving(uint64_t *cost, const struct moving_cost *m, uint64_t length)
{
	if (m->born == born(cost))
		return sonde_cost_less(cost, m->before, length);
	return length > m->floor_ns ? length - m->floor_ns : 0;
}

/* The state of any thread; NULL if it has none. */
INLINE uint64_t *sonde_cost_find(struct task_struct *t)
{
	return bpf_task_storage_get(&sonde_costs, t, 0, 0);
}

/* Count the time of a program that began at `began` and measures no call: one at an instruction, or
 * that of a call that was refused at its entry. With `is_first` also count the kernel's time, which
 * is otherwise that of the call's entry. */
INLINE void sonde_cost_add(uint64_t *cost, uint64_t cookie, uint32_t method, uint32_t is_first,
			   uint64_t began)
{
	if (!cost)
		return;
	sonde_cost_end(cost, cookie, method, began);
	if (is_first && method < SONDE_COST_EXITS)
		*cost += cost_of(cookie, method)->call_ns;
}
