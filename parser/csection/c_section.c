/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes a script's C section: preprocessor, definitions, values of macros. Does nothing for a
 * script that has none.
 */
#include "parser/csection/c_section.h"
#include "parser/csection/c_parse.h"
#include "parser/csection/macro_values.h"
#include "parser/csection/preprocess.h"
#include "parser/base/diag.h"
#include "parser/lang/ast.h"
#include "parser/lang/kernel.h"

static void predefine(struct preprocessor *p, struct kernel *k)
{
	preprocess_define(p, "SONDE", 1);
	if (kernel_has(k, CAP_BTF))
		preprocess_define(p, "BPFTRACE_HAVE_BTF", 1);
#ifdef __aarch64__
	preprocess_define(p, "__aarch64__", 1);
#else
	preprocess_define(p, "__x86_64__", 1);
#endif
	preprocess_define(p, "__LP64__", 1);
	preprocess_define(p, "__bpf__", 1);
}

void c_section(struct arena *a, struct program *program, struct kernel *k, struct diags *d)
{
	struct preprocessor p = {.arena = a, .diags = d, .source = program->source};
	struct c_parser parser = {.arena = a, .diags = d, .types = program->c_types, .pre = &p};

	if (!program->n_c_items)
		return;
	predefine(&p, k);
	preprocess(&p, program);
	parser.tokens = p.out.items;
	c_parse(&parser);
	if (p.n_macros)
		macro_values_replace(&p, program);
}
