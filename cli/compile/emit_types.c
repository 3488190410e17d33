/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --emit facts, for types of C: those that the script's names lead to, of structs only the members
 * that it uses.
 */
#include "cli/compile/emit_facts.h"
#include "parser/base/arena.h"
#include "parser/lang/c_type.h"
#include <inttypes.h>

/* What was written already; the index of a struct or enum without a tag is its number. */
struct written {
	struct arena *arena;
	const void **items;
	uint32_t n;
	FILE *out;
};

static uint32_t number_of(struct written *w, const void *item, bool *is_new)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->items[i] == item) {
			*is_new = false;
			return i;
		}
	*is_new = true;
	arena_push(w->arena, w->items, w->n, item);
	return w->n - 1;
}

static const char *tag_of(struct written *w, const char *tag, const void *item)
{
	bool is_new;

	return tag ? tag : arena_printf(w->arena, "#%" PRIu32, number_of(w, item, &is_new));
}

static void put_struct(struct written *w, struct type_layout *l);

static void put_enum(struct written *w, const struct type_enum *e)
{
	bool is_new;

	number_of(w, e, &is_new);
	if (is_new)
		emit_enum(e, tag_of(w, e->tag, e), w->out);
}

/* Write what the type refers to; returns its word. */
static const char *word_of(struct written *w, const struct type *t)
{
	switch (t->kind) {
	case TY_POINTER: return arena_printf(w->arena, "%s*", word_of(w, t->to));
	case TY_ARRAY:
		return arena_printf(w->arena, "%s[%" PRIu32 "]", word_of(w, t->to),
				    type_elements(t));
	case TY_STRUCT:
		put_struct(w, t->layout);
		return arena_printf(w->arena, "%s.%s", t->layout->is_union ? "union" : "struct",
				    tag_of(w, t->layout->tag, t->layout));
	case TY_INT:
		if (!t->enumeration)
			return type_str(w->arena, t);
		put_enum(w, t->enumeration);
		return arena_printf(w->arena, "enum.%s",
				    tag_of(w, t->enumeration->tag, t->enumeration));
	case TY_FLOAT: return t == &type_long_double ? "long.double" : type_str(w->arena, t);
	case TY_VOID: return "void";
	default: return type_str(w->arena, t);
	}
}

static void put_member(struct written *w, const struct type_member *m, const char *word)
{
	fprintf(w->out, "member %" PRIu32, m->offset);
	if (m->bits)
		fprintf(w->out, ":%u:%u", m->bit, m->bits);
	fprintf(w->out, " %s%s%s\n", word, m->name ? " " : "", m->name ? m->name : "");
}

/* Types by value of members come first, since their lines would end this struct's. Of a struct that
 * is only pointed to, the size is written: pointers count by it. */
static void put_struct(struct written *w, struct type_layout *l)
{
	const char **words;
	bool is_new;

	number_of(w, l, &is_new);
	if (!is_new || (!l->is_complete && !l->type.size))
		return;
	words = arena_alloc(w->arena, (l->n_members + 1) * sizeof(*words));
	for (uint32_t i = 0; l->is_complete && i < l->n_members; i++)
		if (l->members[i].is_used)
			words[i] = word_of(w, l->members[i].type);
	fprintf(w->out, "%s %s %" PRIu32 "%s%s\n", l->is_union ? "union" : "struct",
		tag_of(w, l->tag, l), l->type.size, l->alias ? " " : "", l->alias ? l->alias : "");
	for (uint32_t i = 0; l->is_complete && i < l->n_members; i++)
		if (words[i])
			put_member(w, &l->members[i], words[i]);
}

void emit_types(struct c_types *c, FILE *out)
{
	struct written w = {.arena = c->arena, .out = out};

	for (uint32_t i = 0; i < c->n_names; i++) {
		const struct c_name *n = &c->names[i];
		bool is_asked = n->type && !n->is_own && n->kind != C_CONSTANT;
		const char *word = is_asked ? word_of(&w, n->type) : NULL;

		if (word && n->kind == C_TYPEDEF)
			fprintf(out, "typedef %s %s\n", n->name, word);
	}
	for (uint32_t i = 0; i < c->n_names; i++)
		if (c->names[i].kind == C_CONSTANT && !c->names[i].is_own)
			word_of(&w, c->names[i].type);
}
