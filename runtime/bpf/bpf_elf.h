/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads an object of BPF in memory: a relocatable 64-bit ELF file, with its .BTF and .BTF.ext. All
 * offsets, sizes and numbers of symbols are checked when it is opened, so its users need no checks
 * of their own. Links alone: it needs no library, and nothing else of sonde.
 */
#pragma once
#include <elf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BPF_INSN_BYTES = sizeof(struct bpf_insn) };

/* Relocations of code: R_BPF_64_64 of two slots, R_BPF_64_32 of a call. */
enum { BPF_ELF_LOAD = 1, BPF_ELF_CALL = 10 };

struct bpf_elf {
	const uint8_t *bytes;
	size_t len;
	const Elf64_Shdr *sections;
	uint32_t n_sections, n_symbols;
	const Elf64_Sym *symbols;
	/* indexes of sections, 0: none */
	uint32_t section_names, symbol_table, symbol_names, btf, btf_ext;
	const char *btf_strings;
	uint32_t btf_string_bytes;
};

/* Open the object. The bytes are aligned to 8 and must outlive *e. NULL, or why it cannot be read,
 * to be shown behind its name. */
const char *bpf_elf_open(struct bpf_elf *e, const void *bytes, size_t len);

/* The contents of a section: as many bytes as its header says. */
static inline const void *bpf_elf_bytes(const struct bpf_elf *e, uint32_t section)
{
	return e->bytes + e->sections[section].sh_offset;
}

/* "" for a number that is no section. */
const char *bpf_elf_section_name(const struct bpf_elf *e, uint32_t section);
const char *bpf_elf_symbol_name(const struct bpf_elf *e, const Elf64_Sym *s);
/* The index of the section of that name; 0: there is none. */
uint32_t bpf_elf_find(const struct bpf_elf *e, const char *name);
/* True if the section has instructions; false also for a number that is no section. */
bool bpf_elf_is_code(const struct bpf_elf *e, uint32_t section);
/* True for a function that the object has; its instructions lie within its section. */
bool bpf_elf_is_function(const struct bpf_elf *e, const Elf64_Sym *s);
/* The *n relocations of a section; none if it is not of code. */
const Elf64_Rel *bpf_elf_relocations(const struct bpf_elf *e, uint32_t section, uint32_t *n);
/* Where a relocation of the section leads, in the section of its symbol, in bytes. */
uint64_t bpf_elf_target(const struct bpf_elf *e, uint32_t section, const Elf64_Rel *rel);
/* A string of .BTF; "" if there is none at that offset. */
const char *bpf_elf_string(const struct bpf_elf *e, uint32_t at);

/* Parts of .BTF.ext: struct bpf_line_info, struct bpf_core_relo. */
enum bpf_elf_part { BPF_ELF_LINES, BPF_ELF_CORE };
/* Takes a record about an instruction, by its index in a section of code. */
typedef void bpf_elf_record_fn(void *ctx, uint32_t section, uint32_t insn, const void *record);
/* Call fn for each record of a part, in the order of the file. */
void bpf_elf_each(const struct bpf_elf *e, enum bpf_elf_part part, bpf_elf_record_fn *fn,
		  void *ctx);
