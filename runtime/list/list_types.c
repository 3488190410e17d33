/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l of the kernel's types: "struct NAME", "union NAME", "enum NAME", and their definitions.
 */
#include "parser/attach/near.h"
#include "parser/base/find.h"
#include "parser/base/pattern.h"
#include "runtime/btf/btf_text.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/list/list_impl.h"
#include <linux/btf.h>

static const struct type_word {
	const char *word; /* with the space after it */
	enum c_kind kind;
	uint32_t kinds[2]; /* in BTF */
} type_words[] = {
	{"struct ", C_STRUCT, {BTF_KIND_STRUCT}},
	{"union ", C_UNION, {BTF_KIND_UNION}},
	{"enum ", C_ENUM, {BTF_KIND_ENUM, BTF_KIND_ENUM64}},
};

static const struct type_word *find_type_word(const char *line)
{
	return FIND_ROW(type_words, strncmp(line, item->word, strlen(item->word)) == 0);
}

bool list_is_type(const char *word)
{
	return find_type_word(word);
}

struct type_search {
	struct listing *l;
	const char *word, *pattern;
	struct near_names near;
};

static void take_type(const char *name, void *ctx)
{
	const struct type_search *s = ctx;

	if (pattern_matches(s->pattern, name))
		arena_push(s->l->arena, s->l->types, s->l->n_types,
			   arena_printf(s->l->arena, "%s%s", s->word, name));
}

static void compare_type(const char *name, void *ctx)
{
	struct type_search *s = ctx;

	near_offer(&s->near, s->word, name);
}

void list_type_names(struct listing *l, const char *word)
{
	const struct type_word *w = find_type_word(word);
	struct type_search s = {.l = l, .word = w->word};
	uint32_t first = l->n_types;

	s.pattern = word + strlen(w->word);
	s.pattern += strspn(s.pattern, " ");
	if (!kernel_btf_types(l->kernel)) {
		diag_error(&l->diags, l->span, "no-btf",
			   "types are in /sys/kernel/btf/vmlinux, which cannot be read");
		return;
	}
	l->kernel->each_c_type(l->kernel, w->kind, take_type, &s);
	if (l->n_types > first)
		return;
	diag_error(&l->diags, l->span, "no-match", "no type matches '%s'", word);
	near_init(&s.near, l->arena, s.pattern);
	l->kernel->each_c_type(l->kernel, w->kind, compare_type, &s);
	near_hint(&l->diags, &s.near);
}

void list_exclude_types(struct listing *l, const char *pattern)
{
	uint32_t kept = l->first_type, before = l->n_types;

	for (uint32_t i = l->first_type; i < before; i++)
		if (!pattern_matches(pattern, l->types[i]) &&
		    !pattern_matches(pattern, strchr(l->types[i], ' ') + 1))
			l->types[kept++] = l->types[i];
	l->n_types = kept;
	if (kept == l->first_type)
		diag_error(&l->diags, l->span, "bad-exclusion",
			   "'!%s' excludes all of the types before it", pattern);
	else if (kept == before)
		diag_warning(&l->diags, l->span, "exclusion-unused",
			     "'!%s' matches none of the types before it", pattern);
}

void list_type_definition(struct listing *l, const char *line, FILE *out)
{
	const struct type_word *w = find_type_word(line);
	int id = 0;

	for (int i = 0; i < 2 && w->kinds[i] && id <= 0; i++)
		id = kernel_btf_id(l->kernel, line + strlen(w->word), w->kinds[i]);
	fputs("vmlinux: ", out);
	if (id > 0)
		btf_text_definition(kernel_btf_types(l->kernel), (uint32_t)id, out);
}
