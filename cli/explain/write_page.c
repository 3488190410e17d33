/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as one HTML page that needs no other file: the script on the left, the stages on the
 * right. Elements that belong to a line of the script have its number in data-l; page/explain.js
 * highlights them. A part of the script has its index in data-p, and in data-z that of the last
 * part within it; code has the index of its part.
 */
#include "cli/explain/explain.h"
#include "cli/options/options.h"
#include "parser/base/escape.h"
#include "parser/base/source.h"
#include "parser/lang/ast.h"

enum { MOST_NESTED = 256 };

/* files of cli/explain/page, with a NUL at the end */
extern const char sonde_explain_css[], sonde_explain_js[];

static void write_word(const char *text, FILE *f)
{
	escape_xml_write(text, strlen(text), f);
}

/* The index of the last part within part `i`: parts are in the order of their starts. */
static uint32_t last_within(const struct script_parts *parts, uint32_t i)
{
	uint32_t last = i;

	while (last + 1 < parts->items.n &&
	       parts->items.items[last + 1].start < parts->items.items[i].end)
		last++;
	return last;
}

/* A line of the script; each part that begins in it is an element, which ends with the line at the
 * latest. Parts lie within each other. */
static void write_parts(const struct script_parts *parts, const struct source *s, uint32_t line,
			FILE *f)
{
	uint32_t len, open[MOST_NESTED], n = 0;
	const char *text = source_line(s, line, &len);
	uint32_t start = (uint32_t)(text - s->text);

	for (uint32_t at = start, n_bytes; at <= start + len; at += n_bytes) {
		for (; n && (open[n - 1] <= at || at == start + len); n--)
			fputs("</i>", f);
		if (at == start + len)
			return;
		for (uint32_t i = 1; i < parts->items.n && n < MOST_NESTED; i++) {
			const struct script_part *p = &parts->items.items[i];

			if (p->start != at)
				continue;
			fprintf(f, "<i data-p=\"%u\" data-z=\"%u\">", i, last_within(parts, i));
			open[n++] = p->end;
		}
		n_bytes = (uint32_t)utf8_length(s->text + at, start + len - at) ?: 1;
		escape_xml_write(s->text + at, n_bytes, f);
	}
}

static void write_script(const struct source *s, const struct script_parts *parts, FILE *f)
{
	fputs("<div id=\"left\"><h1>", f);
	write_word(s->is_file ? s->name : "the script", f);
	fputs("</h1><p>Point at a line, at its number for all of it, or walk through the lines with Tab "
	      "and the arrow keys: what it becomes lights up. A click keeps it lit.</p>\n<ol>\n",
	      f);
	for (uint32_t i = 1; i <= s->n_lines; i++) {
		uint32_t len;

		source_line(s, i, &len);
		if (i == s->n_lines && !len)
			break; /* the end of the text, after the last newline */
		fprintf(f, "<li tabindex=\"0\" data-l=\"%u\"><b>%u</b><span>", i, i);
		write_parts(parts, s, i, f);
		fputs("</span></li>\n", f);
	}
	fputs("</ol></div>\n", f);
}

/* Lines of text as one paragraph. */
static void write_how(const char *how, FILE *f)
{
	for (size_t n; *how; how += n + (how[n] == '\n')) {
		n = strcspn(how, "\n");
		escape_xml_write(how, n, f);
		if (how[n] && how[n + 1])
			fputc(' ', f);
	}
}

/* Where the part changes, its text. */
static void write_head(const struct script_lines *t, size_t i, FILE *f)
{
	const struct script_line *l = &t->lines.items[i];

	while (i && !t->lines.items[i - 1].part)
		i--;
	if (i && t->lines.items[i - 1].part == l->part)
		return;
	fprintf(f, "<em data-l=\"%u\" data-p=\"%u\">", l->line, l->part);
	write_word(t->parts->items.items[l->part].text, f);
	fputs("</em>", f);
}

static void write_stage(const struct explain_row *row, const struct script_lines *t, bool is_open,
			FILE *f)
{
	/* stages before the code are closed, so that lines highlight what is below */
	fprintf(f, "<details%s id=\"%s\"><summary>%s<small>", is_open ? " open" : "", row->word,
		row->word);
	write_word(row->what, f);
	fputs("</small><output></output></summary>", f);
	if (*row->how) {
		fputs("<p>", f);
		write_how(row->how, f);
		fputs("</p>", f);
	}
	fputs("<pre tabindex=\"0\">", f);
	for (size_t i = 0; i < t->lines.n; i++) {
		const struct script_line *l = &t->lines.items[i];

		if (l->line && l->part && row->is_beside)
			write_head(t, i, f);
		if (l->line && l->part)
			fprintf(f, "<span data-l=\"%u\" data-p=\"%u\">", l->line, l->part);
		else if (l->line)
			fprintf(f, "<span data-l=\"%u\">", l->line);
		else
			fputs("<span>", f);
		write_word(l->text, f);
		fputs("</span>", f);
	}
	fputs("</pre></details>\n", f);
}

static void write_stages(const struct explain *x, FILE *f)
{
	fputs("<div id=\"right\"><nav>", f);
	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++)
		if (explain_has(x, i))
			fprintf(f, "<a href=\"#%s\">%s</a>", explain_rows[i].word,
				explain_rows[i].word);
	fputs("</nav>\n", f);
	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++)
		if (explain_has(x, i))
			write_stage(&explain_rows[i], &x->texts[i],
				    i >= EXPLAIN_IR || x->options->compile.stages, f);
	fputs("</div>\n", f);
}

void explain_write_page(const struct explain *x, FILE *f)
{
	const struct source *s = x->program->source;

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>sonde explain ",
	      f);
	write_word(s->is_file ? s->name : "", f);
	fprintf(f, "</title>\n<style>\n%s</style></head><body>\n", sonde_explain_css);
	write_script(s, &x->parts, f);
	write_stages(x, f);
	fprintf(f, "<script>\n%s</script>\n</body></html>\n", sonde_explain_js);
}
