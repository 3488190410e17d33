/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's BPF iterators: structs bpf_iter__NAME in BTF, whose members a program receives. A
 * member is an integer, or a pointer in an unnamed union that makes it 64 bits wide on all
 * machines.
 */
#include "runtime/btf/btf_iter.h"
#include "parser/base/arena.h"
#include "runtime/btf/btf_walk.h"
#include <stdio.h>

static const char prefix[] = "bpf_iter__";
enum { PREFIX_LEN = sizeof(prefix) - 1 };

/* False for a member that is neither an integer nor a pointer. */
static bool read_field(struct arena *a, const struct btf_types *t, const struct btf_member *m,
		       struct iter_field *f)
{
	const struct btf_type *type = btf_types_plain(t, m->type);
	const char *name = btf_types_string(t, m->name_off);

	*f = (struct iter_field){.offset = m->offset / 8, .size = 8};
	if (type && BTF_INFO_KIND(type->info) == BTF_KIND_UNION && BTF_INFO_VLEN(type->info)) {
		m = (const struct btf_member *)(type + 1);
		name = btf_types_string(t, m->name_off);
		type = btf_types_plain(t, m->type);
	}
	if (!type || !*name)
		return false;
	f->name = arena_strdup(a, name);
	f->is_pointer = BTF_INFO_KIND(type->info) == BTF_KIND_PTR;
	if (f->is_pointer) {
		type = btf_types_plain(t, type->type);
		if (type && BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT)
			f->to = arena_join(a, "struct ", btf_types_string(t, type->name_off), "");
		return true;
	}
	f->size = type->size;
	if (BTF_INFO_KIND(type->info) != BTF_KIND_INT)
		return false;
	f->is_signed = BTF_INT_ENCODING(*(const uint32_t *)(type + 1)) & BTF_INT_SIGNED;
	return f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
}

int btf_iter_read(struct arena *a, const struct btf_types *t, const char *name,
		  const struct kernel_iter **out)
{
	const struct btf_type *type;
	struct kernel_iter *iter;
	char struct_name[128];
	uint32_t n;
	int id;

	if (strstr(name, "__"))
		return -ENOENT;
	snprintf(struct_name, sizeof(struct_name), "%s%s", prefix, name);
	id = btf_raw_find(t->raw, struct_name, BTF_KIND_STRUCT);
	if (id < 0)
		return id;
	type = btf_types_at(t, (uint32_t)id);
	n = BTF_INFO_VLEN(type->info);
	iter = arena_new_of(a, struct kernel_iter);
	iter->name = arena_strdup(a, name);
	iter->fields = arena_alloc(a, n * sizeof(*iter->fields));
	for (uint32_t i = 0; i < n; i++)
		iter->n_fields += read_field(a, t, (const struct btf_member *)(type + 1) + i,
					     &iter->fields[iter->n_fields]);
	*out = iter;
	return 0;
}

struct each {
	kernel_name_fn fn;
	void *ctx;
};

static int call(const char *name, uint32_t id, void *ctx)
{
	const struct each *e = ctx;

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
