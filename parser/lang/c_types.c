/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A script's register of C types and enum constants by name: see c_type.h.
 */
#include "parser/base/text.h"
#include "parser/lang/kernel.h"
#include "parser/lang/known_constant.h"
#include <ctype.h>

struct c_types *c_types_new(struct arena *a)
{
	struct c_types *c = arena_new_of(a, struct c_types);

	c->arena = a;
	return c;
}

static uint32_t bucket_of(const char *name)
{
	return text_hash(name, strlen(name)) % C_BUCKETS;
}

static struct c_name *find_name(const struct c_types *c, enum c_kind kind, const char *name)
{
	for (uint32_t i = c->buckets[bucket_of(name)]; i; i = c->names[i - 1].next) {
		struct c_name *n = &c->names[i - 1];

		if (n->kind == kind && strcmp(n->name, name) == 0)
			return n;
	}
	return NULL;
}

/* Add a name, in place of what was found outside of the script. */
static const struct c_name *put_name(struct c_types *c, struct c_name n)
{
	struct c_name *known = find_name(c, n.kind, n.name);
	uint32_t *bucket = &c->buckets[bucket_of(n.name)];

	n.name = known ? known->name : arena_strdup(c->arena, n.name);
	n.next = known ? known->next : *bucket;
	if (known) {
		*known = n;
		return known;
	}
	*bucket = c->n_names + 1;
	arena_push(c->arena, c->names, c->n_names, n);
	return &c->names[c->n_names - 1];
}

/* What c_types_tag() made is completed by a definition, so pointers to it stay valid. */
static bool take_over(const struct type *declared, const struct type *defined)
{
	struct type_layout *l;

	if (declared == defined)
		return true;
	if (declared->kind != TY_STRUCT || declared->layout->is_complete)
		return false;
	l = declared->layout;
	*l = *defined->layout;
	l->type.layout = l;
	return true;
}

static bool add_own(struct c_types *c, struct c_name n)
{
	const struct c_name *known = find_name(c, n.kind, n.name);

	if (known && known->is_own)
		return n.kind != C_CONSTANT && take_over(known->type, n.type);
	n.is_own = true;
	put_name(c, n);
	return true;
}

bool c_types_add(struct c_types *c, enum c_kind kind, const char *name, const struct type *type)
{
	return add_own(c, (struct c_name){.kind = kind, .name = name, .type = type});
}

bool c_types_add_constant(struct c_types *c, const char *name, const struct type *type,
			  int64_t value)
{
	return add_own(c, (struct c_name){C_CONSTANT, name, type, .value = value});
}

/* The type from outside of the script: the headers that are not the kernel's, the kernel, the
 * kernel's headers. */
static const struct type *ask(struct c_types *c, enum c_kind kind, const char *name)
{
	const struct type *t = c->more ? c->more->type(c->more, kind, name, true) : NULL;

	if (t)
		return t;
	if (c->kernel && c->kernel->c_type && !c->kernel->c_type(c->kernel, kind, name, &t))
		return t;
	return c->more ? c->more->type(c->more, kind, name, false) : NULL;
}

/* The complete() of a layout that the script only declares. */
static void complete_from_outside(struct type_layout *l)
{
	struct c_types *c = l->source;
	const struct type *t = ask(c, l->is_union ? C_UNION : C_STRUCT, l->tag);

	if (!t || !layout_complete(t))
		return;
	*l = *t->layout;
	l->type.layout = l;
}

struct type_layout *c_types_tag(struct c_types *c, bool is_union, const char *tag)
{
	enum c_kind kind = is_union ? C_UNION : C_STRUCT;
	struct c_name *n = find_name(c, kind, tag);
	struct type_layout *l;

	if (n && n->is_own)
		return n->type->layout;
	l = layout_new(c->arena, is_union, tag);
	l->complete = complete_from_outside;
	l->source = c;
	c_types_add(c, kind, tag, &l->type);
	return l;
}

const struct type *c_types_find(struct c_types *c, enum c_kind kind, const char *name)
{
	const struct c_name *n = find_name(c, kind, name);
	const struct type *t;

	if (n && n->type && n->is_own && n->type->kind == TY_STRUCT)
		return layout_complete(n->type) ? n->type : NULL;
	if (n)
		return n->type;
	t = ask(c, kind, name);
	put_name(c, (struct c_name){.kind = kind, .name = name, .type = t});
	return t;
}

const struct type *c_types_find_user(struct c_types *c, const char *file, const char *name)
{
	struct c_user_name n = {file, name, NULL};

	for (uint32_t i = 0; i < c->n_user_names; i++)
		if (strcmp(c->user_names[i].file, file) == 0 &&
		    strcmp(c->user_names[i].name, name) == 0)
			return c->user_names[i].type;
	if (c->kernel && c->kernel->user_c_type &&
	    c->kernel->user_c_type(c->kernel, file, name, &n.type))
		n.type = NULL;
	arena_push(c->arena, c->user_names, c->n_user_names, n);
	return n.type;
}

const struct type *c_types_own(const struct c_types *c, enum c_kind kind, const char *name)
{
	const struct c_name *n = find_name(c, kind, name);

	return n && n->is_own ? n->type : NULL;
}

const struct c_name *c_types_constant(struct c_types *c, const char *name)
{
	const struct c_name *found = find_name(c, C_CONSTANT, name);
	struct c_name n = {.kind = C_CONSTANT, .name = name, .type = type_int(8, true)};

	if (found)
		return found;
	if (known_constant(name, &n.value) ||
	    (c->kernel && c->kernel->c_constant &&
	     !c->kernel->c_constant(c->kernel, name, &n.type, &n.value)))
		return put_name(c, n);
	return c->more ? c->more->constant(c->more, name) : NULL;
}

/* ---- C's spelling ------------------------------------------------------------------------ */

bool c_number_add(struct c_number *n, const char *word, size_t len)
{
	static const struct {
		const char *word;
		struct c_number adds;
	} words[] = {
		{"char", {.size = 1, .sizes = 1}},
		{"short", {.size = 2, .sizes = 1}},
		{"int", {.ints = 1}},
		{"long", {.longs = 1}},
		{"unsigned", {.signs = 1, .is_unsigned = true}},
		{"signed", {.signs = 1}},
		{"__signed__", {.signs = 1}},
	};

	__auto_type row = TEXT_ROW(words, word, word, len);

	if (!row)
		return false;
	n->size += row->adds.size;
	n->sizes += row->adds.sizes;
	n->ints += row->adds.ints;
	n->longs += row->adds.longs;
	n->signs += row->adds.signs;
	n->is_unsigned |= row->adds.is_unsigned;
	n->words++;
	return true;
}

bool c_types_is_qualifier(const char *word, size_t len)
{
	static const char *const words[] = {
		"const",	"volatile",	 "restrict", "__restrict", "__const",
		"__volatile__", "__extension__", "_Atomic",  "__user",	   "__kernel",
		"__rcu",	"__iomem",	 "__percpu",
	};

	return TEXT_IS_IN(words, word, len);
}

static const struct type *named(struct c_types *c, const char *tag_word, const char *name)
{
	const struct type *t;

	if (strcmp(tag_word, "struct") == 0)
		return c_types_find(c, C_STRUCT, name);
	if (strcmp(tag_word, "union") == 0)
		return c_types_find(c, C_UNION, name);
	if (strcmp(tag_word, "enum") == 0)
		return c_types_find(c, C_ENUM, name);
	if (strcmp(name, "void") == 0)
		return &type_void;
	if (strcmp(name, "_Bool") == 0)
		return &type_bool;
	t = c_types_find(c, C_TYPEDEF, name);
	return t ? t : type_of_name(name);
}

const struct type *c_number_type(const struct c_number *n)
{
	if (n->sizes > 1 || n->longs > 2 || n->signs > 1 || n->ints > 1 || (n->sizes && n->longs) ||
	    (n->size == 1 && n->ints))
		return NULL;
	return type_int(n->size ? n->size : n->longs ? 8 : 4, !n->is_unsigned);
}

const struct type *c_types_number(const char *text)
{
	struct c_number n = {0};
	size_t len;

	for (; *text; text += len + (text[len] == ' ')) {
		len = strcspn(text, " ");
		if (!c_number_add(&n, text, len))
			return NULL;
	}
	return n.words ? c_number_type(&n) : NULL;
}

bool c_types_is_number_word(const char *word)
{
	struct c_number n = {0};

	return c_number_add(&n, word, strlen(word));
}

const struct type *c_types_parse(struct c_types *c, const char *text, enum type_space space)
{
	const char *tag_word = "", *name = NULL;
	const struct type *t = NULL;
	struct c_number number = {0};
	uint32_t levels = 0;

	while (*text) {
		size_t len = 0;

		while (isalnum((unsigned char)text[len]) || text[len] == '_')
			len++;
		if (!len && *text != '*' && *text != ' ')
			return NULL;
		levels += *text == '*';
		if (len && !c_types_is_qualifier(text, len) && !c_number_add(&number, text, len)) {
			if (name)
				tag_word = name;
			name = arena_strndup(c->arena, text, len);
		}
		text += len ? len : 1;
	}
	if (number.words && !name)
		t = c_number_type(&number);
	else if (name && !number.words)
		t = named(c, tag_word, name);
	for (uint32_t i = 0; t && i < levels; i++)
		t = type_pointer(c->arena, t, i + 1 == levels ? space : SPACE_NONE);
	return t;
}
