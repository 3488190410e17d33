/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack that programs take, computed from machine code as check_max_stack_depth() of the
 * verifier does. A function's own part is its lowest access relative to r10.
 */
#include "codegen/stack_depth.h"
#include "parser/base/arena.h"
#include "runtime/bpf/bpf_elf.h"
#include "runtime/bpf/bpf_insn.h"
#include <string.h>

/* With a JIT, newer kernels round to 16 bytes (round_up_stack_depth() of the verifier). */
enum { ROUND = 32, ROUND_LEAST = 16, WORD = BPF_INSN_BYTES };

struct function {
	const char *name;
	uint32_t section;
	uint64_t start, end;
	uint32_t bytes, frames; /* including all that it calls */
	uint32_t least;		/* the same in bytes, with parts rounded to ROUND_LEAST */
	uint32_t branches;	/* including what it calls, callbacks left out */
	bool is_done, is_active;
	const struct function *counted_by; /* the program whose functions were counted last */
	struct function **calls;	   /* the functions that it calls or passes as callbacks */
	uint32_t n_calls;
};

struct object {
	struct bpf_elf elf;
	uint32_t n_functions;
	struct function *functions;
	bool **is_relocated;   /* by section and instruction */
	struct object *linked; /* object with the functions that are linked, or NULL */
	struct arena *arena;
};

/* ---- reading the file -------------------------------------------------------------------- */

static const struct bpf_insn *code_at(const struct object *o, uint32_t section, uint64_t at)
{
	return (const struct bpf_insn *)bpf_elf_bytes(&o->elf, section) + at / WORD;
}

static void read_functions(struct object *o, struct arena *a)
{
	o->functions = arena_alloc(a, (o->elf.n_symbols + 1) * sizeof(*o->functions));
	for (uint32_t i = 0; i < o->elf.n_symbols; i++) {
		const Elf64_Sym *s = &o->elf.symbols[i];

		if (bpf_elf_is_function(&o->elf, s))
			o->functions[o->n_functions++] =
				(struct function){.name = bpf_elf_symbol_name(&o->elf, s),
						  .section = s->st_shndx,
						  .start = s->st_value,
						  .end = s->st_value + s->st_size};
	}
}

static void read_relocations(struct object *o, struct arena *a)
{
	o->is_relocated = arena_alloc(a, (o->elf.n_sections + 1) * sizeof(*o->is_relocated));
	for (uint32_t i = 0; i < o->elf.n_sections; i++) {
		const Elf64_Rel *rel;
		uint32_t n;

		if (!bpf_elf_is_code(&o->elf, i))
			continue;
		o->is_relocated[i] = arena_alloc(a, o->elf.sections[i].sh_size / WORD + 1);
		rel = bpf_elf_relocations(&o->elf, i, &n);
		for (uint32_t j = 0; j < n; j++)
			o->is_relocated[i][rel[j].r_offset / WORD] = true;
	}
}

/* An object that cannot be read has no functions. */
static struct object *read_object(struct arena *a, const struct stack_object *from)
{
	struct object *o = arena_new_of(a, struct object);

	o->arena = a;
	if (bpf_elf_open(&o->elf, from->bytes, from->len))
		return o;
	read_functions(o, a);
	read_relocations(o, a);
	return o;
}

static struct function *function_at(struct object *o, uint32_t section, uint64_t at)
{
	for (uint32_t i = 0; i < o->n_functions; i++)
		if (o->functions[i].section == section && o->functions[i].start == at)
			return &o->functions[i];
	return NULL;
}

static struct function *function_named(struct object *o, const char *name)
{
	for (uint32_t i = 0; o && i < o->n_functions; i++)
		if (strcmp(o->functions[i].name, name) == 0)
			return &o->functions[i];
	return NULL;
}

/* ---- one function ------------------------------------------------------------------------ */

/* What registers hold, as far as it matters: addresses on the stack. */
struct registers {
	int64_t at[BPF_REG_10 + 1]; /* relative to r10 */
	bool is_stack[BPF_REG_10 + 1];
};

static int64_t deeper(const struct registers *r, unsigned base, int64_t at, int64_t depth)
{
	at += r->at[base];
	return r->is_stack[base] && -at > depth ? -at : depth;
}

/* Follow an instruction that is not a jump. */
static int64_t follow(struct registers *r, const struct bpf_insn *insn, int64_t depth)
{
	bool is_copy = insn->code == (BPF_ALU64 | BPF_MOV | BPF_X) && insn->off == 0;
	bool is_sum = insn->code == (BPF_ALU64 | BPF_ADD | BPF_K);

	switch (BPF_CLASS(insn->code)) {
	case BPF_LDX:
		depth = deeper(r, insn->src_reg, insn->off, depth);
		r->is_stack[insn->dst_reg] = false;
		return depth;
	case BPF_ST:
	case BPF_STX: return deeper(r, insn->dst_reg, insn->off, depth);
	case BPF_LD:
	case BPF_ALU:
	case BPF_ALU64: break;
	default: return depth;
	}
	if (is_sum) {
		r->at[insn->dst_reg] += insn->imm;
		return deeper(r, insn->dst_reg, 0, depth);
	}
	r->is_stack[insn->dst_reg] = is_copy && r->is_stack[insn->src_reg];
	r->at[insn->dst_reg] = is_copy ? r->at[insn->src_reg] : 0;
	return depth;
}

static uint32_t rounded(uint32_t bytes, uint32_t to)
{
	return (bytes + to - 1) / to * to;
}

static bool is_branch(const struct bpf_insn *insn)
{
	uint8_t class = BPF_CLASS(insn->code), op = BPF_OP(insn->code);

	return (class == BPF_JMP32 || class == BPF_JMP) && op != BPF_JA && op != BPF_CALL &&
	       op != BPF_EXIT;
}

/* ---- calls ------------------------------------------------------------------------------- */

static void measure(struct object *o, struct function *f);

static void add_call(struct function *f, struct object *o, struct function *callee)
{
	if (!callee)
		return;
	arena_push(o->arena, f->calls, f->n_calls, callee);
	measure(o, callee);
	if (callee->bytes > f->bytes)
		f->bytes = callee->bytes;
	if (callee->least > f->least)
		f->least = callee->least;
	if (callee->frames + 1 > f->frames)
		f->frames = callee->frames + 1;
}

/* Add the branches of a callee. Each call counts, so the sum saturates: many calls may each have
 * many branches. */
static void add_branches(struct function *f, const struct function *callee)
{
	if (callee && f->branches <= STACK_BRANCHES)
		f->branches += callee->branches;
}

/* Add the function that a relocation refers to: it is called, or passed as a callback. */
static void add_relocated(struct object *o, struct function *f, const Elf64_Rel *rel)
{
	const Elf64_Sym *s = &o->elf.symbols[ELF64_R_SYM(rel->r_info)];
	struct function *callee;

	if (s->st_shndx == SHN_UNDEF) {
		add_call(f, o->linked, function_named(o->linked, bpf_elf_symbol_name(&o->elf, s)));
		return;
	}
	if (!bpf_elf_is_code(&o->elf, s->st_shndx))
		return;
	callee = function_at(o, s->st_shndx, bpf_elf_target(&o->elf, f->section, rel));
	add_call(f, o, callee);
	if (ELF64_R_TYPE(rel->r_info) == BPF_ELF_CALL)
		add_branches(f, callee);
}

static void measure(struct object *o, struct function *f)
{
	struct registers r = {.is_stack[BPF_REG_10] = true};
	int64_t own = 1;
	const Elf64_Rel *rel;
	struct function *callee;
	uint32_t n;

	if (f->is_done || f->is_active)
		return;
	f->is_active = true; /* the kernel refuses recursion */
	f->frames = 1;
	for (uint64_t at = f->start; at < f->end; at += WORD) {
		const struct bpf_insn *insn = code_at(o, f->section, at);

		own = follow(&r, insn, own);
		f->branches += is_branch(insn);
		if (bpf_insn_is_wide(insn))
			at += WORD;
		if (insn->code != (BPF_JMP | BPF_CALL) || insn->src_reg != BPF_PSEUDO_CALL ||
		    o->is_relocated[f->section][at / WORD])
			continue;
		callee = function_at(o, f->section, at + ((uint64_t)insn->imm + 1) * WORD);
		add_call(f, o, callee);
		add_branches(f, callee);
	}
	rel = bpf_elf_relocations(&o->elf, f->section, &n);
	for (uint32_t i = 0; i < n; i++)
		if (rel[i].r_offset >= f->start && rel[i].r_offset < f->end)
			add_relocated(o, f, &rel[i]);
	f->bytes += rounded((uint32_t)own, ROUND);
	f->least += rounded((uint32_t)own, ROUND_LEAST);
	f->is_active = false;
	f->is_done = true;
}

/* The number of functions of a program that were not counted yet. */
static uint32_t count(struct function *f, const struct function *program)
{
	uint32_t n = 1;

	if (f->counted_by == program)
		return 0;
	f->counted_by = program;
	for (uint32_t i = 0; i < f->n_calls; i++)
		n += count(f->calls[i], program);
	return n;
}

/* ---- jumps ------------------------------------------------------------------------------- */

/* The most instructions that the verifier adds in place of a call of a helper: do_misc_fixups() and
 * map_gen_lookup() of the kernel. Other calls stay one instruction. */
static uint32_t growth_of_call(const struct bpf_insn *call)
{
	if (call->src_reg == BPF_PSEUDO_CALL)
		return 0;
	switch (call->imm) {
	case BPF_FUNC_loop: return 20;
	case BPF_FUNC_map_lookup_elem:
	case BPF_FUNC_map_lookup_percpu_elem:
	case BPF_FUNC_get_func_arg:
	case BPF_FUNC_tail_call: return 10;
	case BPF_FUNC_get_smp_processor_id:
	case BPF_FUNC_get_current_task:
	case BPF_FUNC_get_func_ret:
	case BPF_FUNC_jiffies64: return 4;
	default: return 0;
	}
}

/* The instructions that the verifier adds to one: divisions get a test for 0. */
static uint32_t growth(const struct bpf_insn *insn)
{
	if (insn->code == (BPF_JMP | BPF_CALL))
		return growth_of_call(insn);
	if (BPF_CLASS(insn->code) != BPF_ALU && BPF_CLASS(insn->code) != BPF_ALU64)
		return 0;
	return BPF_OP(insn->code) == BPF_DIV || BPF_OP(insn->code) == BPF_MOD ? 4 : 0;
}

static uint32_t longest_jump(const struct object *o, const struct function *f)
{
	uint32_t n = (uint32_t)((f->end - f->start) / WORD), most = 0;
	uint32_t *before = arena_alloc(o->arena, (n + 1) * sizeof(*before));
	const struct bpf_insn *insns = code_at(o, f->section, f->start);

	for (uint32_t i = 0; i < n; i++)
		before[i + 1] = before[i] + 1 + growth(&insns[i]);
	for (uint32_t i = 0; i < n; i++) {
		bool is_jump = BPF_CLASS(insns[i].code) == BPF_JMP ||
			       BPF_CLASS(insns[i].code) == BPF_JMP32;
		int64_t to = (int64_t)i + 1 + insns[i].off;
		uint32_t length;

		if (!is_jump || !insns[i].off || to < 0 || to > n)
			continue;
		length = to > i ? before[to] - before[i] : before[i] - before[to];
		most = length > most ? length : most;
	}
	return most;
}

static void note_most(uint32_t *most, const char **name, uint32_t n, const struct function *f)
{
	if (n <= *most)
		return;
	*most = n;
	*name = f->name;
}

struct stack_depth stack_depth_of(struct arena *a, const struct stack_object *object,
				  const struct stack_object *linked)
{
	struct object *o = read_object(a, object);
	struct stack_depth most = {0};

	o->linked = linked ? read_object(a, linked) : NULL;
	for (uint32_t i = 0; i < o->n_functions; i++) {
		struct function *f = &o->functions[i];

		measure(o, f);
		note_most(&most.bytes, &most.program, f->bytes, f);
		note_most(&most.frames, &most.nested, f->frames, f);
		note_most(&most.functions, &most.widest, count(f, f), f);
		if (f->least > most.least)
			most.least = f->least;
		if (f->branches > most.branches)
			most.branches = f->branches;
		if ((f->end - f->start) / WORD > STACK_JUMP / 4) /* else it has no long jump */
			note_most(&most.jump, &most.longest, longest_jump(o, f), f);
	}
	return most;
}
