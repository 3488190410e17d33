/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions and variables by address: see elfsym.h.
 *
 * The index has 8 bytes per function, (address - base) << 32 | table << 31 | symbol number, sorted.
 * The rest of a symbol (size, name, binding) is read from the file again when the function is first
 * looked up, which takes two system calls; then it is in the cache.
 */
#include "runtime/elf/demangle.h"
#include "runtime/elf/elfsym_impl.h"
#include <sys/stat.h>

enum { ALIASES_MAX = 64, NESTING_MAX = 16, OBJECTS_MAX = 1024 * 1024 };

/* ---- the index ---- */

struct indexing {
	struct key_list *keys;
	uint64_t base;
	uint32_t table_bit;
};

static int index_symbol(void *ctx, uint32_t i, const struct symbol *s)
{
	const struct indexing *x = ctx;

	if (s->value - x->base > UINT32_MAX || x->keys->n >= FUNCTIONS_MAX)
		return 0;
	return vec_push(x->keys, (s->value - x->base) << 32 | x->table_bit | i);
}

int elfsym_sort_keys(uint64_t *keys, size_t n)
{
	uint64_t *other = malloc((n ? n : 1) * sizeof(*other)), *from = keys, *to = other;

	if (!other)
		return -ENOMEM;
	for (int shift = 32; shift < 64; shift += 8) {
		size_t place[256] = {0}, sum = 0;
		uint64_t *swap;

		for (size_t i = 0; i < n; i++)
			place[from[i] >> shift & 255]++;
		for (size_t i = 0; i < 256; i++) {
			size_t count = place[i];

			place[i] = sum;
			sum += count;
		}
		for (size_t i = 0; i < n; i++)
			to[place[from[i] >> shift & 255]++] = from[i];
		swap = from;
		from = to;
		to = swap;
	}
	free(other); /* an even number of passes leaves the result in keys */
	return 0;
}

/* Drop symbols of .dynsym at addresses that .symtab (or the debug file's) has, too. The sort is
 * stable and .symtab was added first, so its keys come first in each group. */
static size_t drop_dynamic_duplicates(uint64_t *keys, size_t n)
{
	size_t kept = 0;
	bool has_full = false;

	for (size_t i = 0; i < n; i++) {
		bool is_dynamic = keys[i] & 1u << 31;

		if (!i || keys[i] >> 32 != keys[i - 1] >> 32)
			has_full = !is_dynamic;
		if (!is_dynamic || !has_full)
			keys[kept++] = keys[i];
	}
	return kept;
}

static int build_index(struct elfsym *e)
{
	struct indexing x = {.keys = &e->index, .base = e->base};
	int err = 0;

	e->is_indexed = true; /* so that it is not tried again after a failure */
	for (enum table_id id = 0; id < TABLE_COUNT && !err; id++) {
		x.table_bit = id == TABLE_DYNAMIC ? 1u << 31 : 0;
		err = elfsym_each_symbol(e, id, SYMBOL_FUNCTION, index_symbol, &x);
	}
	if (!err)
		err = elfsym_sort_keys(e->index.items, e->index.n);
	if (err) {
		vec_free(&e->index);
		return err;
	}
	e->index.n = drop_dynamic_duplicates(e->index.items, e->index.n);
	vec_shrink(&e->index);
	return 0;
}

/* ---- names ---- */

bool elfsym_is_better(const char *a, const struct symbol *s, const char *b,
		      const struct symbol *best)
{
	bool is_local = ELF64_ST_BIND(s->info) == STB_LOCAL;
	size_t bars = strspn(a, "_"), best_bars = strspn(b, "_");

	if (is_local != (ELF64_ST_BIND(best->info) == STB_LOCAL))
		return !is_local;
	if (bars != best_bars)
		return bars < best_bars;
	if (strlen(a) != strlen(b))
		return strlen(a) < strlen(b); /* cbrt, not cbrtf32x */
	return strcmp(a, b) < 0;
}

static bool is_unchanged(const struct elfsym *e)
{
	struct stat st;

	return !fstat(e->fd, &st) && (uint64_t)st.st_size == e->size &&
	       st.st_mtim.tv_sec == e->modified.tv_sec && st.st_mtim.tv_nsec == e->modified.tv_nsec;
}

static uint64_t key_address(const struct elfsym *e, size_t i)
{
	return e->base + (e->index.items[i] >> 32);
}

/* Read the aliases at index `group` and those that follow at the same address, and choose one. */
static bool resolve_group(struct elfsym *e, size_t group, struct resolved *out)
{
	char scratch[SCRATCH_BYTES], *name = scratch, *best_name = scratch + NAME_MAX_BYTES;
	struct symbol s, best = {0};
	uint64_t start = key_address(e, group), size = 0;
	const struct range *text = elfsym_text_range(e, start);
	bool has_best = false;
	size_t i = group;

	for (; i < e->index.n && key_address(e, i) == start; i++) {
		const struct table *t = &e->tables[e->index.items[i] >> 31 & 1];

		if (i - group >= ALIASES_MAX ||
		    !elfsym_read_symbol(t, e->index.items[i] & INT32_MAX, &s) ||
		    !elfsym_read_name(t, s.name, name))
			continue;
		if (s.size > size)
			size = s.size;
		if (!has_best || elfsym_is_better(name, &s, best_name, &best)) {
			char *swap = best_name;

			best_name = name;
			name = swap;
			best = s;
			has_best = true;
		}
	}
	if (!has_best || !text)
		return false;
	out->start = start;
	out->end = size > text->end - start ? text->end : start + size;
	if (!size)
		out->end = i < e->index.n && key_address(e, i) < text->end ? key_address(e, i)
									   : text->end;
	out->group = (uint32_t)group + 1;
	if (demangle_shown(best_name, name, NAME_MAX_BYTES))
		best_name = name;
	out->name = string_set_intern(&e->names, best_name);
	return out->name;
}

HASH_INTEGER_FUNCTIONS(resolved_cache, struct resolved, uint32_t, hash_u32, e->group, e->group)

/* Get the group from the cache, or read it. Valid until the next call. */
static const struct resolved *resolve(struct elfsym *e, size_t group)
{
	const struct resolved *known = resolved_cache_find(&e->cache, (uint32_t)group + 1);
	struct resolved r;

	if (known)
		return known;
	/* Reserve first: a name that is kept must not be lost. */
	if (!is_unchanged(e) || resolved_cache_reserve(&e->cache, e->cache.n + 1))
		return NULL;
	return resolve_group(e, group, &r) && !resolved_cache_insert(&e->cache, r)
		       ? resolved_cache_find(&e->cache, r.group)
		       : NULL;
}

bool elfsym_by_address(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *offset)
{
	uint64_t start, size;

	if (!elfsym_function_at(e, vaddr, name, &start, &size))
		return false;
	*offset = vaddr - start;
	return true;
}

bool elfsym_function_at(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *start,
			uint64_t *size)
{
	size_t i;

	if (!e->is_indexed)
		build_index(e);
	i = vec_bound(&e->index, e->base + (*item >> 32) <= vaddr);
	/* A label inside a function must not hide it: try a few more symbols backwards. */
	for (int tries = 0; i > 0 && tries < NESTING_MAX; tries++) {
		const uint64_t *keys = e->index.items;
		const struct resolved *r;
		size_t group = i - 1;

		while (group > 0 && keys[group - 1] >> 32 == keys[group] >> 32)
			group--;
		r = resolve(e, group);
		if (r && vaddr < r->end) {
			*name = r->name;
			*start = r->start;
			*size = r->end - r->start;
			return true;
		}
		i = group;
	}
	return false;
}

/* ---- variables ---- */

/* They are sorted by address at the first call; names are read when an address is in one. */
struct collector {
	struct elfsym *e;
	uint32_t table;
};

static int add_object(void *ctx, uint32_t i, const struct symbol *s)
{
	const struct collector *c = ctx;

	if (ELF64_ST_TYPE(s->info) != STT_OBJECT || !s->size || s->size > UINT64_MAX - s->value)
		return 0;
	if (c->e->objects.n == OBJECTS_MAX)
		return 1;
	return vec_push(&c->e->objects, (struct object){s->value, s->value + s->size, c->table, i});
}

static void collect(struct elfsym *e)
{
	for (uint32_t t = 0; t < TABLE_COUNT && !e->objects.n; t++)
		elfsym_each_symbol(e, t, SYMBOL_OBJECT, add_object, &(struct collector){e, t});
	e->has_objects = true;
	vec_sort(&e->objects);
}

bool elfsym_object_at(struct elfsym *e, uint64_t vaddr, const char **name, uint64_t *offset)
{
	size_t low;
	char names[SCRATCH_BYTES], *best = NULL, *other;
	struct symbol s, best_symbol = {0};
	uint64_t start;

	if (!e->has_objects)
		collect(e);
	low = vec_bound(&e->objects, item->start <= vaddr);
	if (!low || vaddr >= e->objects.items[low - 1].end)
		return false;
	start = e->objects.items[low - 1].start;
	for (other = names; low && e->objects.items[low - 1].start == start; low--) {
		const struct object *o = &e->objects.items[low - 1];
		const struct table *t = &e->tables[o->table];

		if (!elfsym_read_symbol(t, o->symbol, &s) || !elfsym_read_name(t, s.name, other) ||
		    (best && !elfsym_is_better(other, &s, best, &best_symbol)))
			continue;
		best = other;
		best_symbol = s;
		other = best == names ? names + NAME_MAX_BYTES : names;
	}
	*offset = vaddr - start;
	*name = best ? string_set_intern(&e->names, best) : NULL;
	return *name;
}
