/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report as one HTML page that needs no other file: the script at the top, the stages below
 * it. Elements that belong to a line of the script have its number in data-l; page/explain.js
 * highlights them. A part of the script has its index in data-p, and in data-z that of the last
 * part within it; code has the index of its part. What a token is is in data-t, by which
 * page/explain.css colours it.
 */
#include "cli/explain/explain.h"
#include "cli/options/options.h"
#include "parser/base/arena.h"
#include "parser/base/escape.h"
#include "parser/base/source.h"
#include "parser/lang/ast.h"
#include "parser/syntax/token_dump.h"

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

/* What each byte of the script belongs to: the kind of its token; NULL: none. */
struct token_map {
	const char **kinds;
	uint32_t n;
};

static void note_token(void *ctx, struct span span, const char *kind)
{
	struct token_map *m = ctx;

	for (uint32_t i = span.start; i < span.end && i < m->n; i++)
		m->kinds[i] = kind;
}

static void write_kind(const char *kind, FILE *f)
{
	fputs(" data-t=\"", f);
	write_word(kind, f);
	fputc('"', f);
}

/* Text of one line without the start of a part: tokens, and what is between them. */
static void write_run(const struct source *s, const struct token_map *m, struct span run, FILE *f)
{
	for (uint32_t at = run.start, end; at < run.end; at = end) {
		for (end = at + 1; end < run.end && m->kinds[end] == m->kinds[at]; end++)
			;
		fputs("<u", f);
		write_kind(m->kinds[at] ?: "comment", f);
		fputc('>', f);
		escape_xml_write(s->text + at, end - at, f);
		fputs("</u>", f);
	}
}

/* Where the next part begins, or an open one ends; at the latest the end of the line. */
static uint32_t next_edge(const struct script_parts *parts, uint32_t at, uint32_t end)
{
	for (uint32_t i = 1; i < parts->items.n; i++) {
		const struct script_part *p = &parts->items.items[i];

		if (p->start > at && p->start < end)
			end = p->start;
		if (p->end > at && p->end < end)
			end = p->end;
	}
	return end;
}

/* A line of the script; each part that begins in it is an element, which ends with the line at the
 * latest. Parts lie within each other. */
static void write_parts(const struct script_parts *parts, const struct source *s,
			const struct token_map *m, uint32_t line, FILE *f)
{
	uint32_t len, open[MOST_NESTED], n = 0;
	const char *text = source_line(s, line, &len);
	uint32_t start = (uint32_t)(text - s->text), end = start + len;

	for (uint32_t at = start, next; at <= end; at = next) {
		for (; n && (open[n - 1] <= at || at == end); n--)
			fputs("</i>", f);
		if (at == end)
			return;
		for (uint32_t i = 1; i < parts->items.n && n < MOST_NESTED; i++) {
			const struct script_part *p = &parts->items.items[i];

			if (p->start != at)
				continue;
			fprintf(f, "<i data-p=\"%u\" data-z=\"%u\">", i, last_within(parts, i));
			open[n++] = p->end;
		}
		next = next_edge(parts, at, end);
		write_run(s, m, (struct span){.start = at, .end = next}, f);
	}
}

static void write_script(const struct source *s, const struct script_parts *parts, FILE *f)
{
	struct token_map m = {.n = (uint32_t)strlen(s->text)};

	m.kinds = calloc(m.n + 1, sizeof(*m.kinds));
	if (!m.kinds)
		arena_out_of_memory();
	token_each(s, note_token, &m);
	fputs("<div id=\"script\"><h1>", f);
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
		write_parts(parts, s, &m, i, f);
		fputs("</span></li>\n", f);
	}
	fputs("</ol></div>\n", f);
	free(m.kinds);
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
		fputs("<span", f);
		if (l->line)
			fprintf(f, " data-l=\"%u\"", l->line);
		if (l->line && l->part)
			fprintf(f, " data-p=\"%u\"", l->part);
		if (l->kind)
			write_kind(l->kind, f);
		fputc('>', f);
		write_word(l->text, f);
		fputs("</span>", f);
	}
	fputs("</pre></details>\n", f);
}

static void write_stages(const struct explain *x, FILE *f)
{
	fputs("<div id=\"stages\"><nav>", f);
	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++)
		if (explain_has(x, i))
			fprintf(f, "<a href=\"#%s\">%s</a>", explain_rows[i].word,
				explain_rows[i].word);
	fputs("</nav>\n", f);
	for (int i = 0; i < EXPLAIN_STAGE_COUNT; i++)
		if (explain_has(x, i))
			write_stage(&explain_rows[i], &x->texts[i],
				    explain_rows[i].is_open || x->options->compile.stages, f);
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
