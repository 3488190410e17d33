/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages up to the plan: the output of --emit tokens, ast, types and plan, and that of -lv for
 * the probes.
 */
#include "cli/explain/explain.h"
#include "cli/scripts/scripts.h"
#include "parser/base/arena.h"
#include "parser/base/diag.h"
#include "parser/base/source.h"
#include "parser/lang/ast.h"
#include "parser/lang/kernel.h"
#include "parser/plan/plan.h"
#include "parser/syntax/ast_dump.h"
#include "parser/syntax/token_dump.h"

/* Captures text that is printed, in a file in memory, to make lines of it. */
struct capture {
	char *text;
	size_t len;
	FILE *f;
};

static FILE *capture_begin(struct capture *c)
{
	*c = (struct capture){0};
	c->f = open_memstream(&c->text, &c->len);
	if (!c->f)
		arena_out_of_memory();
	return c->f;
}

static int capture_end(struct capture *c, struct explain *x, struct script_lines *t)
{
	fclose(c->f);
	script_lines_add_text(t, c->text, c->len);
	free(c->text);
	return 0;
}

/* The places in a printed text where nodes of the tree begin, in order, and their lines in the
 * script. */
struct mark {
	long at;
	uint32_t line;
};

struct places {
	const struct source *source;
	FILE *f;
	VEC(struct mark) marks;
};

static void add_place(void *ctx, struct span span)
{
	struct places *p = ctx;
	struct place place = source_place(p->source, source_root(p->source, span).start);
	uint32_t line = span.end && place.in == p->source ? place.line : 0;

	if (fflush(p->f) || vec_push(&p->marks, (struct mark){ftell(p->f), line}))
		arena_out_of_memory();
}

/* Set the script's line for each line of the text: that of the first node in it, or of the line
 * before. */
static int take_places(struct places *p, struct capture *c, struct explain *x,
		       struct script_lines *t)
{
	size_t next = 0;
	uint32_t line = 0;
	long at = 0;

	capture_end(c, x, t);

	for (size_t i = 0; i < t->lines.n; i++) {
		long end = at + (long)strlen(t->lines.items[i].text) + 1;

		if (next < p->marks.n && p->marks.items[next].at < end)
			line = p->marks.items[next].line;
		while (next < p->marks.n && p->marks.items[next].at < end)
			next++;
		t->lines.items[i].line = line;
		at = end;
	}
	vec_free(&p->marks);
	return 0;
}

static void dump_tree(const struct program *program, bool with_types, FILE *f, struct places *p)
{
	*p = (struct places){.source = program->source, .f = f};
	ast_dump_with_places(program, with_types, f, add_place, p);
	add_place(p, SPAN_NONE); /* the text that follows belongs to no line */
}

/* The innermost part of the script at an offset; 0: none. */
static uint32_t part_around(const struct script_parts *parts, uint32_t at)
{
	uint32_t found = 0;

	for (uint32_t i = 1; i < parts->items.n && parts->items.items[i].start <= at; i++)
		if (at < parts->items.items[i].end)
			found = i;
	return found;
}

struct token_lines {
	const struct explain *x;
	struct script_lines *lines;
	size_t n; /* so far */
};

/* A token is a line. */
static void place_token(void *ctx, struct span span, const char *kind)
{
	struct token_lines *t = ctx;
	struct script_line *l = &t->lines->lines.items[t->n++];

	l->line = source_place(t->x->program->source, span.start).line;
	l->part = part_around(&t->x->parts, span.start);
	l->kind = kind;
}

int ex_tokens(struct explain *x, struct script_lines *t)
{
	struct capture c;

	token_dump(x->program->source, capture_begin(&c));
	capture_end(&c, x, t);
	token_each(x->program->source, place_token, &(struct token_lines){.x = x, .lines = t});
	return 0;
}

/* The tree of the program has types by now, and macros are expanded, so the script is parsed
 * again. */
int ex_tree(struct explain *x, struct script_lines *t)
{
	struct diags d = {.arena = x->arena, .source = x->program->source, .no_warnings = true};
	struct program *p = parse(x->arena, x->program->source, &d);
	struct places places;
	struct capture c;

	if (!p)
		return 0; /* it parsed before, so this cannot fail */
	dump_tree(p, false, capture_begin(&c), &places);
	return take_places(&places, &c, x, t);
}

int ex_types(struct explain *x, struct script_lines *t)
{
	struct places places;
	struct capture c;
	FILE *f = capture_begin(&c);

	dump_tree(x->program, true, f, &places);
	if (x->plan->n_maps || x->plan->n_events)
		fputs("\nlayouts, in bytes (an aggregation has a slot for each CPU; a key begins with "
		      "the number of the map's epoch, by which it is cleared):\n",
		      f);
	plan_dump_maps(x->plan, x->kernel->n_cpus(x->kernel), f);
	return take_places(&places, &c, x, t);
}

int ex_probes(struct explain *x, struct script_lines *t)
{
	struct capture c;
	FILE *f = capture_begin(&c);

	plan_dump_programs(x->plan, f);
	fputs("\n", f);
	list_script(x->kernel, x->program, true, f);
	return capture_end(&c, x, t);
}
