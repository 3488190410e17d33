/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as text.
 */
#include "cli/explain/explain.h"
#include "parser/lang/ast.h"

/* How to read the stage, indented. */
static void write_how(const char *how, FILE *f)
{
	for (const char *end; *how; how = end + 1) {
		end = strchrnul(how, '\n');
		fprintf(f, "   %.*s\n", (int)(end - how), how);
		if (!*end)
			return;
	}
}

void explain_write_text(const struct explain *x, FILE *f)
{
	bool is_first = true;

	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++) {
		if (!explain_has(x, i))
			continue;
		fprintf(f, "%s== %s: %s\n", is_first ? "" : "\n", explain_rows[i].word,
			explain_rows[i].what);
		write_how(explain_rows[i].how, f);
		script_lines_write(&x->texts[i], x->program->source, explain_rows[i].is_beside, f);
		is_first = false;
	}
}
