/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of the script that code is about: for each place at which statements and expressions
 * begin, the largest of them. The code of a smaller one that begins there belongs to it, too. Code
 * at the place of a probe itself is around the block.
 */
#include "cli/explain/explain.h"
#include "parser/base/arena.h"
#include "parser/base/source.h"
#include "parser/lang/ast.h"
#include "parser/syntax/ast_dump.h"

enum { MOST_SHOWN = 72 };

struct finder {
	struct arena *arena;
	const struct source *source;
	struct script_parts *parts;
};

/* The text of the part as one line. */
static const char *one_line(struct arena *a, const struct source *s, struct span span)
{
	char *text = arena_alloc(a, MOST_SHOWN + 8);
	uint32_t n = 0;

	for (uint32_t i = span.start; i < span.end; i++) {
		char c = s->text[i];

		if (c == '\n' || c == '\t')
			c = ' ';
		if (c == ' ' && (!n || text[n - 1] == ' '))
			continue;
		if (n >= MOST_SHOWN && ((unsigned char)c & 0xc0) != 0x80)
			return arena_printf(a, "%.*s…", (int)n, text);
		text[n++] = c;
		if (n >= MOST_SHOWN + 6)
			break;
	}
	return arena_strndup(a, text, n);
}

static void add(void *ctx, struct span span)
{
	struct finder *f = ctx;
	struct span root = span.end ? source_root(f->source, span) : span;
	struct place p;

	if (!root.end)
		return;
	p = source_place(f->source, root.start);
	if (p.in != f->source || root.end > f->source->len)
		return;
	for (uint32_t i = 1; i < f->parts->items.n; i++) {
		struct script_part *other = &f->parts->items.items[i];

		if (other->start != root.start)
			continue;
		if (root.end > other->end)
			other->end = root.end;
		return;
	}
	if (vec_push(&f->parts->items, (struct script_part){.line = p.line,
							    .column = p.col,
							    .start = root.start,
							    .end = root.end}))
		arena_out_of_memory();
}

static void add_expr(struct expr *e, void *ctx)
{
	add(ctx, e->span);
	ast_each_child(e, add_expr, ctx);
}

static void add_exprs(struct finder *f, const struct program *program)
{
	for (uint32_t i = 0; i < program->n_probes; i++) {
		if (program->probes[i]->predicate)
			add_expr(program->probes[i]->predicate, f);
		ast_each_in_block(&program->probes[i]->body, add_expr, f);
	}
}

/* The heads of probes: each attach point is one. */
static void add_heads(struct finder *f, const struct program *program)
{
	for (uint32_t i = 0; i < program->n_probes; i++)
		for (uint32_t j = 0; j < program->probes[i]->n_texts; j++) {
			struct span span = program->probes[i]->texts[j].span;
			struct place p = source_place(f->source, span.start);
			uint32_t at;

			add(f, span);
			at = script_part_at(f->parts, p.line, p.col);
			if (!at)
				continue;
			f->parts->items.items[at].end = span.end;
			f->parts->items.items[at].text =
				"around the block: is the event to be traced?";
		}
}

COMPARE(by_start, struct script_part, ORDER(a->start, b->start))

void explain_find_parts(struct explain *x)
{
	struct finder f = {.arena = x->arena, .source = x->program->source, .parts = &x->parts};
	char *text = NULL;
	size_t len;
	FILE *nowhere = open_memstream(&text, &len);

	if (!nowhere || vec_push(&x->parts.items, (struct script_part){0}))
		arena_out_of_memory();
	ast_dump_with_places(x->program, false, nowhere, add, &f);
	fclose(nowhere);
	free(text);
	add_exprs(&f, x->program);
	add_heads(&f, x->program);
	qsort(x->parts.items.items + 1, x->parts.items.n - 1, sizeof(*x->parts.items.items),
	      by_start);
	for (uint32_t i = 1; i < x->parts.items.n; i++) {
		struct script_part *p = &x->parts.items.items[i];

		if (!p->text)
			p->text = one_line(x->arena, f.source,
					   (struct span){.start = p->start, .end = p->end});
	}
}
