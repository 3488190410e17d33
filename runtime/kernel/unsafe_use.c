/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See unsafe_use.h. Helpers are called by number. Functions of the kernel are called by name: BTF
 * lists those of an object in .ksyms, where libbpf looks for them.
 */
#include "runtime/kernel/unsafe_use.h"
#include "parser/base/arena.h"
#include "runtime/btf/btf_raw.h"
#include "runtime/btf/btf_types.h"
#include "runtime/kernel/helper_name.h"
#include <gelf.h>
#include <libelf.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <string.h>

enum { INSN_BYTES = sizeof(struct bpf_insn) };

struct reader {
	struct arena *arena;
	Elf *elf;
	size_t names;		 /* of sections: index of the section */
	size_t names_of_symbols; /* likewise */
	Elf_Data *symbols, *btf, *btf_ext;
	size_t n_symbols;
	struct btf_types types;
};

static Elf_Data *find_section(struct reader *r, const char *name, Elf_Scn *section)
{
	GElf_Shdr h;
	const char *its =
		gelf_getshdr(section, &h) ? elf_strptr(r->elf, r->names, h.sh_name) : NULL;

	return its && strcmp(its, name) == 0 ? elf_rawdata(section, NULL) : NULL;
}

static void find_sections(struct reader *r)
{
	Elf_Scn *section = NULL;
	GElf_Shdr h;

	while ((section = elf_nextscn(r->elf, section))) {
		r->btf = find_section(r, ".BTF", section) ?: r->btf;
		r->btf_ext = find_section(r, ".BTF.ext", section) ?: r->btf_ext;
		if (!gelf_getshdr(section, &h) || h.sh_type != SHT_SYMTAB)
			continue;
		r->symbols = elf_getdata(section, NULL);
		r->n_symbols = r->symbols ? r->symbols->d_size / sizeof(Elf64_Sym) : 0;
		r->names_of_symbols = h.sh_link;
	}
}

/* ---- where an instruction is --------------------------------------------------------------- */

static const char *function_at(struct reader *r, size_t section, uint64_t at)
{
	GElf_Sym s;

	for (size_t i = 0; i < r->n_symbols; i++)
		if (gelf_getsym(r->symbols, (int)i, &s) && s.st_shndx == section &&
		    GELF_ST_TYPE(s.st_info) == STT_FUNC && at >= s.st_value &&
		    at - s.st_value < s.st_size)
			return elf_strptr(r->elf, r->names_of_symbols, s.st_name) ?: "";
	return "";
}

/* The header of .BTF.ext, as far as it is needed. */
struct ext_header {
	uint16_t magic;
	uint8_t version, flags;
	uint32_t hdr_len, func_info_off, func_info_len, line_info_off, line_info_len;
};

/* The lines of one section, of which `n` come at `p`. */
static const char *line_in(struct reader *r, const uint8_t *p, uint32_t n, uint32_t size,
			   uint64_t at)
{
	struct bpf_line_info line, best = {0};
	const char *path, *slash;

	for (uint32_t i = 0; i < n; i++, p += size) {
		memcpy(&line, p, sizeof(line));
		if (line.insn_off <= at)
			best = line;
	}
	path = btf_types_string(&r->types, best.file_name_off);
	slash = strrchr(path, '/');
	if (!*path || !BPF_LINE_INFO_LINE_NUM(best.line_col))
		return "";
	return arena_printf(r->arena, " (%s:%u)", slash ? slash + 1 : path,
			    BPF_LINE_INFO_LINE_NUM(best.line_col));
}

/* " (FILE:5)", or "" if it is not known. After the size of an entry there are, for each
 * section, its name, the number of entries, and these. */
static const char *line_at(struct reader *r, const char *section, uint64_t at)
{
	const uint8_t *p = r->btf_ext ? r->btf_ext->d_buf : NULL, *end;
	struct ext_header h;
	uint32_t size, head[2];
	uint64_t from;

	if (!p || r->btf_ext->d_size < sizeof(h))
		return "";
	memcpy(&h, p, sizeof(h));
	from = (uint64_t)h.hdr_len + h.line_info_off;
	if (from + h.line_info_len > r->btf_ext->d_size || h.line_info_len < sizeof(size))
		return "";
	end = p + from + h.line_info_len;
	p += from;
	memcpy(&size, p, sizeof(size));
	p += sizeof(size);
	while (size >= sizeof(struct bpf_line_info) && (size_t)(end - p) >= sizeof(head)) {
		memcpy(head, p, sizeof(head));
		p += sizeof(head);
		if ((uint64_t)head[1] * size > (uint64_t)(end - p))
			return "";
		if (strcmp(btf_types_string(&r->types, head[0]), section) == 0)
			return line_in(r, p, head[1], size, at);
		p += (size_t)head[1] * size;
	}
	return "";
}

static const char *describe(struct reader *r, Elf_Scn *section, uint64_t at, const char *callee,
			    const char *purpose)
{
	const char *name = "", *function = function_at(r, elf_ndxscn(section), at);
	GElf_Shdr h;

	if (gelf_getshdr(section, &h))
		name = elf_strptr(r->elf, r->names, h.sh_name) ?: "";
	return arena_printf(r->arena, "%s%s calls %s%s%s%.*s", *function ? function : "it",
			    *function ? "()" : "", callee, line_at(r, name, at),
			    purpose ? ", which " : "", purpose ? (int)strlen(purpose) - 1 : 0,
			    purpose ?: "");
}

/* ---- calls --------------------------------------------------------------------------------- */

static const char *check_helpers(struct reader *r, Elf_Scn *section, const Elf_Data *code)
{
	struct bpf_insn insn;

	for (size_t at = 0; code->d_buf && at + INSN_BYTES <= code->d_size; at += INSN_BYTES) {
		uint32_t number;
		const char *name;

		memcpy(&insn, (const char *)code->d_buf + at, INSN_BYTES);
		number = (uint32_t)insn.imm;
		if (insn.code != (BPF_JMP | BPF_CALL) || insn.src_reg == BPF_PSEUDO_CALL ||
		    (insn.src_reg == 0 && !helper_is_unsafe(number)))
			continue;
		name = insn.src_reg ? NULL : helper_name(number);
		return describe(r, section, at,
				name ? arena_printf(r->arena, "bpf_%s()", name)
				     : arena_printf(r->arena, "the kernel's function number %u",
						    number),
				insn.src_reg ? NULL : helper_purpose(number));
	}
	return NULL;
}

/* The place of a call of the kernel's function `name`, which one of the relocations of a section
 * has. */
static const char *find_call(struct reader *r, Elf_Scn *rels, const GElf_Shdr *h, const char *name)
{
	Elf_Data *data = elf_getdata(rels, NULL);
	Elf_Scn *code = elf_getscn(r->elf, h->sh_info);
	GElf_Rel rel;
	GElf_Sym s;

	for (int i = 0; code && data && gelf_getrel(data, i, &rel); i++) {
		const char *its =
			r->symbols && gelf_getsym(r->symbols, (int)GELF_R_SYM(rel.r_info), &s)
				? elf_strptr(r->elf, r->names_of_symbols, s.st_name)
				: NULL;

		if (its && strcmp(its, name) == 0)
			return describe(r, code, rel.r_offset, arena_printf(r->arena, "%s()", name),
					NULL);
	}
	return NULL;
}

static const char *check_kfunc(struct reader *r, const char *name)
{
	Elf_Scn *section = NULL;
	const char *found = NULL;
	GElf_Shdr h;

	if (!kfunc_is_unsafe(name))
		return NULL;
	while (!found && (section = elf_nextscn(r->elf, section)))
		if (gelf_getshdr(section, &h) && h.sh_type == SHT_REL)
			found = find_call(r, section, &h, name);
	return found ?: arena_printf(r->arena, "it calls %s()", name);
}

static const char *check_kfuncs(struct reader *r, const struct btf_type *section)
{
	const struct btf_var_secinfo *v = (const struct btf_var_secinfo *)(section + 1);
	const char *why = NULL;

	for (uint32_t i = 0; !why && i < BTF_INFO_VLEN(section->info); i++) {
		const struct btf_type *t = btf_types_at(&r->types, v[i].type);

		if (t && BTF_INFO_KIND(t->info) == BTF_KIND_FUNC)
			why = check_kfunc(r, btf_types_string(&r->types, t->name_off));
	}
	return why;
}

/* ---- maps ---------------------------------------------------------------------------------- */

/* libbpf reads numbers of a map from the sizes of arrays: int (*type)[BPF_MAP_TYPE_HASH]. */
static uint32_t number_of(struct reader *r, const struct btf_member *m)
{
	const struct btf_type *t = btf_types_plain(&r->types, m->type);

	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_PTR)
		return 0;
	t = btf_types_plain(&r->types, t->type);
	return t && BTF_INFO_KIND(t->info) == BTF_KIND_ARRAY
		       ? ((const struct btf_array *)(t + 1))->nelems
		       : 0;
}

static const char *check_map(struct reader *r, const struct btf_type *t)
{
	const struct btf_member *m = (const struct btf_member *)(t + 1);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(t->info); i++) {
		const char *name = btf_types_string(&r->types, m[i].name_off);
		uint32_t n = number_of(r, &m[i]);

		if (strcmp(name, "pinning") == 0 && n)
			return "it has a pinned map, which stays, and which other programs use";
		if (strcmp(name, "type") == 0 &&
		    (n == BPF_MAP_TYPE_SOCKMAP || n == BPF_MAP_TYPE_SOCKHASH ||
		     n == BPF_MAP_TYPE_STRUCT_OPS))
			return "it has a map that changes how the kernel handles what is in it";
	}
	return NULL;
}

static const char *check_types(struct reader *r)
{
	const char *why = NULL;

	for (uint32_t id = r->types.first; !why && id < r->types.first + r->types.n; id++) {
		const struct btf_type *t = btf_types_at(&r->types, id);
		uint32_t kind = t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN;

		if (kind == BTF_KIND_STRUCT)
			why = check_map(r, t);
		else if (kind == BTF_KIND_DATASEC &&
			 strcmp(btf_types_string(&r->types, t->name_off), ".ksyms") == 0)
			why = check_kfuncs(r, t);
	}
	return why;
}

/* ---- names --------------------------------------------------------------------------------- */

/* Functions and maps are linked by name. An import must not use those of sonde, nor define one that
 * sonde then calls. */
static const char *check_symbols(struct reader *r)
{
	static const char own[] = "sonde_";
	GElf_Sym s;

	for (size_t i = 0; i < r->n_symbols; i++) {
		const char *name = gelf_getsym(r->symbols, (int)i, &s)
					   ? elf_strptr(r->elf, r->names_of_symbols, s.st_name)
					   : NULL;

		if (name && GELF_ST_BIND(s.st_info) != STB_LOCAL &&
		    strncmp(name, own, sizeof(own) - 1) == 0)
			return arena_printf(r->arena, "it uses a name of sonde: '%s'", name);
	}
	return NULL;
}

static const char *check_code(struct reader *r)
{
	Elf_Scn *section = NULL;
	const char *why = NULL;
	GElf_Shdr h;

	while (!why && (section = elf_nextscn(r->elf, section))) {
		Elf_Data *code = elf_rawdata(section, NULL);

		if (code && gelf_getshdr(section, &h) && h.sh_flags & SHF_EXECINSTR)
			why = check_helpers(r, section, code);
	}
	return why;
}

static const char *check_all(struct reader *r)
{
	struct btf_raw raw;
	const char *why;
	void *btf;

	find_sections(r);
	if (!r->btf || !r->btf->d_buf)
		return "it has no BTF";
	btf = arena_alloc(r->arena, r->btf->d_size + 1); /* aligned */
	memcpy(btf, r->btf->d_buf, r->btf->d_size);
	if (btf_raw_init(&raw, btf, r->btf->d_size) || btf_types_init(&r->types, &raw, NULL))
		return "its BTF is damaged";
	why = check_code(r) ?: check_types(r) ?: check_symbols(r);
	btf_types_free(&r->types);
	return why;
}

const char *unsafe_use_find(struct arena *a, const void *elf, size_t len)
{
	struct reader r = {.arena = a};
	const char *why = "it is not an object file of BPF";

	elf_version(EV_CURRENT);
	r.elf = elf_memory((char *)(uintptr_t)elf, len);
	if (r.elf && elf_getshdrstrndx(r.elf, &r.names) == 0)
		why = check_all(&r);
	if (r.elf)
		elf_end(r.elf);
	return why;
}
