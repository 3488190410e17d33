/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the object: the instructions of all executable sections, one after the other, with the
 * addresses of maps, data and functions filled in; the line of the script that an instruction comes
 * from; and which instructions read a field of a kernel struct. The interpreter has one such
 * struct, task_struct. The files of bpf_helpers declare it several times, each with only the fields
 * that the file reads. Each declaration has its own part of the thread's memory, in which fields
 * have the offsets of that declaration (task.c).
 */
#include "runtime/bpf/bpf_elf.h"
#include "runtime/interp/interp_impl.h"
#include <bpf/btf.h>
#include <stdio.h>

struct image {
	struct interp *p;
	struct bpf_elf elf;
	struct btf *btf;
	uint32_t *firsts; /* by section of code: the index of its first instruction */
};

static int read_code(struct image *im)
{
	const struct bpf_elf *e = &im->elf;
	struct interp *p = im->p;
	uint64_t bytes = BPF_INSN_BYTES; /* sections may overlap: no sum is that of the file */

	for (uint32_t i = 0; i < e->n_sections; i++)
		if (bpf_elf_is_code(e, i))
			bytes += e->sections[i].sh_size;
	im->firsts = calloc(e->n_sections, sizeof(*im->firsts));
	p->insns = calloc(bytes / BPF_INSN_BYTES, sizeof(*p->insns));
	if (!im->firsts || !p->insns)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->n_sections; i++) {
		if (!bpf_elf_is_code(e, i))
			continue;
		im->firsts[i] = p->n_insns;
		memcpy(p->insns + p->n_insns, bpf_elf_bytes(e, i), e->sections[i].sh_size);
		p->n_insns += (uint32_t)(e->sections[i].sh_size / BPF_INSN_BYTES);
	}
	return 0;
}

/* The index of the instruction at an offset in a section. */
static uint32_t insn_at(const struct image *im, uint32_t section, uint64_t offset)
{
	return im->firsts[section] + (uint32_t)(offset / BPF_INSN_BYTES);
}

static int read_functions(struct image *im)
{
	const struct bpf_elf *e = &im->elf;
	struct interp *p = im->p;

	p->symbols = calloc(e->n_symbols + 1, sizeof(*p->symbols));
	if (!p->symbols)
		return -ENOMEM;
	for (uint32_t i = 0; i < e->n_symbols; i++) {
		const Elf64_Sym *s = &e->symbols[i];

		if (!bpf_elf_is_function(e, s))
			continue;
		snprintf(p->symbols[p->n_symbols].name, INTERP_NAME, "%s",
			 bpf_elf_symbol_name(e, s));
		p->symbols[p->n_symbols++].at = insn_at(im, s->st_shndx, s->st_value);
	}
	return 0;
}

/* ---- relocations -------------------------------------------------------------------------- */

static int set_long(struct bpf_insn *insn, uint64_t v)
{
	insn[0].imm = (int32_t)v;
	insn[1].imm = (int32_t)(v >> 32);
	insn[0].src_reg = 0;
	return 0;
}

/* The map of a data section: its name ends with that of the section. */
static const struct interp_map *data_map(const struct image *im, uint32_t section)
{
	const char *name = bpf_elf_section_name(&im->elf, section), *dot;

	for (uint32_t i = 0; i < im->p->n_maps; i++) {
		dot = strchr(im->p->maps[i].name, '.');
		if (dot && strcmp(dot, name) == 0)
			return &im->p->maps[i];
	}
	return NULL;
}

static int relocate(struct image *im, uint32_t section, const Elf64_Rel *rel)
{
	const Elf64_Sym *s = &im->elf.symbols[ELF64_R_SYM(rel->r_info)];
	uint32_t at = insn_at(im, section, rel->r_offset), type = ELF64_R_TYPE(rel->r_info);
	uint64_t target = bpf_elf_target(&im->elf, section, rel);
	bool is_code = bpf_elf_is_code(&im->elf, s->st_shndx);
	struct bpf_insn *insn = &im->p->insns[at];
	const struct interp_map *m;

	if (type == BPF_ELF_CALL && is_code) {
		insn->imm = (int32_t)(insn_at(im, s->st_shndx, target) - at - 1);
		return 0;
	}
	if (type != BPF_ELF_LOAD)
		return -ENOTSUP;
	if (is_code)
		return set_long(insn, INTERP_TAG_CODE << 48 | insn_at(im, s->st_shndx, target));
	m = interp_map_find(im->p, bpf_elf_symbol_name(&im->elf, s));
	if (m && ELF64_ST_TYPE(s->st_info) == STT_OBJECT && !strchr(m->name, '.'))
		return set_long(insn, INTERP_TAG_MAP << 48 | (uint64_t)(m - im->p->maps));
	m = data_map(im, s->st_shndx);
	return m ? set_long(insn, interp_address(m->region, target)) : -ENOTSUP;
}

static int relocate_all(struct image *im)
{
	int err = 0;

	for (uint32_t i = 0; i < im->elf.n_sections; i++) {
		uint32_t n;
		const Elf64_Rel *rel = bpf_elf_relocations(&im->elf, i, &n);

		for (uint32_t j = 0; j < n && !err; j++)
			err = relocate(im, i, &rel[j]);
	}
	return err;
}

/* ---- .BTF.ext ------------------------------------------------------------------------------ */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

/* Add a line. Lines of bpf_helpers are left out, since they are not lines of the script. */
static void add_line(void *ctx, uint32_t section, uint32_t insn, const void *record)
{
	const struct bpf_line_info *line = record;
	struct image *im = ctx;

	if (!ends_with(bpf_elf_string(&im->elf, line->file_name_off), ".c") &&
	    BPF_LINE_INFO_LINE_NUM(line->line_col))
		im->p->lines[im->p->n_lines++] =
			(struct code_line){.at = im->firsts[section] + insn,
					   .line = BPF_LINE_INFO_LINE_NUM(line->line_col),
					   .column = BPF_LINE_INFO_LINE_COL(line->line_col)};
}

/* Move a field to the part of the thread's memory that its declaration has. */
static void move_field(void *ctx, uint32_t section, uint32_t index, const void *record)
{
	const struct bpf_core_relo *core = record;
	struct image *im = ctx;
	struct bpf_insn *insn = &im->p->insns[im->firsts[section] + index];
	uint32_t by;

	if (core->kind != BPF_CORE_FIELD_BYTE_OFFSET)
		return;
	by = task_kind_offset(im->btf, core->type_id);
	if (BPF_CLASS(insn->code) == BPF_LDX || BPF_CLASS(insn->code) == BPF_STX)
		insn->off = (int16_t)(insn->off + (int16_t)by);
	else
		insn->imm += (int32_t)by;
}

COMPARE(by_instruction, struct code_line, ORDER(a->at, b->at))

static int read_btf(struct image *im)
{
	const struct bpf_elf *e = &im->elf;
	struct interp *p = im->p;

	if (!e->btf)
		return 0;
	im->btf = btf__new(bpf_elf_bytes(e, e->btf), (uint32_t)e->sections[e->btf].sh_size);
	p->lines = calloc(e->sections[e->btf_ext].sh_size / sizeof(struct bpf_line_info) + 1,
			  sizeof(*p->lines));
	if (!im->btf || !p->lines)
		return -ENOMEM;
	bpf_elf_each(e, BPF_ELF_LINES, add_line, im);
	bpf_elf_each(e, BPF_ELF_CORE, move_field, im);
	qsort(p->lines, p->n_lines, sizeof(*p->lines), by_instruction);
	return 0;
}

int interp_read_image(struct interp *p, const void *elf, size_t len)
{
	struct image im = {.p = p};
	int err = bpf_elf_open(&im.elf, elf, len) ? -EINVAL : 0;

	if (!err)
		err = read_code(&im) ?: read_functions(&im) ?: relocate_all(&im);
	if (!err)
		err = read_btf(&im) ?: interp_make_task(p, im.btf);
	btf__free(im.btf);
	free(im.firsts);
	return err;
}

void interp_free_image(struct interp *p)
{
	free(p->insns);
	free(p->symbols);
	free(p->lines);
}

const struct code_line *interp_line_of(const struct interp *p, uint32_t at)
{
	const struct code_line *found = NULL;

	for (uint32_t i = 0; i < p->n_lines && p->lines[i].at <= at; i++)
		found = &p->lines[i];
	return found;
}
