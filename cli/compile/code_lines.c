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
#include <stdio.h>
#include <string.h>

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
		n += !i || !insn_is_wide(&f->insns[i - 1].insn);
	return n;
}

static void add_function(struct script_lines *t, const struct source *s,
			 const struct code_function *f)
{
	struct bpf_insn *insns = arena_alloc(t->arena, (f->n_insns + 1) * sizeof(*insns));
	bool is_program = strcmp(f->section, ".text") != 0;
	char text[160];

	for (uint32_t i = 0; i < f->n_insns; i++)
		insns[i] = f->insns[i].insn;
	if (is_program)
		script_lines_add(t, 0, "program %s, section %s, %u instructions", f->name,
				 f->section, count_insns(f));
	else
		script_lines_add(t, 0, "function %s, %u instructions", f->name, count_insns(f));
	for (uint32_t i = 0; i < f->n_insns; i++) {
		const struct code_insn *c = &f->insns[i];
		uint32_t line = is_script(s, c->file) && c->line <= s->n_lines ? c->line : 0;

		insn_text(insns, i, f->n_insns, c->symbol, text, sizeof(text));
		script_lines_add(t, line, "%5u: %s", i, text);
		i += insn_is_wide(&c->insn);
	}
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
