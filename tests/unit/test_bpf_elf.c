/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reader of objects of BPF (runtime/bpf/bpf_elf.h), alone: an object that the test puts together
 * is read as it is, and one that is damaged is refused or has nothing outside of itself.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "runtime/bpf/bpf_elf.h"
#include <linux/btf.h>
#include <stdlib.h>
#include <string.h>

enum { CODE = 1, RELOCATIONS, SYMBOLS, BTF, EXT, NAMES, N_SECTIONS };

#define STRINGS "\0code\0a.bt\0text"
#define SECTION_NAMES "\0code\0.relcode\0.symtab\0.BTF\0.BTF.ext\0.strtab\0main\0data"

struct image {
	Elf64_Ehdr head;
	Elf64_Shdr sections[N_SECTIONS];
	struct bpf_insn code[5];
	Elf64_Rel relocations[2];
	Elf64_Sym symbols[3];
	struct {
		struct btf_header head;
		char strings[16];
	} btf;
	struct {
		uint32_t magic, hdr_len, at_len[6];
		uint32_t line_size, line_head[2];
		struct bpf_line_info lines[2];
		uint32_t core_size, core_head[2];
		struct bpf_core_relo core;
	} ext;
	char names[64];
};

static void set_section(struct image *m, int i, const char *name, uint32_t type, const void *at,
			size_t size)
{
	const char *names = m->names;

	while (strcmp(names, name) != 0)
		names += strlen(names) + 1;
	m->sections[i] = (Elf64_Shdr){.sh_name = (uint32_t)(names - m->names),
				      .sh_type = type,
				      .sh_offset = (uint64_t)((const char *)at - (char *)m),
				      .sh_size = size};
}

static void make(struct image *m)
{
	const struct bpf_insn load = {.code = BPF_LD | BPF_IMM | BPF_DW, .imm = 8};
	const struct bpf_insn call = {.code = BPF_JMP | BPF_CALL,
				      .src_reg = BPF_PSEUDO_CALL,
				      .imm = 1};

	*m = (struct image){.head = {.e_machine = EM_BPF,
				     .e_type = ET_REL,
				     .e_shentsize = sizeof(*m->sections),
				     .e_shstrndx = NAMES,
				     .e_shnum = N_SECTIONS,
				     .e_shoff = offsetof(struct image, sections)},
			    .code = {load, {0}, call, {0}, {.code = BPF_JMP | BPF_EXIT}},
			    .names = SECTION_NAMES};
	memcpy(m->head.e_ident, ELFMAG, SELFMAG);
	m->head.e_ident[EI_CLASS] = ELFCLASS64;
	m->head.e_ident[EI_DATA] = ELFDATA2LSB;
	m->relocations[0] = (Elf64_Rel){0, ELF64_R_INFO(2, BPF_ELF_LOAD)};
	m->relocations[1] = (Elf64_Rel){16, ELF64_R_INFO(1, BPF_ELF_CALL)};
	m->symbols[1] = (Elf64_Sym){.st_name = 45,
				    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
				    .st_shndx = CODE,
				    .st_size = sizeof(m->code)};
	m->symbols[2] = (Elf64_Sym){.st_name = 50, .st_value = 4};
	m->btf.head = (struct btf_header){.magic = BTF_MAGIC,
					  .hdr_len = sizeof(m->btf.head),
					  .str_len = sizeof(STRINGS)};
	memcpy(m->btf.strings, STRINGS, sizeof(STRINGS));
	m->ext.hdr_len = 32;
	m->ext.at_len[2] = 0;
	m->ext.at_len[3] = 12 + sizeof(m->ext.lines);
	m->ext.at_len[4] = m->ext.at_len[3];
	m->ext.at_len[5] = 12 + sizeof(m->ext.core);
	m->ext.line_size = sizeof(*m->ext.lines);
	m->ext.core_size = sizeof(m->ext.core);
	m->ext.line_head[0] = m->ext.core_head[0] = 1;
	m->ext.line_head[1] = 2;
	m->ext.core_head[1] = 1;
	m->ext.lines[0] = (struct bpf_line_info){.file_name_off = 6, .line_col = 3 << 10 | 7};
	m->ext.lines[1] = (struct bpf_line_info){.insn_off = 32, .file_name_off = 6};
	m->ext.core = (struct bpf_core_relo){.insn_off = 16, .type_id = 5};
	set_section(m, CODE, "code", SHT_PROGBITS, m->code, sizeof(m->code));
	m->sections[CODE].sh_flags = SHF_EXECINSTR;
	set_section(m, RELOCATIONS, ".relcode", SHT_REL, m->relocations, sizeof(m->relocations));
	m->sections[RELOCATIONS].sh_info = CODE;
	set_section(m, SYMBOLS, ".symtab", SHT_SYMTAB, m->symbols, sizeof(m->symbols));
	m->sections[SYMBOLS].sh_link = NAMES;
	set_section(m, BTF, ".BTF", SHT_PROGBITS, &m->btf, sizeof(m->btf));
	set_section(m, EXT, ".BTF.ext", SHT_PROGBITS, &m->ext, sizeof(m->ext));
	set_section(m, NAMES, ".strtab", SHT_STRTAB, m->names, sizeof(m->names));
}

/* What was read last, and the number of records. */
struct seen {
	const struct bpf_elf *elf;
	uint32_t n, insn;
	uint64_t sum;
};

static void see_line(void *ctx, uint32_t section, uint32_t insn, const void *record)
{
	const struct bpf_line_info *line = record;
	struct seen *s = ctx;

	s->n++;
	s->insn = insn;
	s->sum += section + strlen(bpf_elf_string(s->elf, line->file_name_off)) + line->line_col;
}

static void see_core(void *ctx, uint32_t section, uint32_t insn, const void *record)
{
	const struct bpf_core_relo *core = record;
	struct seen *s = ctx;

	s->n++;
	s->insn = insn;
	s->sum += section + core->type_id;
}

/* Read all there is. */
static uint64_t walk(const struct bpf_elf *e)
{
	struct seen s = {.elf = e};

	for (uint32_t i = 0; i < e->n_symbols; i++)
		s.sum += strlen(bpf_elf_symbol_name(e, &e->symbols[i])) +
			 bpf_elf_is_function(e, &e->symbols[i]);
	for (uint32_t i = 0; i < e->n_sections; i++) {
		const Elf64_Rel *rel;
		uint32_t n;

		s.sum += strlen(bpf_elf_section_name(e, i));
		if (!bpf_elf_is_code(e, i))
			continue;
		rel = bpf_elf_relocations(e, i, &n);
		for (uint32_t j = 0; j < n; j++)
			s.sum += bpf_elf_target(e, i, &rel[j]);
	}
	bpf_elf_each(e, BPF_ELF_LINES, see_line, &s);
	bpf_elf_each(e, BPF_ELF_CORE, see_core, &s);
	return s.sum;
}

static void test_read(void **state)
{
	struct image m;
	struct bpf_elf e;
	struct seen s = {.elf = &e};
	const Elf64_Rel *rel;
	uint32_t n;

	(void)state;
	make(&m);
	assert_null(bpf_elf_open(&e, &m, sizeof(m)));
	assert_int_equal(bpf_elf_find(&e, ".BTF.ext"), EXT);
	assert_int_equal(bpf_elf_find(&e, "none"), 0);
	assert_true(bpf_elf_is_code(&e, CODE) && !bpf_elf_is_code(&e, BTF));
	assert_true(bpf_elf_is_function(&e, &e.symbols[1]));
	assert_string_equal(bpf_elf_symbol_name(&e, &e.symbols[1]), "main");
	assert_string_equal(bpf_elf_symbol_name(&e, &e.symbols[2]), "data");
	rel = bpf_elf_relocations(&e, CODE, &n);
	assert_int_equal(n, 2);
	assert_int_equal(bpf_elf_target(&e, CODE, &rel[0]), 4 + 8);
	assert_int_equal(bpf_elf_target(&e, CODE, &rel[1]), 2 * 8);
	bpf_elf_each(&e, BPF_ELF_LINES, see_line, &s);
	assert_int_equal(s.n, 2);
	assert_int_equal(s.insn, 4);
	assert_int_equal(s.sum, 2 * (CODE + 4) + (3 << 10 | 7));
	bpf_elf_each(&e, BPF_ELF_CORE, see_core, &s);
	assert_int_equal(s.n, 3);
	assert_int_equal(s.insn, 2);
}

static void test_refused(void **state)
{
	struct image m;
	struct bpf_elf e;

	(void)state;
	make(&m);
	assert_string_equal(bpf_elf_open(&e, &m, 10), "it is not an object file of BPF");
	assert_string_equal(bpf_elf_open(&e, &m, sizeof(m) - 1), "it is damaged");
	m.head.e_machine = EM_X86_64;
	assert_string_equal(bpf_elf_open(&e, &m, sizeof(m)), "it is not an object file of BPF");
	make(&m);
	m.sections[SYMBOLS].sh_type = SHT_PROGBITS;
	m.sections[RELOCATIONS].sh_type = SHT_PROGBITS;
	assert_string_equal(bpf_elf_open(&e, &m, sizeof(m)), "it has no symbols");
	make(&m);
	m.relocations[1].r_offset = sizeof(m.code);
	assert_string_equal(bpf_elf_open(&e, &m, sizeof(m)), "it is damaged");
}

/* Each byte in turn has other values; the object ends where its memory does. */
static void test_damaged(void **state)
{
	static const uint8_t changes[] = {0xff, 0x01, 0x80, 0x08, 0x7f};
	struct image *m = malloc(sizeof(*m));
	uint32_t n_read = 0;
	struct bpf_elf e;

	(void)state;
	for (size_t at = 0; at < sizeof(*m); at++)
		for (size_t i = 0; i < sizeof(changes); i++) {
			make(m);
			((uint8_t *)m)[at] ^= changes[i];
			if (!bpf_elf_open(&e, m, sizeof(*m))) {
				walk(&e);
				n_read++;
			}
		}
	assert_true(n_read > 100);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
