/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See bpf_elf.h.
 */
#include "runtime/bpf/bpf_elf.h"
#include <linux/btf.h>
#include <string.h>

/* ---- opening ----------------------------------------------------------------------------- */

static bool is_within(uint64_t at, uint64_t n, uint64_t len)
{
	return at <= len && n <= len - at;
}

static bool is_object(const Elf64_Ehdr *h, size_t len)
{
	return len >= sizeof(*h) && memcmp(h->e_ident, ELFMAG, SELFMAG) == 0 &&
	       h->e_ident[EI_CLASS] == ELFCLASS64 && h->e_ident[EI_DATA] == ELFDATA2LSB &&
	       h->e_machine == EM_BPF && h->e_type == ET_REL;
}

/* True for a table of strings whose last one ends. */
static bool is_strings(const struct bpf_elf *e, uint32_t section)
{
	const Elf64_Shdr *h = section < e->n_sections ? &e->sections[section] : NULL;
	const char *bytes = h ? bpf_elf_bytes(e, section) : NULL;

	return h && h->sh_type == SHT_STRTAB && h->sh_size && !bytes[h->sh_size - 1];
}

/* Note a section that there is once. */
static bool note(uint32_t *index, uint32_t section, bool is_aligned)
{
	if (*index || !is_aligned)
		return false;
	*index = section;
	return true;
}

static bool read_section(struct bpf_elf *e, uint32_t i)
{
	const Elf64_Shdr *h = &e->sections[i];
	const char *name = bpf_elf_section_name(e, i);

	if (h->sh_type == SHT_NOBITS)
		return true;
	if (bpf_elf_is_code(e, i) || h->sh_type == SHT_REL)
		return h->sh_offset % 8 == 0 && h->sh_size % 8 == 0;
	if (h->sh_type == SHT_SYMTAB) {
		e->symbols = bpf_elf_bytes(e, i);
		e->n_symbols = (uint32_t)(h->sh_size / sizeof(*e->symbols));
		e->symbol_names = h->sh_link;
		return note(&e->symbol_table, i, h->sh_offset % 8 == 0) &&
		       is_strings(e, h->sh_link);
	}
	if (strcmp(name, ".BTF") == 0)
		return note(&e->btf, i, h->sh_offset % 4 == 0);
	return strcmp(name, ".BTF.ext") != 0 || note(&e->btf_ext, i, h->sh_offset % 4 == 0);
}

static bool read_sections(struct bpf_elf *e, const Elf64_Ehdr *h)
{
	if (!h->e_shnum || h->e_shentsize != sizeof(*e->sections) || h->e_shoff % 8 ||
	    !is_within(h->e_shoff, (uint64_t)h->e_shnum * sizeof(*e->sections), e->len))
		return false;
	e->sections = (const void *)(e->bytes + h->e_shoff);
	e->n_sections = h->e_shnum;
	e->section_names = h->e_shstrndx;
	for (uint32_t i = 0; i < e->n_sections; i++)
		if (e->sections[i].sh_type != SHT_NOBITS &&
		    !is_within(e->sections[i].sh_offset, e->sections[i].sh_size, e->len))
			return false;
	if (!is_strings(e, e->section_names))
		return false;
	for (uint32_t i = 1; i < e->n_sections; i++)
		if (!read_section(e, i))
			return false;
	return true;
}

static bool are_functions_good(const struct bpf_elf *e)
{
	for (uint32_t i = 0; i < e->n_symbols; i++) {
		const Elf64_Sym *s = &e->symbols[i];

		if (bpf_elf_is_function(e, s) &&
		    ((s->st_value | s->st_size) % BPF_INSN_BYTES ||
		     !is_within(s->st_value, s->st_size, e->sections[s->st_shndx].sh_size)))
			return false;
	}
	return true;
}

static bool are_relocations_good(const struct bpf_elf *e, uint32_t section)
{
	uint32_t n;
	const Elf64_Rel *rel = bpf_elf_relocations(e, section, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint64_t bytes = BPF_INSN_BYTES << (ELF64_R_TYPE(rel[i].r_info) == BPF_ELF_LOAD);

		if (rel[i].r_offset % BPF_INSN_BYTES ||
		    !is_within(rel[i].r_offset, bytes, e->sections[section].sh_size) ||
		    ELF64_R_SYM(rel[i].r_info) >= e->n_symbols)
			return false;
	}
	return true;
}

/* Without strings, .BTF.ext has no records: it names sections by them. */
static void find_strings(struct bpf_elf *e)
{
	const struct btf_header *h = bpf_elf_bytes(e, e->btf);
	uint64_t len = e->sections[e->btf].sh_size, at;

	if (!e->btf || len < sizeof(*h))
		return;
	at = (uint64_t)h->hdr_len + h->str_off;
	if (!h->str_len || !is_within(at, h->str_len, len))
		return;
	e->btf_strings = (const char *)h + at;
	if (!e->btf_strings[h->str_len - 1])
		e->btf_string_bytes = h->str_len;
}

const char *bpf_elf_open(struct bpf_elf *e, const void *bytes, size_t len)
{
	*e = (struct bpf_elf){.bytes = bytes, .len = len};
	if (!is_object(bytes, len))
		return "it is not an object file of BPF";
	if (!read_sections(e, bytes) || !are_functions_good(e))
		return "it is damaged";
	for (uint32_t i = 0; i < e->n_sections; i++)
		if (!are_relocations_good(e, i))
			return "it is damaged";
	find_strings(e);
	return e->symbols ? NULL : "it has no symbols";
}

/* ---- sections and symbols ---------------------------------------------------------------- */

static const char *string_at(const struct bpf_elf *e, uint32_t section, uint32_t at)
{
	return at < e->sections[section].sh_size ? (const char *)bpf_elf_bytes(e, section) + at
						 : "";
}

const char *bpf_elf_section_name(const struct bpf_elf *e, uint32_t section)
{
	return section < e->n_sections
		       ? string_at(e, e->section_names, e->sections[section].sh_name)
		       : "";
}

const char *bpf_elf_symbol_name(const struct bpf_elf *e, const Elf64_Sym *s)
{
	return string_at(e, e->symbol_names, s->st_name);
}

uint32_t bpf_elf_find(const struct bpf_elf *e, const char *name)
{
	for (uint32_t i = 1; i < e->n_sections; i++)
		if (strcmp(bpf_elf_section_name(e, i), name) == 0)
			return i;
	return 0;
}

bool bpf_elf_is_code(const struct bpf_elf *e, uint32_t section)
{
	return section < e->n_sections && e->sections[section].sh_type == SHT_PROGBITS &&
	       e->sections[section].sh_flags & SHF_EXECINSTR;
}

bool bpf_elf_is_function(const struct bpf_elf *e, const Elf64_Sym *s)
{
	return ELF64_ST_TYPE(s->st_info) == STT_FUNC && bpf_elf_is_code(e, s->st_shndx);
}

const Elf64_Rel *bpf_elf_relocations(const struct bpf_elf *e, uint32_t section, uint32_t *n)
{
	for (uint32_t i = 1; bpf_elf_is_code(e, section) && i < e->n_sections; i++)
		if (e->sections[i].sh_type == SHT_REL && e->sections[i].sh_info == section) {
			*n = (uint32_t)(e->sections[i].sh_size / sizeof(Elf64_Rel));
			return bpf_elf_bytes(e, i);
		}
	*n = 0;
	return NULL;
}

uint64_t bpf_elf_target(const struct bpf_elf *e, uint32_t section, const Elf64_Rel *rel)
{
	const uint8_t *code = bpf_elf_bytes(e, section);
	const struct bpf_insn *insn = (const void *)(code + rel->r_offset);
	int64_t by = ELF64_R_TYPE(rel->r_info) == BPF_ELF_CALL
			     ? ((int64_t)insn->imm + 1) * BPF_INSN_BYTES
			     : insn->imm;

	return e->symbols[ELF64_R_SYM(rel->r_info)].st_value + (uint64_t)by;
}

/* ---- .BTF.ext ---------------------------------------------------------------------------- */

const char *bpf_elf_string(const struct bpf_elf *e, uint32_t at)
{
	return at < e->btf_string_bytes ? e->btf_strings + at : "";
}

/* The header, as far as it is needed. */
struct ext_header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t hdr_len;
	struct {
		uint32_t at, len;
	} functions, lines, core;
};

/* A part has the size of a record, then for each section its name, the number of records, and
 * these. A record begins with the offset of its instruction. */
static void each_record(const struct bpf_elf *e, const uint8_t *at, const uint8_t *end,
			size_t least, bpf_elf_record_fn *fn, void *ctx)
{
	uint32_t size, head[2], offset;

	if ((size_t)(end - at) < sizeof(size))
		return;
	memcpy(&size, at, sizeof(size));
	at += sizeof(size);
	while (size >= least && size % 4 == 0 && (size_t)(end - at) >= sizeof(head)) {
		uint32_t section;

		memcpy(head, at, sizeof(head));
		at += sizeof(head);
		section = bpf_elf_find(e, bpf_elf_string(e, head[0]));
		for (; head[1] && (size_t)(end - at) >= size; head[1]--, at += size) {
			memcpy(&offset, at, sizeof(offset));
			if (bpf_elf_is_code(e, section) && offset < e->sections[section].sh_size)
				fn(ctx, section, offset / BPF_INSN_BYTES, at);
		}
	}
}

void bpf_elf_each(const struct bpf_elf *e, enum bpf_elf_part part, bpf_elf_record_fn *fn, void *ctx)
{
	bool is_core = part == BPF_ELF_CORE;
	const uint8_t *bytes = bpf_elf_bytes(e, e->btf_ext);
	uint64_t len = e->sections[e->btf_ext].sh_size, from;
	size_t least = is_core ? sizeof(struct bpf_core_relo) : sizeof(struct bpf_line_info);
	struct ext_header h = {0};
	uint32_t at, n;

	if (!e->btf_ext || len < offsetof(struct ext_header, core))
		return;
	memcpy(&h, bytes, len < sizeof(h) ? len : sizeof(h));
	if (is_core && h.hdr_len < sizeof(h)) /* of an older compiler */
		return;
	at = is_core ? h.core.at : h.lines.at;
	n = is_core ? h.core.len : h.lines.len;
	from = (uint64_t)h.hdr_len + at;
	if (from % 4 == 0 && is_within(from, n, len))
		each_record(e, bytes + from, bytes + from + n, least, fn, ctx);
}
