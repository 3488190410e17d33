/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types and constants of the headers that a script includes. Most scripts need nothing of them:
 * types come from the kernel. When a name is unknown, and the words of the headers contain it, the
 * machine's C preprocessor is run once (struct kernel, preprocess_c) on the #include lines and, for
 * each word of the script that is in the headers,
 *
 *	sonde_constant "WORD" WORD
 *
 * in which it replaces the second WORD if that is a macro. The definitions before these lines are
 * read by the parser of the C section, which skips functions and variables.
 */
#include "parser/csection/c_headers.h"
#include "parser/csection/c_parse.h"
#include "parser/csection/header_words.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include "parser/lang/kernel.h"
#include <stdlib.h>
#include <string.h>

struct c_headers {
	struct c_more more; /* first */
	const struct preprocessor *pre;
	struct arena *arena;
	struct kernel *kernel;
	const char *dir; /* the script's */
	struct header_words *words;
	uint32_t n_scanned;    /* includes whose words were read */
	struct c_types *types; /* of the first n_read includes; NULL: none */
	uint32_t n_read;
	struct source *text;	  /* what the preprocessor printed for these */
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

static const char marker[] = "sonde_constant";

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

struct written {
	const char **words;
	uint32_t n_words;
};

/* Lines for the words of a file that are in the headers, each once. */
static void write_words(const struct c_headers *h, struct written *done, const struct source *s,
			FILE *out)
{
	uint32_t at = s->base, i;
	struct c_token t;

	while ((t = c_token_read(s, &at, s->base + s->len)).kind != CT_END) {
		const char *name;

		if (t.kind != CT_NAME || !header_words_find(h->words, t.text, t.len))
			continue;
		name = c_token_name(h->arena, &t);
		for (i = 0; i < done->n_words && strcmp(done->words[i], name) != 0; i++)
			;
		if (i < done->n_words)
			continue;
		arena_push(h->arena, done->words, done->n_words, name);
		fprintf(out, "%s \"%s\" %s\n", marker, name, name);
	}
}

/* Those of the script and of what it imports. */
static void write_all_words(const struct c_headers *h, FILE *out)
{
	const struct source_parts *parts = h->pre->source->parts;
	struct written done = {0};

	write_words(h, &done, h->pre->source, out);
	for (uint32_t i = 0; i < parts->n; i++)
		if (!parts->items[i].call.end && parts->items[i].file->is_file)
			write_words(h, &done, parts->items[i].file, out);
}

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
	write_all_words(h, out);
	if (fclose(out))
		arena_out_of_memory();
	return text;
}

/* ---- reading its output ---- */

/* The tokens up to the next marker. */
static struct c_tokens read_part(struct c_headers *h, const struct source *s, uint32_t *at)
{
	struct c_tokens part = {0};
	bool is_line = false;
	struct c_token t;

	for (;;) {
		t = c_token_read(s, at, s->base + s->len);
		if (t.begins_line || t.span.start == s->base)
			is_line = c_token_is(&t, '#'); /* #define, #pragma */
		if (t.kind == CT_END || c_token_is_word(&t, marker))
			break;
		if (!is_line)
			arena_push(h->arena, part.items, part.n, t);
	}
	t.kind = CT_END;
	arena_push(h->arena, part.items, part.n, t);
	return part;
}

/* "WORD" and what it stands for; a macro that is no number is left out. */
static void read_constant(struct c_headers *h, struct c_parser *p, struct c_tokens part)
{
	const struct c_token *word = &part.items[0], *value = &part.items[1];
	struct c_value v;

	if (part.n < 3 || word->kind != CT_STRING ||
	    (part.n == 3 && value->len == word->len - 2 &&
	     memcmp(value->text, word->text + 1, value->len) == 0))
		return;
	p->tokens = part.items;
	p->at = 1;
	p->is_wrong = false;
	v = c_evaluate(p);
	if (!p->is_wrong && c_next(p)->kind == CT_END)
		c_types_add_constant(h->types,
				     arena_strndup(h->arena, word->text + 1, word->len - 2),
				     type_int(8, !v.is_unsigned), (int64_t)v.bits);
}

static void read_output(struct c_headers *h)
{
	struct diags quiet = {.arena = h->arena, .source = h->text};
	struct c_parser p = {.arena = h->arena,
			     .diags = &quiet,
			     .types = h->types = c_types_new(h->arena),
			     .pre = arena_new_of(h->arena, struct preprocessor),
			     .is_header = true};
	uint32_t at = h->text->base, end = at + h->text->len;

	p.tokens = read_part(h, h->text, &at).items;
	c_parse(&p);
	while (at < end)
		read_constant(h, &p, read_part(h, h->text, &at));
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
		return c_types_find(h->types, kind, name);
	if (is_first)
		report_failure(h, false, name);
	return NULL;
}

static const struct c_constant *find_constant(struct c_more *m, const char *name)
{
	struct c_headers *h = (struct c_headers *)m;

	return find_word(h, name) && is_read(h) ? c_types_constant(h->types, name) : NULL;
}

static const char *hint(struct c_more *m, const char *name)
{
	struct c_headers *h = (struct c_headers *)m;

	if (find_word(h, name) && h->why)
		return arena_printf(h->arena, "a header that is included may define it: %s",
				    h->why);
	if (h->missing.path && h->missing.is_quoted)
		return arena_printf(
			h->arena,
			"\"%s\" was not found, which may define it: correct its path, or give its "
			"folder with -I",
			h->missing.path);
	if (h->missing.path)
		return arena_printf(
			h->arena,
			"<%s> was not found, which may define it: install its package, or "
			"give its folder with -I",
			h->missing.path);
	return NULL;
}

struct c_headers *c_headers_new(const struct preprocessor *pre, struct kernel *k)
{
	struct c_headers *h = arena_new_of(pre->arena, struct c_headers);
	const char *slash = pre->source->is_file ? strrchr(pre->source->name, '/') : NULL;

	h->more = (struct c_more){.type = find_type, .constant = find_constant, .hint = hint};
	h->pre = pre;
	h->arena = pre->arena;
	h->kernel = k;
	h->dir = slash ? arena_strndup(pre->arena, pre->source->name,
				       (size_t)(slash - pre->source->name))
		       : ".";
	h->words = header_words_new(pre->arena, k, h->dir);
	return h;
}

struct c_more *c_headers_more(struct c_headers *h)
{
	return &h->more;
}

bool c_headers_constant(struct preprocessor *p, const char *name, struct c_value *v)
{
	const struct c_constant *c = p->headers ? find_constant(&p->headers->more, name) : NULL;

	if (c)
		*v = (struct c_value){(uint64_t)c->value, false};
	else if (p->headers && find_word(p->headers, name))
		report_failure(p->headers, true, name);
	return c;
}
