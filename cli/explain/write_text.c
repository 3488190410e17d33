/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as text. In the stages that are shown beside the script, each change of the line is
 * announced by the line itself.
 */
#include "cli/explain/explain.h"
#include "parser/base/escape.h"
#include "parser/base/source.h"
#include "parser/lang/ast.h"

static void write_script_line(const struct source *s, uint32_t line, FILE *f)
{
	uint32_t len;
	const char *text = source_line(s, line, &len);

	while (len && (*text == ' ' || *text == '\t'))
		text++, len--;
	fprintf(f, "%4u | %.*s\n", line, (int)len, text);
}

void explain_write_lines(const struct source *s, const struct explain_text *t, bool is_beside,
			 FILE *f)
{
	uint32_t line = 0;

	for (size_t i = 0; i < t->lines.n; i++) {
		const struct explain_line *l = &t->lines.items[i];

		if (is_beside && l->line && l->line != line && l->line <= s->n_lines)
			write_script_line(s, l->line, f);
		line = l->line ? l->line : line;
		fprintf(f, "%s%s\n", is_beside && l->line ? "     | " : "", l->text);
	}
}

void explain_write_text(const struct explain *x, FILE *f)
{
	bool is_first = true;

	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++) {
		const struct explain_text *t = &x->texts[i];

		if (t->is_empty)
			continue;
		fprintf(f, "%s== %s: %s\n", is_first ? "" : "\n", explain_rows[i].word,
			explain_rows[i].what);
		explain_write_lines(x->program->source, t, explain_rows[i].is_beside, f);
		is_first = false;
	}
}
