/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for an RCU grace period from user space. membarrier(GLOBAL) does; kernels with full
 * dynticks refuse it, and seccomp profiles of containers may. Otherwise, replace an inner map of a
 * map of maps: the kernel then waits for running programs, which could still use the old one.
 */
#include "runtime/base/rcu_wait.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static int wait_by_map(int inner)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .inner_map_fd = (uint32_t)inner);
	int outer = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "sonde_grace", 4, 4, 1, &opts);
	uint32_t key = 0;
	int err;

	if (outer < 0)
		return outer;
	err = bpf_map_update_elem(outer, &key, &inner, BPF_ANY);
	close(outer);
	return err;
}

int rcu_wait(void)
{
	int inner, err;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) == 0)
		return 0;
	inner = bpf_map_create(BPF_MAP_TYPE_ARRAY, "sonde_grace_in", 4, 4, 1, NULL);
	if (inner < 0)
		return inner;
	err = wait_by_map(inner);
	close(inner);
	return err;
}
