/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Reading memory.
 */
#include "bpf_helpers/helpers.h"

/* Copy from kernel memory or a tracepoint's record to the BPF stack. */
INLINE void sonde_memory_read(void *to, uint32_t size, const void *from)
{
	bpf_probe_read_kernel(to, size, from);
}

/* Zero memory: a failed read fills the destination with 0. One call instead of a store for each 8
 * bytes. */
INLINE void sonde_memory_zero(void *to, uint32_t size)
{
	bpf_probe_read_kernel(to, size, 0);
}

/*
 * Returns a kernel pointer as a number. The verifier refuses arithmetic on values that it tracks as
 * pointers. A helper copies the pointer here, and the verifier takes the copy for a number.
 */
INLINE uint64_t sonde_memory_number(const void *pointer)
{
	uint64_t at = (uint64_t)pointer, number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &at);
	return number;
}

/* Read memory through a pointer of the script. A failed read gives 0 and is counted. `is_user` is
 * constant after inlining. Returns 0 or the error. */
INLINE int64_t sonde_memory_copy(void *to, uint32_t size, const void *from, uint32_t probe,
				 uint32_t is_user)
{
	int64_t err = is_user ? bpf_probe_read_user(to, size, from)
			      : bpf_probe_read_kernel(to, size, from);

	if (unlikely(err))
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
	return err;
}

/* The address of a per-CPU variable on a CPU. `table` is the address of the array with the offset
 * of each CPU (__per_cpu_offset). Returns 0 for a CPU that does not exist. */
INLINE uint64_t sonde_memory_percpu(uint64_t variable, uint64_t table, uint64_t cpu)
{
	uint64_t distance = 0;

	if (cpu >= sonde_config.n_cpus ||
	    bpf_probe_read_kernel(&distance, sizeof(distance), (void *)(table + cpu * 8)))
		return 0;
	return variable + distance;
}
