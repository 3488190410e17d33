/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends each access to a map to the kernel or to the interpreter.
 */
#include "runtime/base/map_calls.h"
#include "runtime/base/hold_cpu.h"
#include <bpf/bpf.h>
#include <errno.h>

static struct map_calls interpreter;

void map_calls_set(const struct map_calls *calls)
{
	interpreter = calls ? *calls : (struct map_calls){.ctx = NULL};
}

int map_lookup(int fd, const void *key, void *value)
{
	if (interpreter.lookup)
		return interpreter.lookup(interpreter.ctx, fd, key, value, false);
	return HOLD_CPU(bpf_map_lookup_elem(fd, key, value));
}

int map_update(int fd, const void *key, const void *value, uint64_t flags)
{
	if (interpreter.update)
		return interpreter.update(interpreter.ctx, fd, key, value, flags);
	return HOLD_CPU(bpf_map_update_elem(fd, key, value, flags));
}

int map_delete(int fd, const void *key)
{
	if (interpreter.delete)
		return interpreter.delete(interpreter.ctx, fd, key);
	return HOLD_CPU(bpf_map_delete_elem(fd, key));
}

int map_next_key(int fd, const void *key, void *next)
{
	if (interpreter.next_key)
		return interpreter.next_key(interpreter.ctx, fd, key, next);
	return bpf_map_get_next_key(fd, key, next);
}

int map_lookup_batch(int fd, void *from, void *next, void *keys, void *values, uint32_t *n)
{
	if (interpreter.lookup)
		return -EOPNOTSUPP;
	return HOLD_CPU(bpf_map_lookup_batch(fd, from, next, keys, values, n, NULL));
}

int map_delete_batch(int fd, const void *keys, uint32_t *n)
{
	if (interpreter.delete)
		return -EOPNOTSUPP;
	return HOLD_CPU(bpf_map_delete_batch(fd, keys, n, NULL));
}
