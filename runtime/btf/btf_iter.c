/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's BPF iterators: structs bpf_iter__NAME in BTF, whose members a program receives. A
 * member is an integer, or a pointer in an unnamed union that makes it 64 bits wide on all
 * machines.
 */
#include "runtime/btf/btf_iter.h"
#include "runtime/btf/btf_walk.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "bpf_iter__", struct_word[] = "struct ";
enum { PREFIX_LEN = sizeof(prefix) - 1, MAX_FIELDS = 16, MAX_STEPS = 16 };

/* Types by id. */
struct types {
	const struct btf_raw *btf;
	const struct btf_type **at;
	uint32_t n;
};

static int index_types(struct types *t, const struct btf_raw *b)
{
	size_t most = (size_t)(b->types_end - b->types) / sizeof(struct btf_type) + 2;
	struct btf_walk w = btf_walk_start(b);
	const struct btf_type *type;

	*t = (struct types){.btf = b, .n = 1};
	t->at = calloc(most, sizeof(*t->at));
	if (!t->at)
		return -ENOMEM;
	while ((type = btf_walk_next(&w)))
		t->at[t->n++] = type;
	return w.is_broken ? -EINVAL : 0;
}

static const char *string_at(const struct btf_raw *b, uint32_t offset)
{
	return offset < b->strings_len ? b->strings + offset : "";
}

/* Skip qualifiers and typedefs. NULL when there is no such type. */
static const struct btf_type *resolve(const struct types *t, uint32_t id)
{
	for (int i = 0; i < MAX_STEPS && id && id < t->n; i++) {
		switch (BTF_INFO_KIND(t->at[id]->info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG: id = t->at[id]->type; break;
		default: return t->at[id];
		}
	}
	return NULL;
}

static const struct btf_member *members_of(const struct btf_type *t)
{
	return (const struct btf_member *)(t + 1);
}

/* False for a member that is neither an integer nor a pointer. */
static bool read_field(const struct types *t, const struct btf_member *m, struct iter_field *f)
{
	const struct btf_type *type = resolve(t, m->type);
	const char *name = string_at(t->btf, m->name_off);

	if (type && BTF_INFO_KIND(type->info) == BTF_KIND_UNION && BTF_INFO_VLEN(type->info)) {
		name = string_at(t->btf, members_of(type)->name_off);
		type = resolve(t, members_of(type)->type);
	}
	if (!type || !*name)
		return false;
	*f = (struct iter_field){.name = name, .offset = m->offset / 8, .size = 8};
	f->is_pointer = BTF_INFO_KIND(type->info) == BTF_KIND_PTR;
	if (f->is_pointer) {
		type = resolve(t, type->type);
		if (type && BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT)
			f->to = string_at(t->btf, type->name_off);
		return true;
	}
	f->size = type->size;
	if (BTF_INFO_KIND(type->info) != BTF_KIND_INT)
		return false;
	f->is_signed = BTF_INT_ENCODING(*(const uint32_t *)(type + 1)) & BTF_INT_SIGNED;
	return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
}

/* One block of memory: the iterator, its fields, its names. */
static struct kernel_iter *make(const char *name, const struct iter_field *fields, uint32_t n)
{
	size_t bytes = sizeof(struct kernel_iter) + n * sizeof(*fields) + strlen(name) + 1;
	struct kernel_iter *iter;
	char *text;

	for (uint32_t i = 0; i < n; i++)
		bytes += strlen(fields[i].name) + 1 +
			 (fields[i].to ? sizeof(struct_word) + strlen(fields[i].to) : 0);
	iter = malloc(bytes);
	if (!iter)
		return NULL;
	iter->fields = (struct iter_field *)(iter + 1);
	iter->n_fields = n;
	text = (char *)(iter->fields + n);
	iter->name = text;
	text = stpcpy(text, name) + 1;
	for (uint32_t i = 0; i < n; i++) {
		iter->fields[i] = fields[i];
		iter->fields[i].name = text;
		text = stpcpy(text, fields[i].name) + 1;
		if (!fields[i].to)
			continue;
		iter->fields[i].to = text;
		text = stpcpy(stpcpy(text, struct_word), fields[i].to) + 1;
	}
	return iter;
}

int btf_iter_read(const struct btf_raw *b, const char *name, struct kernel_iter **out)
{
	struct iter_field fields[MAX_FIELDS];
	char struct_name[128];
	uint32_t n = 0;
	struct types t;
	int id, err;

	if (strstr(name, "__"))
		return -ENOENT;
	snprintf(struct_name, sizeof(struct_name), "%s%s", prefix, name);
	id = btf_raw_find(b, struct_name, BTF_KIND_STRUCT);
	if (id < 0)
		return id;
	err = index_types(&t, b);
	for (uint32_t i = 0; !err && i < BTF_INFO_VLEN(t.at[id]->info) && n < MAX_FIELDS; i++)
		n += read_field(&t, &members_of(t.at[id])[i], &fields[n]);
	if (!err) {
		*out = make(name, fields, n);
		err = *out ? 0 : -ENOMEM;
	}
	free(t.at);
	return err;
}

struct each {
	kernel_name_fn fn;
	void *ctx;
};

static int call(const char *name, uint32_t id, void *ctx)
{
	const struct each *e = ctx;

	(void)id;
	if (!strstr(name + PREFIX_LEN,
		    "__")) /* task__safe_trusted: an annotation for the verifier */
		e->fn(name + PREFIX_LEN, e->ctx);
	return 0;
}

int btf_iter_each(const struct btf_raw *b, kernel_name_fn fn, void *ctx)
{
	struct each e = {fn, ctx};

	return btf_raw_each(b, BTF_KIND_STRUCT, prefix, call, &e);
}
