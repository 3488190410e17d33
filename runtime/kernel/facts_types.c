/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of C and iterators in a facts file: facts_file.c describes the lines. Types are kept in a
 * register like a script's own (parser/lang/c_type.h).
 */
#include "parser/base/arena.h"
#include "runtime/kernel/facts_impl.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct c_types *types_of(struct facts *k)
{
	if (!k->arena) {
		k->arena = arena_new();
		k->c_types = c_types_new(k->arena);
	}
	return k->c_types;
}

/* ---- words ------------------------------------------------------------------------------- */

/* The type before the suffixes: int32, bool, void, string[N], struct.TAG, enum.TAG. */
static const struct type *base_type(struct facts *k, const char *name)
{
	struct c_types *c = types_of(k);

	if (strncmp(name, "struct.", 7) == 0)
		return &c_types_tag(c, false, name + 7)->type;
	if (strncmp(name, "union.", 6) == 0)
		return &c_types_tag(c, true, name + 6)->type;
	if (strncmp(name, "enum.", 5) == 0)
		return c_types_find(c, C_ENUM, name + 5);
	if (strcmp(name, "void") == 0)
		return &type_void;
	return type_of_name(k->arena, name);
}

const struct type *facts_type(struct facts *k, const char *word)
{
	size_t len = strcspn(word, "*[");
	const struct type *t;

	types_of(k);
	if (strncmp(word, "string[", 7) == 0)
		return type_string(k->arena, (uint32_t)strtoul(word + 7, NULL, 10));
	t = base_type(k, arena_strndup(k->arena, word, len));
	for (word += len; t && *word; word++) {
		char *end = (char *)word;
		unsigned long n;

		if (*word == '*') {
			t = type_pointer(k->arena, t, SPACE_NONE);
			continue;
		}
		n = *word == '[' ? strtoul(word + 1, &end, 10) : 0;
		if (*end != ']' || n > INT32_MAX / (t->size ? t->size : 1))
			return NULL;
		t = type_array(k->arena, t, (uint32_t)n);
		word = end;
	}
	return t;
}

static bool is_number(const char *word)
{
	return word && isdigit((unsigned char)*word);
}

/* ---- lines ------------------------------------------------------------------------------- */

static const char *read_struct(struct facts *k, char **words, uint32_t n)
{
	struct type_layout *l;

	if (n < 3 || n > 4 || !is_number(words[2]))
		return "write struct TAG SIZE, union TAG SIZE, or struct #N SIZE [TYPEDEF]";
	l = c_types_tag(types_of(k), words[0][0] == 'u', words[1]);
	l->type.size = (uint32_t)strtoul(words[2], NULL, 10);
	l->align = l->type.size % 8 ? l->type.size % 4 ? 1 : 4 : 8;
	l->alias = words[3];
	if (words[1][0] == '#')
		l->tag = NULL;
	l->is_complete = true;
	k->layout = l;
	return NULL;
}

static const char *read_member(struct facts *k, char **words, uint32_t n)
{
	static const char usage[] = "write member OFFSET TYPE [NAME], or member OFFSET:BIT:BITS "
				    "TYPE NAME, after struct or union";
	struct type_member m = {.name = n == 4 ? words[3] : NULL};
	char *end;

	if (!k->layout || n < 3 || n > 4 || !is_number(words[1]))
		return usage;
	m.type = facts_type(k, words[2]);
	m.offset = (uint32_t)strtoul(words[1], &end, 10);
	if (*end == ':')
		m.bit = (uint8_t)strtoul(end + 1, &end, 10);
	if (*end == ':')
		m.bits = (uint8_t)strtoul(end + 1, &end, 10);
	if (!m.type || *end || m.bit > 7 || m.bit + m.bits > 64)
		return usage;
	arena_push(k->arena, k->layout->members, k->layout->n_members, m);
	return NULL;
}

static const char *read_enum(struct facts *k, char **words, uint32_t n)
{
	const struct type *t = n == 3 ? facts_type(k, words[2]) : NULL;

	if (!t || t->kind != TY_INT)
		return "write enum TAG TYPE, where TYPE is an integer";
	k->enumeration =
		enum_new(k->arena, words[1][0] == '#' ? NULL : words[1], t->size, t->is_signed);
	c_types_add(types_of(k), C_ENUM, words[1], &k->enumeration->type);
	return NULL;
}

static const char *read_value(struct facts *k, char **words, uint32_t n)
{
	int64_t value;

	if (!k->enumeration || n != 3)
		return "write value NAME NUMBER after enum";
	value = words[2][0] == '-' ? strtoll(words[2], NULL, 10)
				   : (int64_t)strtoull(words[2], NULL, 10);
	enum_add(k->arena, k->enumeration, words[1], value);
	c_types_add_constant(k->c_types, words[1], &k->enumeration->type, value);
	return NULL;
}

static const char *read_typedef(struct facts *k, char **words, uint32_t n)
{
	const struct type *t = n == 3 ? facts_type(k, words[2]) : NULL;

	if (!t)
		return "write typedef NAME TYPE";
	c_types_add(types_of(k), C_TYPEDEF, words[1], t);
	return NULL;
}

static const struct {
	const char *word;
	const char *(*read)(struct facts *k, char **words, uint32_t n);
} lines[] = {
	{"struct", read_struct}, {"union", read_struct}, {"member", read_member},
	{"enum", read_enum},	 {"value", read_value},	 {"typedef", read_typedef},
};

bool facts_read_type(struct facts *k, char **words, uint32_t n, const char **wrong)
{
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		if (strcmp(lines[i].word, words[0]) != 0)
			continue;
		*wrong = lines[i].read(k, words, n);
		return true;
	}
	return false;
}

/* ---- answers ----------------------------------------------------------------------------- */

int facts_c_type(struct kernel *kernel, enum c_kind kind, const char *name, const struct type **out)
{
	struct facts *k = (struct facts *)kernel;

	*out = k->c_types ? c_types_find(k->c_types, kind, name) : NULL;
	return *out ? 0 : -ENOENT;
}

int facts_c_constant(struct kernel *kernel, const char *name, const struct type **type,
		     int64_t *value)
{
	struct facts *k = (struct facts *)kernel;
	const struct c_constant *c = k->c_types ? c_types_constant(k->c_types, name) : NULL;

	if (!c)
		return -ENOENT;
	*type = c->type;
	*value = c->value;
	return 0;
}

int facts_each_c_type(struct kernel *kernel, enum c_kind kind, kernel_name_fn fn, void *ctx)
{
	const struct facts *k = (struct facts *)kernel;

	for (uint32_t i = 0; k->c_types && i < k->c_types->n_names; i++)
		if (k->c_types->names[i].kind == kind && k->c_types->names[i].type)
			fn(k->c_types->names[i].name, ctx);
	return 0;
}

int facts_iterator(struct kernel *kernel, const char *name, const struct kernel_iter **out)
{
	const struct facts *k = (const struct facts *)kernel;

	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == FACT_ITERATOR &&
		    !strcmp(k->facts.items[i].iter.name, name)) {
			*out = &k->facts.items[i].iter;
			return 0;
		}
	return k->capabilities[CAP_BTF] == CAPABILITY_YES ? -ENOENT : -ENOTSUP;
}

int facts_each_iterator(struct kernel *kernel, kernel_name_fn fn, void *ctx)
{
	const struct facts *k = (const struct facts *)kernel;

	for (uint32_t i = 0; i < k->facts.n; i++)
		if (k->facts.items[i].kind == FACT_ITERATOR)
			fn(k->facts.items[i].iter.name, ctx);
	return 0;
}
