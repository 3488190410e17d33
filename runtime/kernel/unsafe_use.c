/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See kernel_impl.h. Helpers are called by number. Functions of the kernel are called by name: BTF
 * lists those of an object in .ksyms, where libbpf looks for them.
 */
#include "runtime/kernel/kernel_impl.h"
#include "parser/base/arena.h"
#include "parser/base/text.h"
#include "runtime/bpf/bpf_elf.h"
#include "runtime/btf/btf_types.h"
#include "runtime/kernel/helper_name.h"
#include <linux/btf.h>

struct reader {
	struct arena *arena;
	const struct bpf_elf *elf;
	const struct btf_types *types;
};

/* ---- where an instruction is --------------------------------------------------------------- */

static const char *function_at(const struct reader *r, uint32_t section, uint64_t at)
{
	for (uint32_t i = 0; i < r->elf->n_symbols; i++) {
		const Elf64_Sym *s = &r->elf->symbols[i];

		if (bpf_elf_is_function(r->elf, s) && s->st_shndx == section && at >= s->st_value &&
		    at - s->st_value < s->st_size)
			return bpf_elf_symbol_name(r->elf, s);
	}
	return "";
}

/* The last line at an instruction or before it. */
struct nearest_line {
	uint32_t section, insn;
	const struct bpf_line_info *line;
};

static void take_line(void *ctx, uint32_t section, uint32_t insn, const void *record)
{
	struct nearest_line *n = ctx;

	if (section == n->section && insn <= n->insn)
		n->line = record;
}

/* " (FILE:5)", or "" if it is not known. */
static const char *line_at(const struct reader *r, uint32_t section, uint64_t at)
{
	struct nearest_line n = {.section = section, .insn = (uint32_t)(at / BPF_INSN_BYTES)};
	const char *path;

	bpf_elf_each(r->elf, BPF_ELF_LINES, take_line, &n);
	path = n.line ? bpf_elf_string(r->elf, n.line->file_name_off) : "";
	if (!*path || !BPF_LINE_INFO_LINE_NUM(n.line->line_col))
		return "";
	return arena_printf(r->arena, " (%s:%u)", text_base_name(path),
			    BPF_LINE_INFO_LINE_NUM(n.line->line_col));
}

static const char *describe(const struct reader *r, uint32_t section, uint64_t at,
			    const char *callee, const char *purpose)
{
	const char *function = function_at(r, section, at);

	return arena_printf(r->arena, "%s%s calls %s%s%s%.*s", *function ? function : "it",
			    *function ? "()" : "", callee, line_at(r, section, at),
			    purpose ? ", which " : "", purpose ? (int)strlen(purpose) - 1 : 0,
			    purpose ?: "");
}

/* ---- calls --------------------------------------------------------------------------------- */

static const char *check_helpers(const struct reader *r, uint32_t section)
{
	const struct bpf_insn *insn = bpf_elf_bytes(r->elf, section);
	uint64_t len = r->elf->sections[section].sh_size;

	for (uint64_t at = 0; at < len; at += BPF_INSN_BYTES, insn++) {
		uint32_t number = (uint32_t)insn->imm;
		const char *name;

		if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg == BPF_PSEUDO_CALL ||
		    (insn->src_reg == 0 && !helper_is_unsafe(number)))
			continue;
		name = insn->src_reg ? NULL : helper_name(number);
		return describe(r, section, at,
				name ? arena_printf(r->arena, "bpf_%s()", name)
				     : arena_printf(r->arena, "the kernel's function number %u",
						    number),
				insn->src_reg ? NULL : helper_purpose(number));
	}
	return NULL;
}

static const char *check_code(const struct reader *r)
{
	const char *why = NULL;

	for (uint32_t i = 0; !why && i < r->elf->n_sections; i++)
		if (bpf_elf_is_code(r->elf, i))
			why = check_helpers(r, i);
	return why;
}

/* The place of a call of the kernel's function `name`, which one of the relocations of a section
 * has. */
static const char *find_call(const struct reader *r, uint32_t section, const char *name)
{
	uint32_t n;
	const Elf64_Rel *rel = bpf_elf_relocations(r->elf, section, &n);

	for (uint32_t i = 0; i < n; i++) {
		const Elf64_Sym *s = &r->elf->symbols[ELF64_R_SYM(rel[i].r_info)];

		if (strcmp(bpf_elf_symbol_name(r->elf, s), name) == 0)
			return describe(r, section, rel[i].r_offset,
					arena_printf(r->arena, "%s()", name), NULL);
	}
	return NULL;
}

static const char *check_kfunc(const struct reader *r, const char *name)
{
	const char *found = NULL;

	if (!kfunc_is_unsafe(name))
		return NULL;
	for (uint32_t i = 0; !found && i < r->elf->n_sections; i++)
		found = find_call(r, i, name);
	return found ?: arena_printf(r->arena, "it calls %s()", name);
}

static const char *check_kfuncs(const struct reader *r, const struct btf_type *section)
{
	const struct btf_var_secinfo *v = (const struct btf_var_secinfo *)(section + 1);
	const char *why = NULL;

	for (uint32_t i = 0; !why && i < BTF_INFO_VLEN(section->info); i++) {
		const struct btf_type *t = btf_types_at(r->types, v[i].type);

		if (t && BTF_INFO_KIND(t->info) == BTF_KIND_FUNC)
			why = check_kfunc(r, btf_types_string(r->types, t->name_off));
	}
	return why;
}

/* ---- maps ---------------------------------------------------------------------------------- */

/* libbpf reads numbers of a map from the sizes of arrays: int (*type)[BPF_MAP_TYPE_HASH]. */
static uint32_t number_of(const struct reader *r, const struct btf_member *m)
{
	const struct btf_type *t = btf_types_plain(r->types, m->type);

	if (!t || BTF_INFO_KIND(t->info) != BTF_KIND_PTR)
		return 0;
	t = btf_types_plain(r->types, t->type);
	return t && BTF_INFO_KIND(t->info) == BTF_KIND_ARRAY
		       ? ((const struct btf_array *)(t + 1))->nelems
		       : 0;
}

static const char *check_map(const struct reader *r, const struct btf_type *t)
{
	const struct btf_member *m = (const struct btf_member *)(t + 1);

	for (uint32_t i = 0; i < BTF_INFO_VLEN(t->info); i++) {
		const char *name = btf_types_string(r->types, m[i].name_off);
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

static const char *check_types(const struct reader *r)
{
	const char *why = NULL;

	for (uint32_t id = r->types->first; !why && id < r->types->first + r->types->n; id++) {
		const struct btf_type *t = btf_types_at(r->types, id);
		uint32_t kind = t ? BTF_INFO_KIND(t->info) : BTF_KIND_UNKN;

		if (kind == BTF_KIND_STRUCT)
			why = check_map(r, t);
		else if (kind == BTF_KIND_DATASEC &&
			 strcmp(btf_types_string(r->types, t->name_off), ".ksyms") == 0)
			why = check_kfuncs(r, t);
	}
	return why;
}

/* ---- names --------------------------------------------------------------------------------- */

/* Functions and maps are linked by name. An import must not use those of sonde, nor define one that
 * sonde then calls. */
static const char *check_symbols(const struct reader *r)
{
	static const char own[] = "sonde_";

	for (uint32_t i = 0; i < r->elf->n_symbols; i++) {
		const Elf64_Sym *s = &r->elf->symbols[i];
		const char *name = bpf_elf_symbol_name(r->elf, s);

		if (ELF64_ST_BIND(s->st_info) != STB_LOCAL &&
		    strncmp(name, own, sizeof(own) - 1) == 0)
			return arena_printf(r->arena, "it uses a name of sonde: '%s'", name);
	}
	return NULL;
}

const char *unsafe_use_find(struct arena *a, const struct bpf_elf *elf,
			    const struct btf_types *types)
{
	struct reader r = {.arena = a, .elf = elf, .types = types};

	return check_code(&r) ?: check_types(&r) ?: check_symbols(&r);
}
