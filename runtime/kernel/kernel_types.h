/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hooks of struct kernel about types: functions, iterators and types of C, from the BTF of the
 * running kernel, its modules and loaded BPF programs.
 */
#pragma once
#include "parser/lang/kernel.h"

struct kernel_types;

/* Set these hooks of `k`. */
struct kernel_types *kernel_types_init(struct kernel *k, struct arena *a);
/* In kernel.c: what that returned; and 0 if kernel_btf() is open, or -errno. */
struct kernel_types *kernel_types_of(struct kernel *k);
int kernel_open_btf(struct kernel *k);
/* From now on, no types of modules are found. */
void kernel_types_without_modules(struct kernel_types *t);
/* Free the indexes, not the answers. Must be called before the kernel's section is closed. */
void kernel_types_trim(struct kernel_types *t);
