/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The running kernel: tracefs (through a detached mount when none is mounted), the raw BTF section,
 * kallsyms, PMUs. Everything is read at its first use.
 */
#pragma once
#include "parser/lang/kernel.h"

/* A struct kernel for the running kernel. Never NULL. */
struct kernel *kernel_open(void);
/* Also for one of facts_file_open(). NULL is allowed. */
void kernel_close(struct kernel *k);

/* The functions below return -ENOSYS for a struct kernel of facts_file_open(). */

/* BTF id in vmlinux of the type `name` of kind `kind` (BTF_KIND_TYPEDEF, …): > 0, -ENOENT, or
 * -errno when there is no BTF. Scans the raw section: about 1 ms, no index, no memory. */
int kernel_btf_id(struct kernel *k, const char *name, uint32_t kind);

/* Offsets of per-CPU variables in the memory of each CPU, as btf_raw_offsets(); -ENOSYS: there is
 * no BTF. */
int kernel_variables(struct kernel *k, const char *const *names, int64_t *offsets, size_t n);

/* vmlinux's raw BTF, open until kernel_trim() or kernel_close(); NULL when there is none. */
const struct btf_raw *kernel_btf(struct kernel *k);

/* vmlinux's BTF with its index; NULL when there is none. */
const struct btf_types *kernel_btf_types(struct kernel *k);
/* The BTF section that has the function "NAME" or "MODULE:NAME", and the function's id in it; 0:
 * none has it. */
const struct btf_types *kernel_btf_function(struct kernel *k, const char *name, uint32_t *id);

/* A BTF file with only the named structs and the types that they contain, cut out of vmlinux's BTF,
 * for libbpf's btf_custom_path: CO-RE relocation without loading all of the kernel's BTF (13 ms,
 * 39 MiB). The descriptor of a memfd, to be closed by the caller, or -errno. */
int kernel_btf_cut(struct kernel *k, const char *const *structs, size_t n);

/* Descriptor of the BTF object of a module, to be closed by the caller; -ESRCH, -errno. */
int kernel_module_btf(const char *module);

/* Types are those of another kernel from now on, whose BTF is in a file; it has no modules. The
 * descriptor is owned by k. */
void kernel_use_types(struct kernel *k, int fd);

/* Directory descriptor of tracefs, for openat; -errno. Owned by k. */
int kernel_tracefs(struct kernel *k);

/* Unmap vmlinux's BTF and close the last ELF file after start-up (before 6.16 the BTF is a copy of
 * 5 to 7 MB). Both are opened again when needed. */
void kernel_trim(struct kernel *k);

/* The hook kernel_offset of struct kernel. */
int kernel_offset(struct kernel *k, const char *name, uint64_t offset, uint64_t *size);
/* Are there several functions of that name, which may be MODULE:NAME? It reads all symbols. */
bool kernel_function_is_ambiguous(const char *name);
