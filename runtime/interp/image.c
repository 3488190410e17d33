/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the object: the instructions of all executable sections, one after the other, with the
 * addresses of maps, data and functions filled in.
 */
#include "runtime/interp/interp_impl.h"
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { R_LD64 = 1, R_CALL = 10 }; /* R_BPF_64_64, R_BPF_64_32 */

struct image {
	struct interp *p;
	Elf *elf;
	Elf_Data *symbols, *btf, *btf_ext;
	size_t n_symbols, strings, names; /* sections of the symbols' and the sections' names */
};

static bool is_code(const GElf_Shdr *h)
{
	return h->sh_type == SHT_PROGBITS && h->sh_flags & SHF_EXECINSTR && h->sh_size;
}

static struct code_section *section_of(const struct interp *p, size_t index)
{
	for (uint32_t i = 0; i < p->n_sections; i++)
		if (p->sections[i].index == index)
			return &p->sections[i];
	return NULL;
}

static int add_code(struct image *im, Elf_Scn *scn, const GElf_Shdr *h)
{
	struct interp *p = im->p;
	const Elf_Data *data = elf_getdata(scn, NULL);
	const char *name = elf_strptr(im->elf, im->names, h->sh_name);
	uint32_t n = (uint32_t)(h->sh_size / sizeof(*p->insns));
	void *insns = realloc(p->insns, (p->n_insns + (size_t)n) * sizeof(*p->insns));
	void *sections = realloc(p->sections, (p->n_sections + 1) * sizeof(*p->sections));

	p->insns = insns ?: p->insns;
	p->sections = sections ?: p->sections;
	if (!insns || !sections || !data || data->d_size < h->sh_size)
		return -ENOMEM;
	memcpy(p->insns + p->n_insns, data->d_buf, n * sizeof(*p->insns));
	p->sections[p->n_sections++] = (struct code_section){.index = (uint32_t)elf_ndxscn(scn),
							     .first = p->n_insns,
							     .n = n,
							     .name = strdup(name ?: "")};
	p->n_insns += n;
	return p->sections[p->n_sections - 1].name ? 0 : -ENOMEM;
}

static int find_sections(struct image *im)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;
	int err = 0;

	while (!err && (scn = elf_nextscn(im->elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &h))
			return -EINVAL;
		name = elf_strptr(im->elf, im->names, h.sh_name) ?: "";
		if (is_code(&h))
			err = add_code(im, scn, &h);
		else if (h.sh_type == SHT_SYMTAB) {
			im->symbols = elf_getdata(scn, NULL);
			im->strings = h.sh_link;
			im->n_symbols = h.sh_entsize ? h.sh_size / h.sh_entsize : 0;
		} else if (strcmp(name, ".BTF") == 0)
			im->btf = elf_getdata(scn, NULL);
		else if (strcmp(name, ".BTF.ext") == 0)
			im->btf_ext = elf_getdata(scn, NULL);
	}
	return err ? err : im->symbols ? 0 : -EINVAL;
}

static int find_functions(struct image *im)
{
	struct interp *p = im->p;
	GElf_Sym sym;

	p->symbols = calloc(im->n_symbols + 1, sizeof(*p->symbols));
	if (!p->symbols)
		return -ENOMEM;
	for (size_t i = 0; i < im->n_symbols; i++) {
		const struct code_section *section;
		const char *name;

		if (!gelf_getsym(im->symbols, (int)i, &sym) ||
		    GELF_ST_TYPE(sym.st_info) != STT_FUNC)
			continue;
		section = section_of(p, sym.st_shndx);
		name = elf_strptr(im->elf, im->strings, sym.st_name);
		if (!section || !name)
			continue;
		snprintf(p->symbols[p->n_symbols].name, INTERP_NAME, "%s", name);
		p->symbols[p->n_symbols++].at =
			section->first + (uint32_t)(sym.st_value / sizeof(struct bpf_insn));
	}
	return 0;
}

/* ---- relocations -------------------------------------------------------------------------- */

static void set_long(struct bpf_insn *insn, uint64_t v)
{
	insn[0].imm = (int32_t)v;
	insn[1].imm = (int32_t)(v >> 32);
	insn[0].src_reg = 0;
}

/* The map of a data section: its name ends with that of the section. */
static const struct interp_map *data_map(const struct image *im, size_t index)
{
	Elf_Scn *scn = elf_getscn(im->elf, index);
	const char *name, *dot;
	GElf_Shdr h;

	if (!scn || !gelf_getshdr(scn, &h))
		return NULL;
	name = elf_strptr(im->elf, im->names, h.sh_name);
	for (uint32_t i = 0; name && i < im->p->n_maps; i++) {
		dot = strchr(im->p->maps[i].name, '.');
		if (dot && strcmp(dot, name) == 0)
			return &im->p->maps[i];
	}
	return NULL;
}

static int relocate_long(const struct image *im, struct bpf_insn *insn, const GElf_Sym *sym,
			 const char *name)
{
	const struct interp_map *m = interp_map_find(im->p, name);
	const struct code_section *code = section_of(im->p, sym->st_shndx);
	uint64_t offset = sym->st_value + (uint32_t)insn->imm;

	if (code) {
		set_long(insn, INTERP_TAG_CODE << 48 | (code->first + offset / sizeof(*insn)));
		return 0;
	}
	if (m && GELF_ST_TYPE(sym->st_info) == STT_OBJECT && !strchr(m->name, '.')) {
		set_long(insn, INTERP_TAG_MAP << 48 | (uint64_t)(m - im->p->maps));
		return 0;
	}
	m = data_map(im, sym->st_shndx);
	if (!m)
		return -ENOTSUP;
	set_long(insn, interp_address(m->region, offset));
	return 0;
}

static int relocate_call(const struct image *im, uint32_t at, const GElf_Sym *sym)
{
	const struct code_section *code = section_of(im->p, sym->st_shndx);
	struct bpf_insn *insn = &im->p->insns[at];
	int64_t target;

	if (!code)
		return -ENOTSUP;
	target = (int64_t)code->first + (int64_t)(sym->st_value / sizeof(*insn)) + insn->imm + 1;
	insn->imm = (int32_t)(target - at - 1);
	return 0;
}

static int relocate(const struct image *im, const struct code_section *code, const GElf_Rel *rel)
{
	uint32_t at = code->first + (uint32_t)(rel->r_offset / sizeof(struct bpf_insn));
	uint32_t type = GELF_R_TYPE(rel->r_info);
	GElf_Sym sym;

	if (rel->r_offset / sizeof(struct bpf_insn) + (type == R_LD64) >= code->n ||
	    !gelf_getsym(im->symbols, (int)GELF_R_SYM(rel->r_info), &sym))
		return -EINVAL;
	if (type == R_CALL)
		return relocate_call(im, at, &sym);
	if (type != R_LD64)
		return -ENOTSUP;
	return relocate_long(im, &im->p->insns[at], &sym,
			     elf_strptr(im->elf, im->strings, sym.st_name) ?: "");
}

static int relocate_all(const struct image *im)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;
	int err = 0;

	while (!err && (scn = elf_nextscn(im->elf, scn))) {
		const struct code_section *code;
		Elf_Data *data;
		GElf_Rel rel;

		if (!gelf_getshdr(scn, &h) || h.sh_type != SHT_REL)
			continue;
		code = section_of(im->p, h.sh_info);
		data = elf_getdata(scn, NULL);
		for (int i = 0; code && data && !err && gelf_getrel(data, i, &rel); i++)
			err = relocate(im, code, &rel);
	}
	return err;
}

int interp_read_image(struct interp *p, const void *elf, size_t len)
{
	struct image im = {.p = p};
	int err = -EINVAL;

	elf_version(EV_CURRENT);
	im.elf = elf_memory((char *)(uintptr_t)elf, len);
	if (im.elf && !elf_getshdrstrndx(im.elf, &im.names))
		err = find_sections(&im) ?: find_functions(&im) ?: relocate_all(&im);
	if (!err && im.btf && im.btf_ext)
		err = interp_read_debug(p, im.btf->d_buf, im.btf->d_size, im.btf_ext->d_buf,
					im.btf_ext->d_size);
	if (!err)
		err = interp_make_task(p, im.btf ? im.btf->d_buf : NULL,
				       im.btf ? im.btf->d_size : 0);
	elf_end(im.elf);
	return err;
}

void interp_free_image(struct interp *p)
{
	for (uint32_t i = 0; i < p->n_sections; i++)
		free((void *)(uintptr_t)p->sections[i].name);
	free(p->sections);
	free(p->insns);
	free(p->symbols);
	free(p->lines);
}
