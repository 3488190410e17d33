/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The little that BPF C needs: helper functions by their numbers (include/uapi/linux/bpf.h), map
 * definition macros, and the few kernel structs that are read, with preserve_access_index: CO-RE
 * moves the offsets to the running kernel's when the program is loaded.
 */
#pragma once
#include "bpf_helpers/shared.h"

/* Helpers are inlined into the programs that call them, and their code takes the place of the call
 * in the script: no debug information of its own, which would also cost LLVM milliseconds. Only
 * functions that read kernel structs need theirs, CO-RE is made of it. */
#define INLINE __attribute__((always_inline, nodebug))
#define INLINE_CORE __attribute__((always_inline))
#define SEC(name) __attribute__((section(name)))
#define __uint(name, val) int(*name)[val]
#define __type(name, val) typeof(val) *name
#define HAS_FIELD(field) __builtin_preserve_field_info(field, 2)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum {
	MAP_TYPE_HASH = 1,
	MAP_TYPE_ARRAY = 2,
	MAP_TYPE_PERCPU_ARRAY = 6,
	MAP_TYPE_RINGBUF = 27,
	MAP_TYPE_TASK_STORAGE = 29,
	NO_PREALLOC = 1,
	MMAPABLE = 1024,
	UPDATE_ANY = 0,
	UPDATE_NOEXIST = 1,
	STORAGE_CREATE = 1,
	RB_FORCE_WAKEUP = 2,
	USER_STACK = 256,
};

enum { ERR_NOMEM = 12, ERR_EXIST = 17, ERR_2BIG = 7 };

static void *(*bpf_map_lookup_elem)(void *map, const void *key) = (void *)1;
static long (*bpf_map_update_elem)(void *map, const void *key, const void *value,
				   uint64_t flags) = (void *)2;
static uint32_t (*bpf_get_smp_processor_id)(void) = (void *)8;
static uint64_t (*bpf_get_current_pid_tgid)(void) = (void *)14;
static long (*bpf_get_stack)(void *ctx, void *buf, uint32_t size, uint64_t flags) = (void *)67;
static long (*bpf_probe_read_kernel)(void *dst, uint32_t size, const void *src) = (void *)113;
static long (*bpf_probe_read_user)(void *dst, uint32_t size, const void *src) = (void *)112;
static long (*bpf_probe_read_user_str)(void *dst, uint32_t size, const void *src) = (void *)114;
static long (*bpf_copy_from_user)(void *dst, uint32_t size, const void *from) = (void *)148;
static long (*bpf_probe_read_kernel_str)(void *dst, uint32_t size, const void *src) = (void *)115;
static long (*bpf_ringbuf_output)(void *ring, void *data, uint64_t size,
				  uint64_t flags) = (void *)130;
static long (*bpf_get_task_stack)(void *task, void *buf, uint32_t size,
				  uint64_t flags) = (void *)141;
static void *(*bpf_task_storage_get)(void *map, void *task, void *value,
				     uint64_t flags) = (void *)156;
static struct task_struct *(*bpf_get_current_task_btf)(void) = (void *)158;
static uint64_t (*bpf_get_current_ancestor_cgroup_id)(int level) = (void *)123;
static void *(*bpf_map_lookup_percpu_elem)(void *map, const void *key, uint32_t cpu) = (void *)195;
static long (*bpf_for_each_map_elem)(void *map, void *callback, void *ctx,
				     uint64_t flags) = (void *)164;
static uint64_t (*bpf_ktime_get_ns)(void) = (void *)5;

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

typedef struct {
	uint32_t val;
} kuid_t;

typedef struct {
	uint32_t val;
} kgid_t;

struct cred {
	kuid_t uid;
	kgid_t gid;
};

struct thread_info {
	uint32_t status; /* x86: TS_COMPAT */
};

struct kernfs_node {
	uint64_t id;
};

struct cgroup {
	struct kernfs_node *kn;
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct xol_area {
	uint64_t vaddr;
};

struct mm_struct {
	struct {
		struct xol_area *xol_area;
	} uprobes_state;
};

struct task_struct {
	struct mm_struct *mm;
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	int exit_state;
	int on_cpu;
	int prio;
	int pid;
	int tgid;
	const struct cred *cred;
	struct css_set *cgroups;
	char comm[16];
	uint64_t self_exec_id;
};

#pragma clang attribute pop
