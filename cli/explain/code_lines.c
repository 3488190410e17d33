/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See code_lines.h.
 */
#include "cli/explain/code_lines.h"
#include "cli/explain/explain.h"
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

static void add_function(struct explain *x, struct explain_text *t, const struct source *s,
			 const struct code_function *f)
{
	struct bpf_insn *insns = arena_alloc(x->arena, (f->n_insns + 1) * sizeof(*insns));
	bool is_program = strcmp(f->section, ".text") != 0;
	char text[160];

	for (uint32_t i = 0; i < f->n_insns; i++)
		insns[i] = f->insns[i].insn;
	if (is_program)
		explain_add(x, t, 0, "program %s, section %s, %u instructions", f->name, f->section,
			    count_insns(f));
	else
		explain_add(x, t, 0, "function %s, %u instructions", f->name, count_insns(f));
	for (uint32_t i = 0; i < f->n_insns; i++) {
		const struct code_insn *c = &f->insns[i];
		uint32_t line = is_script(s, c->file) && c->line <= s->n_lines ? c->line : 0;

		insn_text(insns, i, f->n_insns, c->symbol, text, sizeof(text));
		explain_add(x, t, line, "%5u: %s", i, text);
		i += insn_is_wide(&c->insn);
	}
}

void code_lines_add(struct explain *x, struct explain_text *t, const struct source *s,
		    const struct code_object *code)
{
	for (uint32_t i = 0; i < code->n_functions; i++) {
		if (i)
			explain_add(x, t, 0, "%s", "");
		add_function(x, t, s, &code->functions[i]);
	}
}
