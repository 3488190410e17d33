/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers of the kernel: their table, and those that read memory, the clock and the thread.
 */
#include "runtime/interp/interp_impl.h"
#include "runtime/base/clock.h"
#include "runtime/base/recorded_events.h"
#include <stdio.h>
#include <unistd.h>

static const struct {
	interp_helper_fn *call;
	const char *name;
} helpers[__BPF_FUNC_MAX_ID] = {
#define HELPER(name) [BPF_FUNC_##name] = {help_##name, #name},
#include "runtime/interp/vm_helpers.def"
#undef HELPER
};

static const char *const names[__BPF_FUNC_MAX_ID] = {
#define NAME(name) [BPF_FUNC_##name] = #name
	__BPF_FUNC_MAPPER(NAME)
#undef NAME
};

int interp_helper(struct interp *p, uint32_t id, const uint64_t r[5], uint64_t *result)
{
	uint64_t args[5];

	memcpy(args, r, sizeof(args)); /* `result` may point to the word before them */
	if (id < __BPF_FUNC_MAX_ID && helpers[id].call)
		return helpers[id].call(p, args, result);
	if (id < __BPF_FUNC_MAX_ID && names[id])
		return interp_end(p, "only a kernel has the function bpf_%s()", names[id]);
	return interp_end(p, "it calls a function of the kernel");
}

/* ---- memory ------------------------------------------------------------------------------- */

#define READ_MEMORY(name, copy, is_user)                                                 \
	int help_##name(struct interp *p, const uint64_t r[5], uint64_t *result)         \
	{                                                                                \
		void *to = interp_need(p, r[0], (uint32_t)r[1], true);                   \
                                                                                         \
		p->last.text = NULL;                                                     \
		if (!to)                                                                 \
			return -EFAULT;                                                  \
		*result = (uint64_t)(int64_t)copy(p, to, r[2], (uint32_t)r[1], is_user); \
		return p->last.text ? -EFAULT : 0;                                       \
	}
READ_MEMORY(probe_read_kernel, interp_copy, false)
READ_MEMORY(probe_read_user, interp_copy, true)
READ_MEMORY(probe_read_kernel_str, interp_copy_string, false)
READ_MEMORY(probe_read_user_str, interp_copy_string, true)

int help_strncmp(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	const char *a = interp_need(p, r[0], (uint32_t)r[1], false), *b;

	for (uint32_t i = 0; a && i < (uint32_t)r[1]; i++) {
		b = interp_need(p, r[2] + i, 1, false);
		if (!b)
			return -EFAULT;
		*result = (uint64_t)(int64_t)((unsigned char)a[i] - (unsigned char)*b);
		if (*result || !a[i])
			return 0;
	}
	*result = 0;
	return a ? 0 : -EFAULT;
}

/* ---- clocks, chance, the CPU -------------------------------------------------------------- */

enum { HZ = 250, BEFORE_BOOT = 300 };

/* A helper that only returns a value. */
#define VALUE(name, value)                                                       \
	int help_##name(struct interp *p, const uint64_t r[5], uint64_t *result) \
	{                                                                        \
		*result = (value);                                               \
		return 0;                                                        \
	}

/* The time of a clock; with recorded events the time that was recorded. */
static uint64_t now_of(const struct interp *p, clockid_t clock)
{
	const struct recorded_events *all = p->recorded;
	uint64_t start;

	if (!all)
		return clock_ns(clock);
	start = clock == CLOCK_MONOTONIC ? all->mono : clock == CLOCK_TAI ? all->tai : all->start;
	return start + (p->now - all->start);
}

VALUE(ktime_get_ns, now_of(p, CLOCK_MONOTONIC))
VALUE(ktime_get_boot_ns, now_of(p, CLOCK_BOOTTIME))
VALUE(ktime_get_tai_ns, now_of(p, CLOCK_TAI))

/* Jiffies, counted from 5 minutes before boot as in the kernel. The kernel does not export its tick
 * rate; most kernels have 250 ticks a second. */
VALUE(jiffies64,
      (uint64_t)(uint32_t)-(BEFORE_BOOT *HZ) + now_of(p, CLOCK_MONOTONIC) / (1000000000 / HZ))

/* xorshift64* */
static uint64_t next_random(struct interp *p)
{
	p->random ^= p->random >> 12;
	p->random ^= p->random << 25;
	p->random ^= p->random >> 27;
	return p->random * 0x2545f4914f6cdd1dull >> 32;
}

VALUE(get_prandom_u32, next_random(p))
VALUE(get_smp_processor_id, p->event ? p->event->cpu : p->cpu)

int help_get_numa_node_id(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	unsigned node = 0;

	if (p->recorded)
		return interp_end(p, "the recording does not contain the NUMA node");
	getcpu(NULL, &node);
	*result = node;
	return 0;
}

/* ---- the thread --------------------------------------------------------------------------- */

VALUE(get_current_pid_tgid, (uint64_t)p->current.tgid << 32 | p->current.pid)
VALUE(get_current_uid_gid, (uint64_t)p->current.gid << 32 | p->current.uid)
VALUE(get_current_task, interp_thread(PLACE_CURRENT))
VALUE(get_current_task_btf, interp_thread(PLACE_CURRENT))
VALUE(get_attach_cookie, p->cookie)

int help_get_current_cgroup_id(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	if (!p->current.has_cgroup)
		return interp_end(p, "the recording does not have the cgroup of this thread");
	*result = p->current.cgroup;
	return 0;
}

int help_get_current_comm(struct interp *p, const uint64_t r[5], uint64_t *result)
{
	char *to = interp_need(p, r[0], (uint32_t)r[1], true);
	const char *comm = p->current.comm;

	if (!to)
		return -EFAULT;
	memset(to, 0, (uint32_t)r[1]);
	memcpy(to, comm, (uint32_t)r[1] < TASK_COMM ? (uint32_t)r[1] : TASK_COMM);
	*result = 0;
	return 0;
}
