/* SPDX-License-Identifier: Apache-2.0 */
/*
 * BTF without libbpf's index: the section as the kernel exports it, searched in place. For one name
 * or a few structs this is ten times as fast as btf__load_vmlinux_btf() and needs no memory.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The header up to str_len. In newer linux/btf.h struct btf_header has more members, which neither
 * older kernels write nor this code needs. */
enum { BTF_HEADER_BYTES = 24 };

struct btf_raw {
	const uint8_t *types, *types_end;
	const char *strings; /* starts and ends with a NUL */
	uint32_t strings_len;
	void *data; /* the whole section if it is to be unmapped, else NULL */
	size_t data_len;
};

/* Map the file where the kernel supports that (6.16), else read it. 0, -ENOENT, -EACCES, -EINVAL
 * (not BTF of this machine's byte order), other -errno. */
int btf_raw_open(struct btf_raw *b, const char *path);
/* The same for a module, whose type ids and string offsets continue the kernel's. */
int btf_raw_open_split(struct btf_raw *b, const char *path);
/* BTF in memory, which must outlive *b; 4-byte aligned. 0 or -EINVAL. */
int btf_raw_init(struct btf_raw *b, const void *data, size_t len);
/* Also allowed after a failed open. */
void btf_raw_close(struct btf_raw *b);

/* Id of the first type with this name and kind: > 0, -ENOENT, -EINVAL (broken section). */
int btf_raw_find(const struct btf_raw *b, const char *name, uint32_t kind);

enum { BTF_OFFSETS_MOST = 4 };

/* Offsets of up to BTF_OFFSETS_MOST variables in a section (a type of kind DATASEC); -ENOENT for
 * those that it does not have. 0, -EINVAL (broken section). */
int btf_raw_offsets(const struct btf_raw *b, const char *section, const char *const *names,
		    int64_t *offsets, size_t n);

/* Call fn for each type of this kind whose name begins with `prefix`, in the order of their ids,
 * until it returns nonzero (which is returned). 0, -EINVAL (broken section). */
int btf_raw_each(const struct btf_raw *b, uint32_t kind, const char *prefix,
		 int (*fn)(const char *name, uint32_t id, void *ctx), void *ctx);

/* A BTF section for CO-RE with only the named structs and unions (without "___flavour") and the
 * types that they contain by value. Qualifiers and typedefs are dropped, enums lose their values,
 * pointers point to void. Names that do not exist are left out, as they are missing from full BTF.
 * *out is to be free()d. 0, -EINVAL, -ENOMEM. */
int btf_raw_cut(const struct btf_raw *b, const char *const *names, size_t n, void **out,
		size_t *out_len);
