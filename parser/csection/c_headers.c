/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types, constants and macros of the headers that a script includes. Most scripts need nothing of
 * them: types come from the kernel. When a name is unknown, and the words of the headers contain
 * it, the machine's C preprocessor is run once (struct kernel, preprocess_c) on the #include lines.
 * What it prints is read by the parser of the C section, which skips functions and variables; the
 * #define lines in it are processed when something needs the macro.
 */
#include "parser/csection/c_headers.h"
#include "parser/csection/c_parse.h"
#include "parser/csection/header_words.h"
#include "parser/lang/kernel.h"
#include <stdlib.h>

struct c_headers {
	struct c_more more; /* first */
	const struct preprocessor *pre;
	struct arena *arena;
	struct kernel *kernel;
	const char *dir; /* the script's */
	struct header_words *words;
	uint32_t n_scanned; /* includes whose words were read */
	uint32_t n_read;
	struct source *text;	 /* what the preprocessor printed for these */
	struct preprocessor own; /* of the macros in it */
	struct c_parser parser;	 /* of its tokens */
	struct diags quiet;
	const char *why;	  /* the preprocessor failed */
	struct c_include missing; /* a header that was not found; without a path: none */
	bool is_reported;	  /* `why`, at an #include */
};

/* Report that the headers are needed: without them a value or layout would be another one. */
static void report_failure(struct c_headers *h, bool is_error, const char *name)
{
	struct span s = h->pre->includes[0].span;

	if (h->is_reported || !h->why)
		return;
	h->is_reported = true;
	if (is_error)
		diag_error(h->pre->diags, s, "header",
			   "the headers may define %s, which #if uses: %s", name, h->why);
	else
		diag_warning(h->pre->diags, s, "header",
			     "the headers may define %s: %s; the kernel's is used instead", name,
			     h->why);
}

static void scan(struct c_headers *h)
{
	for (; h->n_scanned < h->pre->n_includes; h->n_scanned++) {
		const struct c_include *i = &h->pre->includes[h->n_scanned];

		if (!header_words_read(h->words, i))
			h->missing = *i;
	}
}

static unsigned find_word(struct c_headers *h, const char *name)
{
	scan(h);
	return header_words_find(h->words, name, strlen(name));
}

/* ---- running the preprocessor ---- */

/* Headers that do not exist are left out. */
static char *make_text(const struct c_headers *h)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		arena_out_of_memory();
	for (uint32_t i = 0; i < h->pre->n_includes; i++) {
		const struct c_include *inc = &h->pre->includes[i];
		char open = inc->is_quoted ? '"' : '<', close = inc->is_quoted ? '"' : '>';

		fprintf(out, "#if __has_include(%c%s%c)\n#include %c%s%c\n#endif\n", open,
			inc->path, close, open, inc->path, close);
	}
	if (fclose(out))
		arena_out_of_memory();
	return text;
}

/* ---- reading its output ---- */

static void read_output(struct c_headers *h)
{
	uint32_t at = h->text->base, end = at + h->text->len;
	bool is_line = false;
	struct c_tokens tokens = {0};
	struct c_token t;

	do {
		t = c_token_read(h->text, &at, end);
		if (t.begins_line || t.span.start == h->text->base)
			is_line = c_token_is(&t, '#'); /* #define, #pragma */
		if (!is_line || t.kind == CT_END)
			arena_push(h->arena, tokens.items, tokens.n, t);
	} while (t.kind != CT_END);
	h->quiet = (struct diags){.arena = h->arena, .source = h->text};
	h->own = (struct preprocessor){.arena = h->arena,
				       .diags = &h->quiet,
				       .source = h->text,
				       .headers = h};
	h->parser = (struct c_parser){.arena = h->arena,
				      .diags = &h->quiet,
				      .types = c_types_new(h->arena),
				      .pre = &h->own,
				      .tokens = tokens.items,
				      .is_header = true};
	c_parse(&h->parser);
}

/* Read the headers unless that was done. */
static bool is_read(struct c_headers *h)
{
	const char *out;
	char *text;

	if (h->n_read == h->pre->n_includes)
		return h->text;
	h->n_read = h->pre->n_includes;
	text = make_text(h);
	out = h->kernel->preprocess_c(h->kernel, h->arena, text, h->dir, &h->why);
	free(text);
	h->text = out ? source_from_text(h->arena, "headers", out, strlen(out)) : NULL;
	if (h->text && !source_add_file(h->arena, h->pre->source, h->text))
		h->text = NULL;
	if (h->text)
		read_output(h);
	else if (out)
		h->why = "the headers are too large";
	return h->text;
}

/* ---- macros ---- */

static bool is_line(const char *text, uint32_t len, const char *word, const char *name)
{
	size_t n = strlen(word), n_name = strlen(name);

	return len >= n + n_name && !memcmp(text, word, n) && !memcmp(text + n, name, n_name) &&
	       (len == n + n_name || strchr(" (", text[n + n_name]));
}

/* The number of the last line that defines the macro, from 1; 0: there is none. */
static uint32_t line_of_macro(const struct source *s, const char *name)
{
	for (uint32_t line = s->n_lines; line; line--) {
		uint32_t n;
		const char *text = source_line(s, line, &n);

		if (is_line(text, n, "#define ", name))
			return line;
		if (is_line(text, n, "#undef ", name))
			return 0;
	}
	return 0;
}

/* Define the macro, and those that its text names, unless they are. */
static struct c_macro *define_macro(struct c_headers *h, struct preprocessor *p, const char *name,
				    uint32_t depth)
{
	struct c_macro *m = preprocess_find(p, name, strlen(name));
	uint32_t line = m || depth == LIMIT_C_NESTING ? 0 : line_of_macro(h->text, name), len, at;
	struct c_tokens text;

	if (!line)
		return m;
	at = h->text->base + h->text->lines[line - 1];
	source_line(h->text, line, &len);
	preprocess_part(p, h->text, (struct span){at, at + len});
	m = preprocess_find(p, name, strlen(name));
	if (!m)
		return NULL;
	m->is_of_header = true;
	text = m->tokens; /* the list of macros may move */
	for (uint32_t i = 0; i < text.n; i++)
		if (text.items[i].kind == CT_NAME)
			define_macro(h, p, c_token_name(h->arena, &text.items[i]), depth + 1);
	return preprocess_find(p, name, strlen(name));
}

struct c_macro *c_headers_macro(struct preprocessor *p, const char *name)
{
	struct c_headers *h = p->headers;

	return h && find_word(h, name) && is_read(h) ? define_macro(h, p, name, 0) : NULL;
}

/* ---- questions ---- */

static const struct type *find_type(struct c_more *m, enum c_kind kind, const char *name,
				    bool is_first)
{
	struct c_headers *h = (struct c_headers *)m;
	unsigned found = find_word(h, name);

	if (is_first)
		found &= kind == C_TYPEDEF ? WORD_OF_SCRIPT : WORD_OF_SYSTEM | WORD_OF_SCRIPT;
	if (!found)
		return NULL;
	if (is_read(h))
		return c_types_find(h->parser.types, kind, name);
	if (is_first)
		report_failure(h, false, name);
	return NULL;
}

/* The value of a macro, if it is a number. */
static const struct c_name *macro_constant(struct c_headers *h, const char *name)
{
	struct c_macro *m = define_macro(h, &h->own, name, 0);
	struct c_token t = {.kind = CT_NAME, .text = name, .len = (uint32_t)strlen(name)},
		       end = {0};
	struct c_tokens in = {&t, 1}, out = {0};
	struct c_value v;

	if (!m || m->is_function)
		return NULL;
	preprocess_expand(&h->own, &in, &out);
	arena_push(h->arena, out.items, out.n, end);
	h->parser.tokens = out.items;
	h->parser.at = 0;
	h->parser.is_wrong = false;
	v = c_evaluate(&h->parser);
	if (c_next(&h->parser)->kind != CT_END || h->parser.is_wrong)
		return NULL;
	c_types_add_constant(h->parser.types, name, type_int(8, !v.is_unsigned), (int64_t)v.bits);
	return c_types_constant(h->parser.types, name);
}

static const struct c_name *find_constant(struct c_more *m, const char *name)
{
	struct c_headers *h = (struct c_headers *)m;
	const struct c_name *c, *macro = NULL;

	if (!find_word(h, name) || !is_read(h))
		return NULL;
	c = c_types_constant(h->parser.types, name);
	if (!c || !c->is_own)
		macro = macro_constant(h, name);
	return macro ? macro : c;
}

static const char *hint(struct c_more *m, const char *name)
{
	struct c_headers *h = (struct c_headers *)m;

	if (find_word(h, name) && h->why)
		return arena_printf(h->arena, "an included header may define it: %s", h->why);
	if (h->missing.path)
		return arena_printf(
			h->arena,
			"%c%s%c may define it, but was not found: %s, or give its folder with -I",
			h->missing.is_quoted ? '"' : '<', h->missing.path,
			h->missing.is_quoted ? '"' : '>',
			h->missing.is_quoted ? "correct its path" : "install its package");
	return NULL;
}

void c_headers_new(struct preprocessor *pre, struct c_types *types, struct kernel *k)
{
	struct c_headers *h = arena_new_of(pre->arena, struct c_headers);

	h->more = (struct c_more){.type = find_type, .constant = find_constant, .hint = hint};
	h->pre = pre;
	h->arena = pre->arena;
	h->kernel = k;
	h->dir = pre->source->is_file ? header_dir(h->arena, pre->source->name) : ".";
	h->words = header_words_new(pre->arena, k, h->dir);
	pre->headers = h;
	types->more = &h->more;
}

bool c_headers_constant(struct preprocessor *p, const char *name, struct c_value *v)
{
	const struct c_name *c = p->headers ? find_constant(&p->headers->more, name) : NULL;

	if (c)
		*v = (struct c_value){(uint64_t)c->value, false};
	else if (p->headers && find_word(p->headers, name))
		report_failure(p->headers, true, name);
	return c;
}
