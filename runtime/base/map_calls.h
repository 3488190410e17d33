/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Access to maps by descriptor: those of the kernel by bpf(2), those of the interpreter
 * (runtime/interp/) by its functions. Results are those of libbpf: 0 or -errno.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of an interpreter; there is at most one. */
struct map_calls {
	void *ctx;
	int (*lookup)(void *ctx, int fd, const void *key, void *value, bool is_deleted);
	int (*update)(void *ctx, int fd, const void *key, const void *value, uint64_t flags);
	int (*delete)(void *ctx, int fd, const void *key);
	int (*next_key)(void *ctx, int fd, const void *key, void *next);
};

/* From now on, all maps are of this interpreter; NULL: of the kernel. The struct is copied. */
void map_calls_set(const struct map_calls *calls);

int map_lookup(int fd, const void *key, void *value);
int map_update(int fd, const void *key, const void *value, uint64_t flags);
int map_delete(int fd, const void *key);
int map_next_key(int fd, const void *key, void *next);
/* -EOPNOTSUPP where there are no batches. */
int map_lookup_batch(int fd, void *from, void *next, void *keys, void *values, uint32_t *n);
int map_delete_batch(int fd, const void *keys, uint32_t *n);
