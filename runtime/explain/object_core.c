/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The CO-RE relocations of an object, as words: see object_code.h. Each names an instruction, a
 * type of the object's BTF and the way to a member, as the numbers of members: "0:11".
 */
#include "runtime/explain/object_core.h"
#include "parser/base/arena.h"
#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

/* What the kernel that runs puts into the instruction: the column of enum bpf_core_relo_kind. */
static const char *const kinds[] = {
	[BPF_CORE_FIELD_BYTE_OFFSET] = "offset of",
	[BPF_CORE_FIELD_BYTE_SIZE] = "size of",
	[BPF_CORE_FIELD_EXISTS] = "is there",
	[BPF_CORE_FIELD_SIGNED] = "has a sign",
	[BPF_CORE_FIELD_LSHIFT_U64] = "shift to the left of",
	[BPF_CORE_FIELD_RSHIFT_U64] = "shift to the right of",
	[BPF_CORE_TYPE_ID_LOCAL] = "own number of type",
	[BPF_CORE_TYPE_ID_TARGET] = "number of type",
	[BPF_CORE_TYPE_EXISTS] = "is there",
	[BPF_CORE_TYPE_SIZE] = "size of",
	[BPF_CORE_ENUMVAL_EXISTS] = "is there a value of",
	[BPF_CORE_ENUMVAL_VALUE] = "a value of",
	[BPF_CORE_TYPE_MATCHES] = "is the same",
};

/* The type without typedefs and qualifiers. */
static const struct btf_type *resolve(const struct btf *btf, uint32_t id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* "task_struct.thread_info.status": follow the numbers behind the first, which is the index of the
 * struct itself. */
static const char *member_name(struct arena *a, const struct btf *btf, uint32_t type,
			       const char *access)
{
	const struct btf_type *t = resolve(btf, type);
	const char *name = t ? btf__name_by_offset(btf, t->name_off) : NULL;
	char *end;

	if (!name || !*name)
		return NULL;
	strtoul(access, &end, 10);
	while (t && *end == ':' && btf_is_composite(t)) {
		unsigned long i = strtoul(end + 1, &end, 10);
		const struct btf_member *m = btf_members(t) + i;

		if (i >= btf_vlen(t))
			return name;
		if (m->name_off)
			name = arena_printf(a, "%s.%s", name,
					    btf__name_by_offset(btf, m->name_off));
		t = resolve(btf, m->type);
	}
	return name;
}

const char *object_core_words(struct arena *a, const struct btf *btf,
			      const struct bpf_core_relo *relo)
{
	const char *access = btf__name_by_offset(btf, relo->access_str_off);
	const char *kind = relo->kind < sizeof(kinds) / sizeof(*kinds) ? kinds[relo->kind] : NULL;
	const char *name = access ? member_name(a, btf, relo->type_id, access) : NULL;

	return kind && name ? arena_printf(a, "CO-RE: %s %s", kind, name) : NULL;
}
