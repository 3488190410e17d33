/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cuts a small BTF section out of a large one: the structs that CO-RE relocations need, with all
 * their members and the types these contain by value. libbpf then relocates against a few KiB
 * instead of indexing all of vmlinux's BTF (13 ms, 39 MiB).
 * One pass records the offset of each type and queues the requested structs. Then the queue is
 * processed: writing a struct calls retain() for its members' types, which assigns new ids and
 * queues types not seen before. CO-RE compares members by name and kind and uses offsets and sizes;
 * it accepts any pointer for any pointer and skips typedefs and qualifiers. So those are dropped,
 * all pointers become one `void *`, and enums keep only their name and size. A struct behind a
 * pointer must be requested by name. Type-match relocations (bpf_core_type_matches) would not work
 * on the result.
 */
#include <bpf/btf.h>
#include "runtime/base/vec.h"
#include "runtime/btf/btf_walk.h"

enum { SEE_THROUGH_MAX = 64, BUFFER_FIRST = 16384 };

struct buffer {
	VEC(uint8_t);
};

struct cut {
	const struct btf_raw *btf;
	uint32_t *offset;    /* by old id: offset from the first type, in bytes */
	uint32_t *new_id;    /* by old id: 0 when not kept */
	uint32_t n_old;	     /* ids are 1 … n_old */
	VEC(uint32_t) queue; /* old ids in the order of their new ids; 0 stands for `void *` */
	uint32_t pointer;    /* new id of `void *`, 0 before it is assigned */
	struct buffer types, strings;
	int err; /* the first error */
};

static void *buffer_add(struct cut *c, struct buffer *b, const void *data, size_t len)
{
	if ((!b->n && vec_reserve(b, BUFFER_FIRST)) || vec_append(b, data, len)) {
		c->err = -ENOMEM;
		return NULL;
	}
	return b->items + b->n - len;
}

static const struct btf_type *old_type(const struct cut *c, uint32_t id)
{
	return (const struct btf_type *)(c->btf->types + c->offset[id]);
}

static const char *old_string(const struct cut *c, uint32_t at)
{
	return at < c->btf->strings_len ? c->btf->strings + at : "";
}

/* Names are not deduplicated: that costs a few KiB and saves a table. */
static uint32_t add_string(struct cut *c, uint32_t old)
{
	const char *s = old_string(c, old);
	uint32_t at = c->strings.n;

	if (!*s)
		return 0;
	buffer_add(c, &c->strings, s, strlen(s) + 1);
	return at;
}

/* Assign the next new id to an old one (0: `void *`). 0 on error. */
static uint32_t enqueue(struct cut *c, uint32_t old)
{
	if (vec_push(&c->queue, old)) {
		c->err = -ENOMEM;
		return 0;
	}
	return (uint32_t)c->queue.n;
}

/* The type behind typedefs, qualifiers and type tags; 0 for void. */
static uint32_t see_through(struct cut *c, uint32_t id)
{
	const struct btf_type *t;

	for (int i = 0; i < SEE_THROUGH_MAX && id <= c->n_old; i++) {
		if (id == 0)
			return 0;
		t = old_type(c, id);
		if (!btf_is_mod(t) && !btf_is_typedef(t))
			return id;
		id = t->type;
	}
	c->err = -EINVAL; /* an id out of range, or a loop */
	return 0;
}

/* The new id of old type `id` without typedefs and qualifiers, 0 for void. */
static uint32_t retain(struct cut *c, uint32_t id)
{
	id = see_through(c, id);
	if (id == 0)
		return 0;
	if (btf_is_ptr(old_type(c, id))) {
		if (!c->pointer)
			c->pointer = enqueue(c, 0);
		return c->pointer;
	}
	if (!c->new_id[id])
		c->new_id[id] = enqueue(c, id);
	return c->new_id[id];
}

static void write_head(struct cut *c, const struct btf_type *t, uint32_t vlen)
{
	struct btf_type head = *t;

	head.name_off = add_string(c, t->name_off);
	head.info = (t->info & ~0xffffu) | vlen;
	buffer_add(c, &c->types, &head, sizeof(head));
}

static void write_members(struct cut *c, const struct btf_type *t)
{
	const struct btf_member *m = btf_members(t);
	struct btf_member copy;

	for (uint32_t i = 0; i < btf_vlen(t) && !c->err; i++) {
		copy.name_off = add_string(c, m[i].name_off);
		copy.type = retain(c, m[i].type);
		copy.offset = m[i].offset;
		buffer_add(c, &c->types, &copy, sizeof(copy));
	}
}

static void write_array(struct cut *c, const struct btf_type *t)
{
	struct btf_array a = *btf_array(t);

	a.type = retain(c, a.type);
	a.index_type = retain(c, a.index_type);
	buffer_add(c, &c->types, &a, sizeof(a));
}

static void write_pointer(struct cut *c)
{
	struct btf_type p = {.info = BTF_KIND_PTR << 24};

	buffer_add(c, &c->types, &p, sizeof(p));
}

static void write_type(struct cut *c, uint32_t old)
{
	const struct btf_type *t = old_type(c, old);

	switch (btf_kind(t)) {
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		write_head(c, t, btf_vlen(t));
		write_members(c, t);
		break;
	case BTF_KIND_INT:
		write_head(c, t, 0);
		buffer_add(c, &c->types, t + 1, sizeof(uint32_t));
		break;
	case BTF_KIND_ARRAY:
		write_head(c, t, 0);
		write_array(c, t);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT:
	case BTF_KIND_FWD: write_head(c, t, 0); break;
	default: c->err = -EINVAL; /* functions and variables cannot be members */
	}
}

static bool is_named(const struct cut *c, const struct btf_type *t, const char *const *names,
		     size_t n)
{
	const char *name;

	if (!btf_is_composite(t))
		return false;
	name = old_string(c, t->name_off);
	return FIND(names, n, name[0] == **item && name[0] && !strcmp(name, *item));
}

/* Record the offset of each type and queue the requested ones. */
static void index_types(struct cut *c, const char *const *names, size_t n)
{
	struct btf_walk w = btf_walk_start(c->btf);
	const struct btf_type *t;

	while (!c->err && (t = btf_walk_next(&w))) {
		c->offset[w.id] = (const uint8_t *)t - c->btf->types;
		c->n_old = w.id;
		if (is_named(c, t, names, n))
			c->new_id[w.id] = enqueue(c, w.id);
	}
	if (w.is_broken)
		c->err = -EINVAL;
}

/* Header, types, strings in one block. */
static int finish(struct cut *c, void **out, size_t *out_len)
{
	struct btf_header h = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.hdr_len = BTF_HEADER_BYTES,
		.type_len = c->types.n,
		.str_off = c->types.n,
		.str_len = c->strings.n,
	};
	uint8_t *p = malloc(BTF_HEADER_BYTES + c->types.n + c->strings.n);

	if (!p)
		return -ENOMEM;
	memcpy(p, &h, BTF_HEADER_BYTES);
	if (c->types.n)
		memcpy(p + BTF_HEADER_BYTES, c->types.items, c->types.n);
	memcpy(p + BTF_HEADER_BYTES + c->types.n, c->strings.items, c->strings.n);
	*out = p;
	*out_len = BTF_HEADER_BYTES + c->types.n + c->strings.n;
	return 0;
}

int btf_raw_cut(const struct btf_raw *b, const char *const *names, size_t n, void **out,
		size_t *out_len)
{
	/* An upper bound: no type is smaller than struct btf_type. Untouched pages cost nothing. */
	size_t n_max = (b->types_end - b->types) / sizeof(struct btf_type) + 1;
	struct cut c = {.btf = b};

	c.offset = malloc(n_max * sizeof(*c.offset));
	c.new_id = calloc(n_max, sizeof(*c.new_id));
	if (!c.offset || !c.new_id)
		c.err = -ENOMEM;
	if (!c.err)
		buffer_add(&c, &c.strings, "", 1);
	if (!c.err)
		index_types(&c, names, n);
	for (uint32_t i = 0; i < c.queue.n && !c.err; i++) {
		if (c.queue.items[i])
			write_type(&c, c.queue.items[i]);
		else
			write_pointer(&c);
	}
	if (!c.err)
		c.err = finish(&c, out, out_len);
	free(c.offset);
	free(c.new_id);
	vec_free(&c.queue);
	vec_free(&c.types);
	vec_free(&c.strings);
	return c.err;
}
