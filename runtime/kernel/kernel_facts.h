/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about the running kernel, read straight from where it keeps them and only when asked for:
 * tracefs (through a detached mount when none is mounted), the raw BTF section, kallsyms, PMUs.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "parser/lang/kernel.h"

/* The real answers to parser/lang/kernel.h. Never NULL. */
struct kernel *kernel_open(void);
/* Closes that of facts_file_open() too. */
void kernel_close(struct kernel *k);

/* The calls below need the running kernel: one that answers from a file gives -ENOSYS. */

/* BTF id in vmlinux of the type `name` of BTF kind `kind` (BTF_KIND_TYPEDEF, …): > 0, -ENOENT, or
 * -errno when there is no BTF. Scans the raw section: about 1 ms, no index, no memory. */
int kernel_btf_id(struct kernel *k, const char *name, uint32_t kind);

/* vmlinux's raw BTF, open until kernel_trim() or kernel_close(); NULL when there is none. */
const struct btf_raw *kernel_btf(struct kernel *k);

/* A BTF file that holds just the structs named and what their members need, cut out of vmlinux's,
 * in a memfd (the descriptor, to be closed by the caller), for libbpf's btf_custom_path: CO-RE
 * relocation without loading all of the kernel's BTF (13 ms, 39 MiB). -errno. */
int kernel_btf_cut(struct kernel *k, const char *const *structs, size_t n);

/* Descriptor of the BTF object of a module, to be closed by the caller; -ESRCH, -errno. */
int kernel_module_btf(const char *module);

/* Directory descriptor of tracefs, for openat; -errno. Owned by k. */
int kernel_tracefs(struct kernel *k);

/* Unmap vmlinux's BTF and close the last ELF file, once start-up is over (before 6.16 BTF is a copy
 * of 5 to 7 MB). What is asked for later is opened again. */
void kernel_trim(struct kernel *k);

/* Answers kernel_offset of parser/lang/kernel.h. */
int kernel_offset(struct kernel *k, const char *name, uint64_t offset, uint64_t *size);

/* True when the running kernel's release is at least MAJOR.MINOR. */
bool kernel_is_at_least(unsigned major, unsigned minor);
