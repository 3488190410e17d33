/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The preprocessor: reads the items of the C section, and passes lines that begin with '#' to
 * preprocess_line.c. Macros are expanded in preprocess_expand.c.
 */
#include "parser/csection/preprocess.h"
#include "parser/lang/ast.h"

struct c_macro *preprocess_find(const struct preprocessor *p, const char *name, size_t len)
{
	uint32_t i = p->buckets[text_hash(name, len) % N_BUCKETS];

	for (; i; i = p->macros[i - 1]->next) {
		struct c_macro *m = p->macros[i - 1];

		if (!m->is_undefined && text_is(name, len, m->name))
			return m;
	}
	return NULL;
}

void preprocess_add(struct preprocessor *p, const struct c_macro *from)
{
	struct c_macro *m = arena_new_of(p->arena, struct c_macro);
	uint32_t *bucket = &p->buckets[text_hash(from->name, strlen(from->name)) % N_BUCKETS];

	*m = *from;
	if (p->n_macros == LIMIT_C_MACROS) {
		diag_error(p->diags, m->name_span, "limit-macros",
			   "a script can have at most %d macros", LIMIT_C_MACROS);
		return;
	}
	m->next = *bucket;
	*bucket = p->n_macros + 1;
	arena_push(p->arena, p->macros, p->n_macros, m);
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

/* The rest of a line after '#', with a CT_END. */
static struct c_tokens read_line(struct preprocessor *p, uint32_t *at, uint32_t end)
{
	struct c_tokens line = {0};
	struct c_token t;

	for (;;) {
		uint32_t before = *at;

		t = c_token_read(p->reading, at, end);
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

static bool is_call(struct preprocessor *p, const struct c_token *name, uint32_t at, uint32_t end)
{
	struct c_token next;

	if (name->kind != CT_NAME)
		return false;
	next = c_token_read(p->reading, &at, end);
	return c_token_is(&next, '(') && preprocess_macro(p, name, true);
}

/* `first`, and if it is the name of a macro the arguments after it. */
static struct c_tokens read_call(struct preprocessor *p, const struct c_token *first, uint32_t *at,
				 uint32_t end)
{
	struct c_tokens list = {0};
	struct c_token t = *first;
	uint32_t depth = 0;

	arena_push(p->arena, list.items, list.n, t);
	if (!is_call(p, &t, *at, end))
		return list;
	do {
		t = c_token_read(p->reading, at, end);
		depth += c_token_is(&t, '(');
		depth -= c_token_is(&t, ')') && depth;
		if (t.kind != CT_END)
			arena_push(p->arena, list.items, list.n, t);
	} while (depth && t.kind != CT_END);
	return list;
}

static void read_text(struct preprocessor *p, uint32_t at, uint32_t end)
{
	bool begins_line = true;
	struct c_tokens part;

	for (;;) {
		struct c_token t = c_token_read(p->reading, &at, end);

		if (t.kind == CT_END)
			return;
		if (c_token_is(&t, '#') && (t.begins_line || begins_line)) {
			preprocess_line(p, &t, read_line(p, &at, end));
			begins_line = true; /* the next token is on a line of its own */
			continue;
		}
		begins_line = false;
		if (!preprocess_is_used(p))
			continue;
		part = read_call(p, &t, &at, end);
		preprocess_expand(p, &part, &p->out);
	}
}

/* An #if ends in the file in which it begins. */
static void end_file(struct preprocessor *p)
{
	if (p->n_groups)
		diag_error(p->diags, p->groups[p->n_groups - 1].span, "preprocessor",
			   "this #if has no #endif");
	p->n_groups = 0;
}

void preprocess_text(struct preprocessor *p, const struct source *text)
{
	p->reading = text;
	read_text(p, text->base, text->base + text->len);
	end_file(p);
}

void preprocess_part(struct preprocessor *p, const struct source *text, struct span part)
{
	const struct source *reading = p->reading;

	p->reading = text;
	read_text(p, part.start, part.end);
	p->reading = reading;
}

void preprocess(struct preprocessor *p, const struct program *program)
{
	uint32_t last = 0;
	struct c_token end;

	for (uint32_t i = 0; i < program->n_c_items; i++) {
		const struct root_text *item = &program->c_items[i];

		if (item->source != p->reading)
			end_file(p);
		p->reading = item->source;
		last = item->end;
		read_text(p, item->span.start, last);
		if (*item->text != '#' && preprocess_is_used(p))
			end_definition(p, last);
	}
	end_file(p);
	end = (struct c_token){.kind = CT_END, .text = "", .span = {last, last}};
	arena_push(p->arena, p->out.items, p->out.n, end);
}
