/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * What every BPF C file includes: libbpf's headers, and the few kernel structs that the helpers
 * read. The structs are declared with preserve_access_index, so that CO-RE relocates the offsets to
 * those of the running kernel when the program is loaded. Integers are declared unsigned, whatever
 * they are in the kernel: libbpf adapts the size of a load only if both sides are unsigned.
 */
#pragma once
#include "bpf_helpers/shared.h"
#include <linux/bpf.h>
#include <linux/errno.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* For functions that are inlined into the programs that call them. They have no debug information,
 * which would cost LLVM milliseconds. INLINE_CORE is for functions that read kernel structs: they
 * need it, because CO-RE relocations are made from it. */
#define INLINE __attribute__((always_inline, nodebug))
#define INLINE_CORE __attribute__((always_inline))

/* For functions that run seldom and are called by other helpers: in long scripts they are not
 * inlined (outlined.def). In other scripts codegen inlines them. In the linked objects, and in that
 * of waiting.bpf.c, they are always inlined. */
#if defined(SONDE_LINKED) || defined(SONDE_WHOLE)
#define OUTLINED INLINE
#else
#define OUTLINED __attribute__((noinline, nodebug))
#endif
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Replaces SEC() of libbpf, which marks its variable as used: LLVM's linker would copy such
 * variables even if nothing refers to them (codegen/helper.c). Maps must be linked only if the
 * script needs them. */
#undef SEC
#define SEC(name) __attribute__((section(name)))

/* For maps of the script's object that linked functions use too: the script's object defines them,
 * the linked objects declare them. */
#ifdef SONDE_LINKED
#define SHARED extern
#else
#define SHARED
#endif

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
	unsigned long flags; /* arm64: TIF_32BIT */
	uint32_t status;     /* x86: TS_COMPAT */
	uint32_t cpu;	     /* since 5.16 */
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
	unsigned long start_code;
	struct {
		struct xol_area *xol_area;
	} uprobes_state;
};

struct task_struct {
	struct mm_struct *mm;
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	unsigned int exit_state;
	unsigned int on_cpu; /* a byte since 7.x */
	unsigned int prio;
	unsigned int pid;
	unsigned int tgid;
	const struct cred *cred;
	struct css_set *cgroups;
	char comm[16];
	uint64_t self_exec_id;
};

#pragma clang attribute pop
