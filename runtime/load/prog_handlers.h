/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Section handlers for libbpf, and the kernel functions that programs call.
 */
#pragma once
#include <stdbool.h>

struct kernel;
struct plan_prog;
struct session;

/* Register the handlers; they refer to `s`. Call it before the object is opened, once in a process:
 * libbpf's list is global. 0 or -errno. */
int prog_handlers_register(struct session *s);
/* BTF id of kernel function number i (SONDE_KFUNC_… less SONDE_KFUNC_FIRST), or -errno. Reads a
 * good part of the kernel's BTF. */
int prog_handlers_kfunc(struct kernel *k, unsigned i);
/* Does the program get a kprobe_multi link? It must be loaded for one. */
bool prog_is_kernel_multi(const struct session *s, const struct plan_prog *g);
