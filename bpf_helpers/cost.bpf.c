/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The tracer's own time in spans of user functions (needs.tracer_time of the plan). The state of a
 * thread is the time that probes have taken from it so far. A span stores this time when it begins.
 * What has been added by its end is contained in the span's length, and is subtracted from it,
 * together with the time of the span's own probes (the floor).
 */
#include "bpf_helpers/helpers.h"

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(max_entries, 0);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, uint64_t);
} sonde_costs SEC(".maps");

/* The state of a thread. NULL if there is no memory for it, which is counted. */
INLINE uint64_t *sonde_cost_open(struct task_struct *t, uint32_t probe)
{
	uint64_t *cost = bpf_task_storage_get(&sonde_costs, t, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (unlikely(!cost))
		sonde_loss_count(probe, SONDE_LOSS_TASK_STORAGE);
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

/* The state for a call of a goroutine. The call may return on another thread, and then only the
 * time of its own probes is known. */
struct goroutine_cost {
	uint64_t before;
	uint32_t floor_ns, tid;
};

INLINE void sonde_cost_begin_goroutine(uint64_t *cost, uint64_t *start, struct goroutine_cost *g,
				       uint64_t cookie, uint32_t method, uint64_t began)
{
	g->floor_ns = cost_of(cookie, method)->floor_ns;
	g->tid = (uint32_t)bpf_get_current_pid_tgid();
	sonde_cost_begin(cost, start, &g->before, cookie, method, began);
}

INLINE uint64_t sonde_cost_less_goroutine(uint64_t *cost, const struct goroutine_cost *g,
					  uint64_t length)
{
	if (g->tid == (uint32_t)bpf_get_current_pid_tgid())
		return sonde_cost_less(cost, g->before, length);
	return length > g->floor_ns ? length - g->floor_ns : 0;
}

/* The state of another thread; NULL if it has none. */
INLINE uint64_t *sonde_cost_find(struct task_struct *t)
{
	return bpf_task_storage_get(&sonde_costs, t, 0, 0);
}

/* Count the time of a program that began at `began` and measures no call: one at an instruction, or
 * that of a call that was refused at its entry. With `is_first` also count the kernel's time, which
 * is otherwise that of the call's entry. */
INLINE void sonde_cost_add(struct task_struct *t, uint64_t cookie, uint32_t method,
			   uint32_t is_first, uint64_t began)
{
	uint64_t *cost = sonde_cost_find(t);

	if (!cost)
		return;
	sonde_cost_end(cost, cookie, method, began);
	if (is_first && method < SONDE_COST_EXITS)
		*cost += cost_of(cookie, method)->call_ns;
}
