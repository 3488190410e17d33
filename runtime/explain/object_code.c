/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the code of an object: see object_code.h.
 */
#include "runtime/explain/object_code.h"
#include "parser/base/find.h"
#include "parser/base/arena.h"
#include "runtime/bpf/bpf_elf.h"
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct arena *a;
	struct bpf_elf elf;
	struct btf *btf; /* for CO-RE; or NULL */
	struct code_object *out;
	Elf64_Sym *symbols; /* by function */
};

/* ---- functions ---- */

static void take_function(struct reader *r, const Elf64_Sym *s)
{
	struct code_function *f = &r->out->functions[r->out->n_functions++];
	const struct bpf_insn *code = (const struct bpf_insn *)bpf_elf_bytes(&r->elf, s->st_shndx) +
				      s->st_value / BPF_INSN_BYTES;
	uint32_t n = (uint32_t)(s->st_size / BPF_INSN_BYTES);

	*f = (struct code_function){
		.name = arena_strdup(r->a, bpf_elf_symbol_name(&r->elf, s)),
		.section = arena_strdup(r->a, bpf_elf_section_name(&r->elf, s->st_shndx)),
		.insns = arena_alloc(r->a, n * sizeof(*f->insns)),
		.n_insns = n,
	};
	for (uint32_t i = 0; i < n; i++)
		f->insns[i] = (struct code_insn){.insn = code[i], .text = ""};
}

COMPARE(by_place, Elf64_Sym, ORDER(a->st_shndx, b->st_shndx) ?: ORDER(a->st_value, b->st_value))

static void read_functions(struct reader *r)
{
	uint32_t n = 0;

	r->symbols = arena_alloc(r->a, (r->elf.n_symbols + 1) * sizeof(*r->symbols));
	for (uint32_t i = 0; i < r->elf.n_symbols; i++)
		if (bpf_elf_is_function(&r->elf, &r->elf.symbols[i]) && r->elf.symbols[i].st_size)
			r->symbols[n++] = r->elf.symbols[i];
	qsort(r->symbols, n, sizeof(*r->symbols), by_place);
	r->out->functions = arena_alloc(r->a, (n + 1) * sizeof(*r->out->functions));
	for (uint32_t i = 0; i < n; i++)
		take_function(r, &r->symbols[i]);
}

/* The instruction at a byte of a section; *of is its function. NULL: none. */
static struct code_insn *insn_at(const struct reader *r, uint32_t section, uint64_t offset,
				 struct code_function **of)
{
	for (uint32_t i = 0; i < r->out->n_functions; i++) {
		const Elf64_Sym *s = &r->symbols[i];

		if (s->st_shndx != section || offset < s->st_value ||
		    offset - s->st_value >= s->st_size)
			continue;
		*of = &r->out->functions[i];
		return &(*of)->insns[(offset - s->st_value) / BPF_INSN_BYTES];
	}
	return NULL;
}

/* ---- names of what instructions refer to ---- */

static bool is_call(const struct bpf_insn *i)
{
	return i->code == (BPF_JMP | BPF_CALL) && i->src_reg == BPF_PSEUDO_CALL;
}

static void name_call(const struct reader *r, uint32_t section, uint64_t target,
		      struct code_insn *i)
{
	struct code_function *callee;

	if (insn_at(r, section, target, &callee))
		i->symbol = callee->name;
}

static void relocate(const struct reader *r, uint32_t section, const Elf64_Rel *rel)
{
	const Elf64_Sym *s = &r->elf.symbols[ELF64_R_SYM(rel->r_info)];
	struct code_function *f;
	struct code_insn *i = insn_at(r, section, rel->r_offset, &f);

	if (!i)
		return;
	if (ELF64_ST_TYPE(s->st_info) != STT_SECTION)
		i->symbol = arena_strdup(r->a, bpf_elf_symbol_name(&r->elf, s));
	else if (is_call(&i->insn)) /* a static function */
		name_call(r, s->st_shndx, bpf_elf_target(&r->elf, section, rel), i);
}

static void read_relocations(struct reader *r)
{
	for (uint32_t i = 0; i < r->elf.n_sections; i++) {
		uint32_t n;
		const Elf64_Rel *rel = bpf_elf_relocations(&r->elf, i, &n);

		for (uint32_t j = 0; j < n; j++)
			relocate(r, i, &rel[j]);
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
				name_call(r, r->symbols[i].st_shndx,
					  r->symbols[i].st_value + (uint64_t)to * BPF_INSN_BYTES,
					  insn);
		}
	}
}

/* ---- .BTF.ext ---- */

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

static void take_line(void *ctx, uint32_t section, uint32_t insn, const void *record)
{
	const struct bpf_line_info *line = record;
	const struct reader *r = ctx;
	struct code_function *f;
	struct code_insn *i = insn_at(r, section, (uint64_t)insn * BPF_INSN_BYTES, &f);

	if (!i)
		return;
	i->file = arena_strdup(r->a, bpf_elf_string(&r->elf, line->file_name_off));
	i->text = arena_strdup(r->a, bpf_elf_string(&r->elf, line->line_off));
	i->line = BPF_LINE_INFO_LINE_NUM(line->line_col);
	i->column = BPF_LINE_INFO_LINE_COL(line->line_col);
}

/* ---- CO-RE: what the kernel that runs puts into an instruction, in words ---- */

/* By enum bpf_core_relo_kind. */
static const char *const kinds[] = {
	[BPF_CORE_FIELD_BYTE_OFFSET] = "offset of",
	[BPF_CORE_FIELD_BYTE_SIZE] = "size of",
	[BPF_CORE_FIELD_EXISTS] = "is there",
	[BPF_CORE_FIELD_SIGNED] = "has a sign",
	[BPF_CORE_FIELD_LSHIFT_U64] = "shift to the left of",
	[BPF_CORE_FIELD_RSHIFT_U64] = "shift to the right of",
	[BPF_CORE_TYPE_ID_LOCAL] = "own number of type",
	[BPF_CORE_TYPE_ID_TARGET] = "number of type",
	[BPF_CORE_TYPE_EXISTS] = "is there",
	[BPF_CORE_TYPE_SIZE] = "size of",
	[BPF_CORE_ENUMVAL_EXISTS] = "is there a value of",
	[BPF_CORE_ENUMVAL_VALUE] = "a value of",
	[BPF_CORE_TYPE_MATCHES] = "is the same",
};

/* The type without typedefs and qualifiers. */
static const struct btf_type *resolve(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* "task_struct.thread_info.status": follow the numbers behind the first, which is the index of the
 * struct itself. */
static const char *member_name(struct arena *a, const struct btf *btf, uint32_t type,
			       const char *access)
{
	const struct btf_type *t = resolve(btf, type);
	const char *name = t ? btf__name_by_offset(btf, t->name_off) : NULL;
	char *end;

	if (!name || !*name)
		return NULL;
	strtoul(access, &end, 10);
	while (t && *end == ':' && btf_is_composite(t)) {
		unsigned long i = strtoul(end + 1, &end, 10);
		const struct btf_member *m = btf_members(t) + i;

		if (i >= btf_vlen(t))
			return name;
		if (m->name_off)
			name = arena_printf(a, "%s.%s", name,
					    btf__name_by_offset(btf, m->name_off));
		t = resolve(btf, m->type);
	}
	return name;
}

/* "CO-RE: offset of task_struct.comm". A relocation names a type of the object's BTF and the way to a
 * member, as the numbers of members: "0:11". NULL: unknown. */
static const char *core_words(struct arena *a, const struct btf *btf,
			      const struct bpf_core_relo *relo)
{
	const char *access = btf__name_by_offset(btf, relo->access_str_off);
	const char *kind = relo->kind < sizeof(kinds) / sizeof(*kinds) ? kinds[relo->kind] : NULL;
	const char *name = access ? member_name(a, btf, relo->type_id, access) : NULL;

	return kind && name ? arena_printf(a, "CO-RE: %s %s", kind, name) : NULL;
}

static void take_core(void *ctx, uint32_t section, uint32_t insn, const void *record)
{
	const struct reader *r = ctx;
	struct code_function *f;
	struct code_insn *i = insn_at(r, section, (uint64_t)insn * BPF_INSN_BYTES, &f);

	if (i && r->btf)
		i->core = core_words(r->a, r->btf, record);
}

int object_code_read(struct arena *a, const void *elf, size_t len, struct code_object *out)
{
	struct reader r = {.a = a, .out = out};

	*out = (struct code_object){0};
	if (bpf_elf_open(&r.elf, elf, len))
		return -EINVAL;
	read_functions(&r);
	read_relocations(&r);
	name_calls(&r);
	bpf_elf_each(&r.elf, BPF_ELF_LINES, take_line, &r);
	spread_lines(&r);
	if (r.elf.btf)
		r.btf = btf__new(bpf_elf_bytes(&r.elf, r.elf.btf),
				 (uint32_t)r.elf.sections[r.elf.btf].sh_size);
	bpf_elf_each(&r.elf, BPF_ELF_CORE, take_core, &r);
	btf__free(r.btf);
	return out->n_functions ? 0 : -EINVAL;
}
