/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preprocessor: reads the items of the C section, expands macros, and passes lines that begin
 * with '#' to preprocess_line.c. Macros with parameters are remembered but cannot be used: a
 * script has `macro` for that.
 */
#include "parser/csection/preprocess.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/limits.h"
#include "parser/lang/ast.h"
#include <string.h>

static uint32_t bucket_of(const char *name, size_t len)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)name[i]) * 16777619u;
	return hash % N_BUCKETS;
}

struct c_macro *preprocess_find(const struct preprocessor *p, const char *name, size_t len)
{
	uint32_t i = p->buckets[bucket_of(name, len)];

	for (; i; i = p->macros[i - 1].next) {
		struct c_macro *m = &p->macros[i - 1];

		if (!m->is_undefined && strlen(m->name) == len && memcmp(m->name, name, len) == 0)
			return m;
	}
	return NULL;
}

void preprocess_add(struct preprocessor *p, struct c_macro *m)
{
	uint32_t *bucket = &p->buckets[bucket_of(m->name, strlen(m->name))];

	if (p->n_macros == LIMIT_C_MACROS) {
		diag_error(p->diags, m->name_span, "limit-macros",
			   "a script can have at most %d macros", LIMIT_C_MACROS);
		return;
	}
	m->next = *bucket;
	*bucket = p->n_macros + 1;
	arena_push(p->arena, p->macros, p->n_macros, *m);
}

void preprocess_define(struct preprocessor *p, const char *name, uint64_t value)
{
	struct c_macro m = {.name = name};
	const char *text = arena_printf(p->arena, "%llu", (unsigned long long)value);
	struct c_token t = {.kind = CT_NUMBER,
			    .value = value,
			    .text = text,
			    .len = (uint32_t)strlen(text)};

	arena_push(p->arena, m.tokens.items, m.tokens.n, t);
	preprocess_add(p, &m);
}

bool preprocess_is_used(const struct preprocessor *p)
{
	return !p->n_groups || p->groups[p->n_groups - 1].is_used;
}

static bool is_full(struct preprocessor *p, const struct c_token *t)
{
	if (p->n_expanded++ < LIMIT_C_TOKENS)
		return false;
	if (!p->is_full)
		diag_error(p->diags, t->span, "limit-macros",
			   "the macros expand to more than %d tokens", LIMIT_C_TOKENS);
	return p->is_full = true;
}

bool macro_is_itself(const struct c_macro *m)
{
	return m->tokens.n == 1 && m->tokens.items[0].len == strlen(m->name) &&
	       !memcmp(m->tokens.items[0].text, m->name, m->tokens.items[0].len);
}

static void expand(struct preprocessor *p, const struct c_token *t, struct c_tokens *out,
		   uint32_t depth)
{
	struct c_macro *m =
		t->kind == CT_NAME && !t->is_final ? preprocess_find(p, t->text, t->len) : NULL;
	struct c_token copy = *t;

	if (is_full(p, t))
		return;
	if (m && macro_is_itself(m))
		m = NULL;
	if (m && (m->is_active || depth == LIMIT_NESTING)) {
		diag_error(p->diags, m->name_span, "macro-recursive",
			   "the macro %s refers to itself", m->name);
		copy.is_final = true;
		m = NULL;
	}
	if (!m || m->is_function) {
		arena_push(p->arena, out->items, out->n, copy);
		return;
	}
	m->is_active = true;
	for (uint32_t i = 0; i < m->tokens.n; i++) {
		copy = m->tokens.items[i];
		copy.span = t->span;
		copy.begins_line = false;
		expand(p, &copy, out, depth + 1);
	}
	m->is_active = false;
}

void preprocess_expand(struct preprocessor *p, const struct c_token *t, struct c_tokens *out)
{
	expand(p, t, out, 0);
}

/* The rest of a line after '#', with a CT_END. */
static struct c_tokens read_line(struct preprocessor *p, uint32_t *at, uint32_t end)
{
	struct c_tokens line = {0};
	struct c_token t;

	for (;;) {
		uint32_t before = *at;

		t = c_token_read(p->source, at, end);
		if (t.kind == CT_END || t.begins_line) {
			uint32_t last = line.n ? line.items[line.n - 1].span.end : before;

			*at = before;
			t = (struct c_token){.kind = CT_END, .text = "", .span = {last, last}};
			arena_push(p->arena, line.items, line.n, t);
			return line;
		}
		arena_push(p->arena, line.items, line.n, t);
	}
}

/* The ';' after a definition is optional in a script, and not part of the item. */
static void end_definition(struct preprocessor *p, uint32_t at)
{
	struct c_token t = {
		.kind = CT_PUNCT, .punct = ';', .text = ";", .len = 1, .span = {at, at}};

	arena_push(p->arena, p->out.items, p->out.n, t);
}

static void read_item(struct preprocessor *p, const struct root_text *item)
{
	uint32_t at = item->span.start, end = item->end;
	bool begins_line = true;

	for (;;) {
		struct c_token t = c_token_read(p->source, &at, end);

		if (t.kind == CT_END && *item->text != '#' && preprocess_is_used(p))
			end_definition(p, at);
		if (t.kind == CT_END)
			return;
		if (c_token_is(&t, '#') && (t.begins_line || begins_line)) {
			preprocess_line(p, &t, read_line(p, &at, end));
			begins_line = true; /* the next token is on a line of its own */
			continue;
		}
		begins_line = false;
		if (preprocess_is_used(p))
			preprocess_expand(p, &t, &p->out);
	}
}

void preprocess(struct preprocessor *p, const struct program *program)
{
	uint32_t last = 0;
	struct c_token end;

	for (uint32_t i = 0; i < program->n_c_items; i++) {
		read_item(p, &program->c_items[i]);
		last = program->c_items[i].end;
	}
	if (p->n_groups)
		diag_error(p->diags, p->groups[p->n_groups - 1].span, "preprocessor",
			   "this #if has no #endif");
	end = (struct c_token){.kind = CT_END, .text = "", .span = {last, last}};
	arena_push(p->arena, p->out.items, p->out.n, end);
}
