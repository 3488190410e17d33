/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See code_lines.h.
 */
#include "cli/compile/code_lines.h"
#include "cli/base/script_lines.h"
#include "parser/base/arena.h"
#include "parser/base/source.h"
#include "runtime/explain/insn_text.h"
#include "runtime/explain/object_code.h"
#include "runtime/explain/own_symbol.h"
#include "runtime/kernel/helper_name.h"

/* BTF has the file as LLVM joins it: "./NAME". */
static bool is_script(const struct source *s, const char *file)
{
	size_t n = strlen(s->name), len = file ? strlen(file) : 0;

	return len >= n && strcmp(file + len - n, s->name) == 0 &&
	       (len == n || file[len - n - 1] == '/');
}

static uint32_t count_insns(const struct code_function *f)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n_insns; i++)
		n += !i || !bpf_insn_is_wide(&f->insns[i - 1].insn);
	return n;
}

/* What a reader should know of an instruction: the member whose offset the kernel fills in, or
 * what a helper, a map or a variable is for, where it is named first. */
static const char *comment_of(const struct code_function *f, uint32_t at)
{
	const struct code_insn *c = &f->insns[at];
	bool is_call = c->insn.code == (BPF_JMP | BPF_CALL) && !c->insn.src_reg;

	if (c->core || (!is_call && !c->symbol))
		return c->core;
	for (uint32_t i = 0; i < at; i++) {
		const struct code_insn *o = &f->insns[i];

		if (is_call ? o->insn.code == c->insn.code && !o->insn.src_reg &&
				      o->insn.imm == c->insn.imm
			    : o->symbol && strcmp(o->symbol, c->symbol) == 0)
			return NULL;
	}
	return is_call ? helper_purpose((uint32_t)c->insn.imm) : own_symbol_purpose(c->symbol);
}

static void add_insn(struct script_lines *t, const struct source *s, const struct code_function *f,
		     const struct bpf_insn *insns, uint32_t at)
{
	const struct code_insn *c = &f->insns[at];
	bool is_known = is_script(s, c->file) && c->line <= s->n_lines;
	const char *comment = comment_of(f, at);
	char text[160], line[320];

	insn_text(insns, at, f->n_insns, c->symbol, text, sizeof(text));
	snprintf(line, sizeof(line), comment ? "%5u: %-30s ; %s" : "%5u: %s", at, text, comment);
	script_lines_add_at(t, is_known ? c->line : 0, c->column, line);
}

static void add_function(struct script_lines *t, const struct source *s,
			 const struct code_function *f)
{
	struct bpf_insn *insns = arena_alloc(t->arena, (f->n_insns + 1) * sizeof(*insns));
	bool is_program = strcmp(f->section, ".text") != 0;

	for (uint32_t i = 0; i < f->n_insns; i++)
		insns[i] = f->insns[i].insn;
	if (is_program)
		script_lines_add(t, 0, "program %s, section %s, %u instructions", f->name,
				 f->section, count_insns(f));
	else
		script_lines_add(t, 0, "function %s, %u instructions", f->name, count_insns(f));
	for (uint32_t i = 0; i < f->n_insns; i += bpf_insn_is_wide(&insns[i]) + 1u)
		add_insn(t, s, f, insns, i);
}

void code_lines_add(struct script_lines *t, const struct source *s, const struct code_object *code)
{
	for (uint32_t i = 0; i < code->n_functions; i++) {
		if (i)
			script_lines_add(t, 0, "%s", "");
		add_function(t, s, &code->functions[i]);
	}
}

int code_lines_write(const struct source *s, const void *elf, size_t len, FILE *f)
{
	struct script_lines t = {.arena = arena_new()};
	struct code_object code;
	int err = object_code_read(t.arena, elf, len, &code);

	if (!err) {
		code_lines_add(&t, s, &code);
		script_lines_write(&t, s, true, f);
	}
	vec_free(&t.lines);
	arena_free(t.arena);
	return err;
}
