/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions and variables of an ELF file by name, and lists of all of them: see elfsym.h.
 *
 * Neither needs an index, or the string table in memory. A name is searched for in the string table
 * block by block. It may occur there several times, also as the tail of other strings. After that,
 * the symbols are read once to find one whose name is at such an offset. Lists are in the order of
 * the string table, so that it is read once, in blocks.
 */
#include "runtime/elf/elfsym_impl.h"

enum { STRING_BLOCK = 64 * 1024 };

/* Versions of a symbol, in the order of preference. */
enum version { VERSION_DEFAULT, VERSION_OLD };

struct name_search {
	enum symbol_kind kind;
	const struct table *table;
	struct key_list offsets; /* string offset << 32 | enum version, ascending */
	bool is_found;
	int rank;
	struct symbol best;
};

int elfsym_each_string_block(const struct table *t, size_t overlap,
			     int (*fn)(void *ctx, const char *bytes, size_t n, uint64_t at),
			     void *ctx)
{
	char *block = malloc(STRING_BLOCK + overlap);
	uint64_t at = 0;
	int err = 0;

	if (!block)
		return -ENOMEM;
	while (!err && at < t->strings_size) {
		uint64_t left = t->strings_size - at;
		size_t size = STRING_BLOCK + overlap, want = left < size ? left : size;
		size_t got = elfsym_read_at(t->fd, block, want, t->strings + at);

		memset(block + got, 0, size - got);
		err = fn(ctx, block, size, at);
		if (got < want) /* the file has been truncated since */
			break;
		at += STRING_BLOCK;
	}
	free(block);
	return err;
}

struct string_search {
	const char *name;
	size_t length;
	struct key_list *offsets;
};

/* Note where the name occurs in a block. It may be the tail of a longer string, because linkers
 * share strings. */
static int find_offsets(void *ctx, const char *bytes, size_t n, uint64_t at)
{
	const struct string_search *t = ctx;
	const char *p = bytes, *end = bytes + n - 2;

	while ((p = memmem(p, (size_t)(end - p), t->name, t->length))) {
		const char *after = p + t->length;
		uint64_t offset = at + (uint64_t)(p - bytes);

		if (p - bytes < STRING_BLOCK && offset <= UINT32_MAX &&
		    (!*after || *after == '@')) {
			bool is_old = *after == '@' && after[1] != '@';

			if (vec_push(t->offsets,
				     offset << 32 | (is_old ? VERSION_OLD : VERSION_DEFAULT)))
				return -ENOMEM;
		}
		p++;
	}
	return 0;
}

static bool is_hidden_version(const struct table *t, uint32_t i)
{
	uint16_t version;

	return t->versions && elfsym_read_at(t->fd, &version, 2, t->versions + 2ull * i) == 2 &&
	       version & 0x8000;
}

static int match_symbol(void *ctx, uint32_t i, const struct symbol *s)
{
	struct name_search *n = ctx;
	size_t at = vec_bound(&n->offsets, *item >> 32 < s->name);
	int rank;

	if (at == n->offsets.n || n->offsets.items[at] >> 32 != s->name)
		return 0;
	rank = (n->offsets.items[at] & UINT32_MAX) == VERSION_DEFAULT &&
			       !is_hidden_version(n->table, i)
		       ? 2
		       : 0;
	rank += ELF64_ST_BIND(s->info) != STB_LOCAL;
	if (!n->is_found || rank > n->rank || (rank == n->rank && s->value < n->best.value)) {
		n->is_found = true;
		n->rank = rank;
		n->best = *s;
	}
	return 0;
}

static int search_table(struct elfsym *e, enum table_id id, const char *name, struct name_search *n)
{
	struct string_search text = {.name = name, .length = strlen(name), .offsets = &n->offsets};
	int err;

	*n = (struct name_search){.kind = n->kind, .table = &e->tables[id]};
	err = elfsym_each_string_block(n->table, text.length + 2, find_offsets, &text);
	if (!err && n->offsets.n)
		err = elfsym_each_symbol(e, id, n->kind, match_symbol, n);
	vec_free(&n->offsets);
	return err;
}

static int search_tables(struct elfsym *e, const char *name, struct name_search *n)
{
	int err = *name ? 0 : -ESRCH;

	for (enum table_id id = 0; id < TABLE_COUNT && !n->is_found && !err; id++)
		err = search_table(e, id, name, n);
	return err;
}

bool elfsym_is_ifunc(struct elfsym *e, const char *name)
{
	struct name_search n = {.kind = SYMBOL_FUNCTION};

	return !search_tables(e, name, &n) && n.is_found &&
	       ELF64_ST_TYPE(n.best.info) == STT_GNU_IFUNC;
}

int elfsym_by_name(struct elfsym *e, const char *name, uint64_t *vaddr, uint64_t *file_offset,
		   uint64_t *size)
{
	struct name_search n = {.kind = SYMBOL_FUNCTION};
	int err = search_tables(e, name, &n);

	if (err)
		return err;
	if (!n.is_found || !elfsym_vaddr_to_file(e, n.best.value, file_offset))
		return -ESRCH;
	*vaddr = n.best.value;
	*size = n.best.size;
	return 0;
}

int elfsym_object(struct elfsym *e, const char *name, uint64_t *vaddr, uint64_t *size)
{
	struct name_search n = {.kind = SYMBOL_OBJECT};
	int err = search_tables(e, name, &n);

	if (err || !n.is_found)
		return err ? err : -ESRCH;
	*vaddr = n.best.value;
	*size = n.best.size;
	return 0;
}

/* ---- all functions, all variables ---- */

struct extent {
	uint64_t value, size;
};

struct function_walk {
	struct elfsym *e;
	enum symbol_kind kind;
	struct key_list names; /* string offset << 32 | index in extents; sorted */
	VEC(struct extent) extents;
	size_t next;
	elfsym_function_fn *fn;
	void *ctx;
	char *buffer;
};

static int collect_function(void *ctx, uint32_t i, const struct symbol *s)
{
	struct function_walk *w = ctx;

	if (w->extents.n == FUNCTIONS_MAX)
		return 0;
	if (vec_push(&w->names, (uint64_t)s->name << 32 | w->extents.n))
		return -ENOMEM;
	return vec_push(&w->extents, (struct extent){s->value, s->size});
}

/* Call fn with the name without its version. */
static void call_function(struct function_walk *w, const char *name, size_t length)
{
	const struct extent *p = &w->extents.items[(uint32_t)w->names.items[w->next]];
	uint64_t file_offset = 0;
	char *version;

	if (!length || length >= NAME_MAX_BYTES ||
	    (w->kind == SYMBOL_FUNCTION && !elfsym_vaddr_to_file(w->e, p->value, &file_offset)))
		return;
	memcpy(w->buffer, name, length);
	w->buffer[length] = '\0';
	version = memchr(w->buffer + 1, '@', length - 1);
	if (version)
		*version = '\0';
	w->fn(w->buffer, p->value, file_offset, p->size, w->ctx);
}

static int call_functions(void *ctx, const char *bytes, size_t n, uint64_t at)
{
	struct function_walk *w = ctx;

	for (; w->next < w->names.n; w->next++) {
		uint64_t offset = w->names.items[w->next] >> 32;

		if (offset >= at + STRING_BLOCK)
			break;
		call_function(w, bytes + (offset - at),
			      strnlen(bytes + (offset - at), n - (offset - at)));
	}
	return 0;
}

static int each_of_kind(struct elfsym *e, enum symbol_kind kind, elfsym_function_fn *fn, void *ctx)
{
	struct function_walk w = {
		.e = e, .kind = kind, .fn = fn, .ctx = ctx, .buffer = malloc(NAME_MAX_BYTES)};
	int err = w.buffer ? 0 : -ENOMEM;

	for (enum table_id id = 0; id < TABLE_COUNT && !w.names.n && !err; id++) {
		err = elfsym_each_symbol(e, id, kind, collect_function, &w);
		if (!err)
			err = elfsym_sort_keys(w.names.items, w.names.n);
		if (!err && w.names.n)
			err = elfsym_each_string_block(&e->tables[id], NAME_MAX_BYTES,
						       call_functions, &w);
	}
	vec_free(&w.names);
	vec_free(&w.extents);
	free(w.buffer);
	return err;
}

int elfsym_each_function(struct elfsym *e, elfsym_function_fn *fn, void *ctx)
{
	return each_of_kind(e, SYMBOL_FUNCTION, fn, ctx);
}

int elfsym_each_object(struct elfsym *e, elfsym_function_fn *fn, void *ctx)
{
	return each_of_kind(e, SYMBOL_OBJECT, fn, ctx);
}
