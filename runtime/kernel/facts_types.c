/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of C and typed functions in a facts file: facts_read.c describes the lines. Types are kept
 * in a register like a script's own (parser/lang/c_type.h).
 */
#include "runtime/kernel/facts_impl.h"
#include "parser/base/find.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- words ------------------------------------------------------------------------------- */

/* The type before the suffixes: int32, bool, void, string[N], struct.TAG, enum.TAG. */
static const struct type *base_type(struct facts *k, const char *name)
{
	struct c_types *c = k->c_types;

	if (strncmp(name, "struct.", 7) == 0)
		return &c_types_tag(c, false, name + 7)->type;
	if (strncmp(name, "union.", 6) == 0)
		return &c_types_tag(c, true, name + 6)->type;
	if (strncmp(name, "enum.", 5) == 0)
		return c_types_find(c, C_ENUM, name + 5);
	if (strcmp(name, "long.double") == 0)
		return &type_long_double;
	return strcmp(name, "void") == 0 ? &type_void : type_of_name(name);
}

const struct type *facts_type(struct facts *k, const char *word)
{
	size_t len = strcspn(word, "*[");
	const struct type *t;

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
	return isdigit((unsigned char)*word);
}

/* ---- lines ------------------------------------------------------------------------------- */

bool facts_read_struct(struct facts_reader *r, struct fact *f)
{
	struct type_layout *l = c_types_tag(r->k->c_types, r->words[0][0] == 'u', f->name);

	l->type.size = (uint32_t)strtoul(r->words[2], NULL, 10);
	l->align = l->type.size % 8 ? l->type.size % 4 ? 1 : 4 : 8;
	l->alias = r->words[3];
	if (f->name[0] == '#')
		l->tag = NULL;
	l->is_complete = true;
	r->k->layout = l;
	return is_number(r->words[2]);
}

bool facts_read_member(struct facts_reader *r, struct fact *f)
{
	struct facts *k = r->k;
	struct type_member m = {.name = r->words[3], .type = facts_type(k, r->words[2])};
	char *end;

	m.offset = (uint32_t)strtoul(f->name, &end, 10);
	if (*end == ':')
		m.bit = (uint8_t)strtoul(end + 1, &end, 10);
	if (*end == ':')
		m.bits = (uint8_t)strtoul(end + 1, &end, 10);
	if (!k->layout || !is_number(f->name) || !m.type || *end || m.bit > 7 ||
	    m.bit + m.bits > 64)
		return false;
	arena_push(k->arena, k->layout->members, k->layout->n_members, m);
	return true;
}

bool facts_read_enum(struct facts_reader *r, struct fact *f)
{
	const struct type *t = facts_type(r->k, r->words[2]);

	if (!t || t->kind != TY_INT)
		return false;
	r->k->enumeration =
		enum_new(r->k->arena, f->name[0] == '#' ? NULL : f->name, t->size, t->is_signed);
	c_types_add(r->k->c_types, C_ENUM, f->name, &r->k->enumeration->type);
	return true;
}

bool facts_read_value(struct facts_reader *r, struct fact *f)
{
	struct type_enum *e = r->k->enumeration;
	int64_t value = r->words[2][0] == '-' ? strtoll(r->words[2], NULL, 10)
					      : (int64_t)strtoull(r->words[2], NULL, 10);

	if (!e)
		return false;
	enum_add(r->k->arena, e, f->name, value);
	c_types_add_constant(r->k->c_types, f->name, &e->type, value);
	return true;
}

bool facts_read_typedef(struct facts_reader *r, struct fact *f)
{
	const struct type *t = facts_type(r->k, r->words[2]);

	if (t)
		c_types_add(r->k->c_types, C_TYPEDEF, f->name, t);
	return t;
}

bool facts_read_local(struct facts_reader *r, struct fact *f)
{
	static const char *const states[] = {"here",   "gone",	 "early",  "entry",
					     "pieces", "static", "unknown"};
	const char *const *state = FIND_ROW(states, strcmp(*item, r->words[5]) == 0);
	struct user_local *l = &f->local;

	f->offset = strtoull(r->words[2], NULL, 0);
	*l = (struct user_local){.name = r->words[3],
				 .type_text = r->words[4],
				 .type = facts_type(r->k, r->words[4]),
				 .is_value = !r->words[7]};
	if (r->words[6])
		l->ops[l->n_ops++] =
			(struct local_op){.step = LOCAL_REGISTER,
					  .reg = (uint32_t)strtoul(r->words[6], NULL, 10),
					  .number =
						  r->words[7] ? strtoll(r->words[7], NULL, 10) : 0};
	if (state)
		l->state = (enum local_state)(state - states);
	return state && l->type;
}

/* ---- answers ----------------------------------------------------------------------------- */

int facts_each_local(struct kernel *k, const char *path, uint64_t offset, user_local_fn *fn,
		     void *ctx)
{
	int err = -ENODATA;

	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_LOCAL, path)); err = 0)
		if (f->offset == offset)
			fn(&f->local, ctx);
	return err;
}

int facts_c_type(struct kernel *kernel, enum c_kind kind, const char *name, const struct type **out)
{
	struct facts *k = (struct facts *)kernel;

	*out = c_types_find(k->c_types, kind, name);
	return *out ? 0 : -ENOENT;
}

int facts_c_constant(struct kernel *kernel, const char *name, const struct type **type,
		     int64_t *value)
{
	struct facts *k = (struct facts *)kernel;
	const struct c_name *c = c_types_constant(k->c_types, name);

	if (!c)
		return -ENOENT;
	*type = c->type;
	*value = c->value;
	return 0;
}

int facts_each_c_type(struct kernel *kernel, enum c_kind kind, kernel_name_fn fn, void *ctx)
{
	const struct facts *k = (struct facts *)kernel;

	for (uint32_t i = 0; i < k->c_types->n_names; i++)
		if (k->c_types->names[i].kind == kind && k->c_types->names[i].type)
			fn(k->c_types->names[i].name, ctx);
	return 0;
}

static enum fact_kind typed_fact(enum typed_kind kind)
{
	return kind == TYPED_FUNCTION ? FACT_TYPED : FACT_TYPED_RAW;
}

int facts_typed(struct kernel *k, enum typed_kind kind, const char *module, const char *name,
		const struct typed_function **out)
{
	bool has_module = !module;
	uint32_t n = 0;

	for (const struct fact *f = NULL; (f = facts_next(k, f, typed_fact(kind), module));) {
		has_module = true;
		if (f->typed->prog_id || strcmp(f->typed->name, name) != 0)
			continue;
		*out = f->typed;
		if (module || strcmp(f->name, "vmlinux") == 0)
			return 0;
		n++;
	}
	return n == 1 ? 0 : n ? -ENOTUNIQ : has_module ? -ENOENT : -ESRCH;
}

int facts_each_typed(struct kernel *k, enum typed_kind kind, const char *module, kernel_name_fn fn,
		     void *ctx)
{
	char text[512];

	for (const struct fact *f = NULL; (f = facts_next(k, f, typed_fact(kind), module));) {
		if (f->typed->prog_id)
			continue;
		snprintf(text, sizeof(text), "%s [%s]", f->typed->name, f->name);
		fn(strcmp(f->name, "vmlinux") != 0 ? text : f->typed->name, ctx);
	}
	return 0;
}

int facts_each_bpf_function(struct kernel *k, typed_function_fn fn, void *ctx)
{
	for (const struct fact *f = NULL; (f = facts_next(k, f, FACT_TYPED, NULL));)
		if (f->typed->prog_id)
			fn(f->typed, ctx);
	return 0;
}
