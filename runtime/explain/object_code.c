/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the code of an object: see object_code.h.
 */
#include "runtime/explain/object_code.h"
#include "parser/base/arena.h"
#include "runtime/explain/object_core.h"
#include <bpf/btf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { INSN_BYTES = sizeof(struct bpf_insn) };

struct reader {
	struct arena *a;
	Elf *elf;
	Elf_Data *symbols;
	size_t n_symbols, symbol_names; /* the section of their names */
	const char *btf_text;
	uint32_t btf_bytes;
	struct btf *btf; /* for CO-RE; or NULL */
	struct code_object *out;
	size_t *sections; /* by function: the index of its section */
	uint64_t *starts; /* by function: the address of its first instruction */
};

/* ---- sections ---- */

static const char *section_name(const struct reader *r, Elf_Scn *scn, GElf_Shdr *head)
{
	size_t names;
	const char *name;

	if (!gelf_getshdr(scn, head) || elf_getshdrstrndx(r->elf, &names))
		return "";
	name = elf_strptr(r->elf, names, head->sh_name);
	return name ? name : "";
}

static Elf_Data *section_data(const struct reader *r, const char *name)
{
	GElf_Shdr head;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(r->elf, scn));)
		if (strcmp(section_name(r, scn, &head), name) == 0)
			return elf_getdata(scn, NULL);
	return NULL;
}

static bool find_symbols(struct reader *r)
{
	GElf_Shdr head;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(r->elf, scn));) {
		section_name(r, scn, &head);
		if (head.sh_type != SHT_SYMTAB || !head.sh_entsize)
			continue;
		r->symbols = elf_getdata(scn, NULL);
		r->n_symbols = head.sh_size / head.sh_entsize;
		r->symbol_names = head.sh_link;
	}
	return r->symbols;
}

static const char *symbol_name(const struct reader *r, const GElf_Sym *sym)
{
	const char *name = elf_strptr(r->elf, r->symbol_names, sym->st_name);

	return name ? arena_strdup(r->a, name) : "";
}

/* ---- functions ---- */

static bool is_function(const GElf_Sym *sym)
{
	return GELF_ST_TYPE(sym->st_info) == STT_FUNC && sym->st_shndx != SHN_UNDEF && sym->st_size;
}

static void take_function(struct reader *r, const GElf_Sym *sym)
{
	Elf_Scn *scn = elf_getscn(r->elf, sym->st_shndx);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;
	struct code_function *f = &r->out->functions[r->out->n_functions];
	uint64_t n = sym->st_size / INSN_BYTES;
	GElf_Shdr head;

	if (!data || sym->st_value > data->d_size || sym->st_size > data->d_size - sym->st_value)
		return;
	*f = (struct code_function){
		.name = symbol_name(r, sym),
		.section = arena_strdup(r->a, section_name(r, scn, &head)),
		.insns = arena_alloc(r->a, n * sizeof(*f->insns)),
		.n_insns = (uint32_t)n,
	};
	for (uint64_t i = 0; i < n; i++) {
		const char *at = (const char *)data->d_buf + sym->st_value + i * INSN_BYTES;

		f->insns[i] = (struct code_insn){.text = ""};
		memcpy(&f->insns[i].insn, at, INSN_BYTES);
	}
	r->sections[r->out->n_functions] = sym->st_shndx;
	r->starts[r->out->n_functions++] = sym->st_value;
}

static bool comes_before(const GElf_Sym *x, const GElf_Sym *y)
{
	return x->st_shndx < y->st_shndx ||
	       (x->st_shndx == y->st_shndx && x->st_value < y->st_value);
}

static void read_functions(struct reader *r)
{
	GElf_Sym *found = arena_alloc(r->a, (r->n_symbols + 1) * sizeof(*found));
	size_t n = 0, at;
	GElf_Sym sym;

	for (size_t i = 0; i < r->n_symbols; i++) {
		if (!gelf_getsym(r->symbols, (int)i, &sym) || !is_function(&sym))
			continue;
		for (at = n++; at && comes_before(&sym, &found[at - 1]); at--)
			found[at] = found[at - 1];
		found[at] = sym;
	}
	r->out->functions = arena_alloc(r->a, (n + 1) * sizeof(*r->out->functions));
	r->sections = arena_alloc(r->a, (n + 1) * sizeof(*r->sections));
	r->starts = arena_alloc(r->a, (n + 1) * sizeof(*r->starts));
	for (size_t i = 0; i < n; i++)
		take_function(r, &found[i]);
}

/* The instruction at a byte of a section; *of is its function. NULL: none. */
static struct code_insn *insn_at(const struct reader *r, size_t section, uint64_t offset,
				 struct code_function **of)
{
	for (uint32_t i = 0; i < r->out->n_functions; i++) {
		struct code_function *f = &r->out->functions[i];
		uint64_t index = (offset - r->starts[i]) / INSN_BYTES;

		if (r->sections[i] != section || offset < r->starts[i] || index >= f->n_insns)
			continue;
		*of = f;
		return &f->insns[index];
	}
	return NULL;
}

/* ---- names of what instructions refer to ---- */

static bool is_call(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL) && i->src_reg == BPF_PSEUDO_CALL;
}

static void name_call(const struct reader *r, size_t section, uint64_t target, struct code_insn *i)
{
	struct code_function *callee;

	if (insn_at(r, section, target, &callee))
		i->symbol = callee->name;
}

static void relocate(const struct reader *r, size_t section, const GElf_Rel *rel)
{
	struct code_function *f;
	struct code_insn *i = insn_at(r, section, rel->r_offset, &f);
	GElf_Sym sym;

	if (!i || !gelf_getsym(r->symbols, (int)GELF_R_SYM(rel->r_info), &sym))
		return;
	if (GELF_ST_TYPE(sym.st_info) != STT_SECTION)
		i->symbol = symbol_name(r, &sym);
	else if (is_call(&i->insn)) /* a static function: relative to the section's start */
		name_call(r, sym.st_shndx, (uint64_t)(i->insn.imm + 1) * INSN_BYTES, i);
}

static void read_relocations(struct reader *r)
{
	GElf_Shdr head;
	GElf_Rel rel;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(r->elf, scn));) {
		Elf_Data *data = elf_getdata(scn, NULL);

		section_name(r, scn, &head);
		if (head.sh_type != SHT_REL || !head.sh_entsize || !data)
			continue;
		for (size_t i = 0; i < head.sh_size / head.sh_entsize; i++)
			if (gelf_getrel(data, (int)i, &rel))
				relocate(r, head.sh_info, &rel);
	}
}

/* Calls within a section have no relocation. */
static void name_calls(struct reader *r)
{
	for (uint32_t i = 0; i < r->out->n_functions; i++) {
		struct code_function *f = &r->out->functions[i];

		for (uint32_t j = 0; j < f->n_insns; j++) {
			struct code_insn *insn = &f->insns[j];
			int64_t to = (int64_t)j + 1 + insn->insn.imm;

			if (is_call(&insn->insn) && !insn->symbol)
				name_call(r, r->sections[i],
					  r->starts[i] + (uint64_t)to * INSN_BYTES, insn);
		}
	}
}

/* ---- lines ---- */

static const char *btf_string(const struct reader *r, uint32_t offset)
{
	return offset < r->btf_bytes ? arena_strdup(r->a, r->btf_text + offset) : "";
}

static void read_strings(struct reader *r)
{
	Elf_Data *btf = section_data(r, ".BTF");
	const struct btf_header *head = btf ? btf->d_buf : NULL;
	uint64_t at;

	if (!head || btf->d_size < sizeof(*head))
		return;
	at = (uint64_t)head->hdr_len + head->str_off;
	if (at >= btf->d_size || head->str_len > btf->d_size - at || !head->str_len)
		return;
	r->btf_text = (const char *)btf->d_buf + at;
	if (!r->btf_text[head->str_len - 1]) /* so each string has an end */
		r->btf_bytes = head->str_len;
}

static size_t section_index(const struct reader *r, const char *name)
{
	GElf_Shdr head;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(r->elf, scn));)
		if (strcmp(section_name(r, scn, &head), name) == 0)
			return elf_ndxscn(scn);
	return 0;
}

/* The header of .BTF.ext, as far as it is needed. */
struct ext_head {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t hdr_len, func_info_off, func_info_len, line_info_off, line_info_len;
	uint32_t core_off, core_len;
};

/* A line applies from its instruction on, up to the next line of the function. */
static void spread_lines(const struct reader *r)
{
	for (uint32_t i = 0; i < r->out->n_functions; i++) {
		struct code_function *f = &r->out->functions[i];

		for (uint32_t j = 1; j < f->n_insns; j++) {
			struct code_insn *to = &f->insns[j];
			const struct code_insn *from = to - 1;

			if (to->file)
				continue;
			to->file = from->file;
			to->line = from->line;
			to->column = from->column;
			to->text = from->text;
		}
	}
}

/* Takes an entry about an instruction of a section. */
typedef void take_fn(const struct reader *r, struct code_insn *i, const void *entry);

static void take_line(const struct reader *r, struct code_insn *i, const void *entry)
{
	struct bpf_line_info info;

	memcpy(&info, entry, sizeof(info));
	i->file = btf_string(r, info.file_name_off);
	i->text = btf_string(r, info.line_off);
	i->line = BPF_LINE_INFO_LINE_NUM(info.line_col);
	i->column = BPF_LINE_INFO_LINE_COL(info.line_col);
}

static void take_core(const struct reader *r, struct code_insn *i, const void *entry)
{
	struct bpf_core_relo relo;

	memcpy(&relo, entry, sizeof(relo));
	i->core = r->btf ? object_core_words(r->a, r->btf, &relo) : NULL;
}

/* Read a part of .BTF.ext: the size of an entry, then for each section its name, the number of
 * entries, and these. An entry begins with the offset of its instruction. */
static void read_part(const struct reader *r, const char *at, const char *end, size_t least,
		      take_fn *take)
{
	uint32_t bytes, of[2], offset;
	struct code_function *f;
	struct code_insn *insn;

	if ((size_t)(end - at) < sizeof(bytes))
		return;
	memcpy(&bytes, at, sizeof(bytes));
	at += sizeof(bytes);
	while (bytes >= least && (size_t)(end - at) >= sizeof(of)) {
		size_t section;

		memcpy(of, at, sizeof(of));
		at += sizeof(of);
		section = section_index(r, btf_string(r, of[0]));
		for (uint32_t i = 0; i < of[1] && (size_t)(end - at) >= bytes; i++, at += bytes) {
			memcpy(&offset, at, sizeof(offset));
			insn = insn_at(r, section, offset, &f);
			if (insn)
				take(r, insn, at);
		}
	}
}

/* Does the part lie within the section? */
static bool is_within(const Elf_Data *ext, uint64_t start, uint64_t len)
{
	return len && start + len <= ext->d_size;
}

static void read_ext(struct reader *r)
{
	Elf_Data *ext = section_data(r, ".BTF.ext"), *btf = section_data(r, ".BTF");
	const struct ext_head *head = ext ? ext->d_buf : NULL;
	const char *start;

	if (!head || ext->d_size < sizeof(*head))
		return;
	start = (const char *)ext->d_buf + head->hdr_len;
	if (is_within(ext, (uint64_t)head->hdr_len + head->line_info_off, head->line_info_len))
		read_part(r, start + head->line_info_off,
			  start + head->line_info_off + head->line_info_len,
			  sizeof(struct bpf_line_info), take_line);
	spread_lines(r);
	if (!btf || head->hdr_len < sizeof(*head) ||
	    !is_within(ext, (uint64_t)head->hdr_len + head->core_off, head->core_len))
		return;
	r->btf = btf__new(btf->d_buf, (uint32_t)btf->d_size);
	read_part(r, start + head->core_off, start + head->core_off + head->core_len,
		  sizeof(struct bpf_core_relo), take_core);
	btf__free(r->btf);
}

int object_code_read(struct arena *a, const void *elf, size_t len, struct code_object *out)
{
	struct reader r = {.a = a, .out = out};

	*out = (struct code_object){0};
	elf_version(EV_CURRENT);
	r.elf = elf_memory((char *)(uintptr_t)elf, len);
	if (!r.elf)
		return -EINVAL;
	if (find_symbols(&r)) {
		read_functions(&r);
		read_relocations(&r);
		name_calls(&r);
		read_strings(&r);
		read_ext(&r);
	}
	elf_end(r.elf);
	return out->n_functions ? 0 : -EINVAL;
}
