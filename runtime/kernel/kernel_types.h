/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed functions from the BTF of the running kernel, its modules and loaded BPF programs: the
 * hooks typed, each_typed and each_bpf_function of parser/lang/kernel.h.
 */
#pragma once
#include "parser/lang/kernel.h"
#include "runtime/btf/btf_raw.h"

struct kernel_types;

/* Without modules, none of their types is found. */
struct kernel_types *kernel_types_new(bool with_modules);
/* Free the indexes, not the answers. Must be called before the kernel's section is closed. */
void kernel_types_trim(struct kernel_types *t);
void kernel_types_free(struct kernel_types *t);
/* `vmlinux` is the kernel's section, open until kernel_types_trim. */
int kernel_types_find(struct kernel_types *t, const struct btf_raw *vmlinux, enum typed_kind kind,
		      const char *module, const char *name, const struct typed_function **out);
int kernel_types_each(struct kernel_types *t, const struct btf_raw *vmlinux, enum typed_kind kind,
		      const char *module, kernel_name_fn fn, void *ctx);
int kernel_types_each_bpf(struct kernel_types *t, typed_function_fn fn, void *ctx);
/* The hooks c_type, c_constant and each_c_type. */
int kernel_types_c_type(struct kernel_types *t, const struct btf_raw *vmlinux, enum c_kind kind,
			const char *name, const struct type **out);
int kernel_types_constant(struct kernel_types *t, const struct btf_raw *vmlinux, const char *name,
			  const struct type **out, int64_t *value);
int kernel_types_each_c_type(struct kernel_types *t, const struct btf_raw *vmlinux,
			     enum c_kind kind, kernel_name_fn fn, void *ctx);
