/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbol tables of ELF files: see elfsym.h. Opening, the index, and answers by address; headers are
 * read in elfsym_file.c, names looked up in elfsym_name.c.
 *
 * Reads the headers at open; the symbol and string tables only when asked, in blocks, by pread.
 * Nothing is mapped: a file that shrinks while we read it gives a short read, where a mapping would
 * give SIGBUS, and a lookup costs two system calls once a function, then none (the cache).
 * The index is 8 bytes a function: (address - base) << 32 | table << 31 | symbol number, sorted.
 * All else of a symbol (size, name, binding) is read again from the file when it is first hit.
 * Nothing in the file is trusted: offsets, counts and strings are checked where they are read.
 */
#define _GNU_SOURCE
#include "runtime/elf/demangle.h"
#include "runtime/elf/elfsym_impl.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	BLOCK_SYMBOLS = 1024,
	SEGMENTS_MAX = 1024,
	NAME_FIRST_READ = 512,
	ALIASES_MAX = 64,
	NESTING_MAX = 16,
};

/* ---- open and close ---- */

static int read_segments(struct elfsym *e, const struct elf_file *f)
{
	size_t entry = f->is_64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	size_t n = f->n_segments < SEGMENTS_MAX ? f->n_segments : SEGMENTS_MAX;
	char raw[sizeof(Elf64_Phdr)];

	e->segments = calloc(n ? n : 1, sizeof(*e->segments));
	if (!e->segments)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		Elf64_Phdr p = {0};
		Elf32_Phdr q;

		if (elfsym_read_at(f->fd, raw, entry, f->segments_offset + i * entry) != entry)
			break;
		if (f->is_64) {
			memcpy(&p, raw, sizeof(p));
		} else {
			memcpy(&q, raw, sizeof(q));
			p = (Elf64_Phdr){.p_type = q.p_type,
					 .p_flags = q.p_flags,
					 .p_offset = q.p_offset,
					 .p_vaddr = q.p_vaddr,
					 .p_filesz = q.p_filesz};
		}
		if (p.p_type == PT_LOAD && p.p_filesz)
			e->segments[e->n_segments++] =
				(struct segment){p.p_vaddr, p.p_offset, p.p_filesz,
						 p.p_flags & PF_X};
	}
	return 0;
}

static int read_text_ranges(struct elfsym *e, const struct elf_file *f)
{
	const uint64_t wanted = SHF_ALLOC | SHF_EXECINSTR;

	e->text = calloc(f->n_sections ? f->n_sections : 1, sizeof(*e->text));
	if (!e->text)
		return -ENOMEM;
	e->base = UINT64_MAX;
	for (uint32_t i = 0; i < f->n_sections; i++) {
		const struct section *s = &f->sections[i];

		if ((s->flags & wanted) != wanted || !s->size || s->size > UINT64_MAX - s->address)
			continue;
		e->text[e->n_text++] = (struct range){s->address, s->address + s->size};
		if (s->address < e->base)
			e->base = s->address;
	}
	return 0;
}

static void pick_versions(const struct elf_file *f, struct table *out)
{
	for (uint32_t i = 0; i < f->n_sections; i++)
		if (f->sections[i].type == SHT_GNU_versym)
			out->versions = f->sections[i].offset;
}

static int read_all_headers(struct elfsym *e, const char *path)
{
	struct elf_file f;
	struct stat st;
	int err = elfsym_read_file(&f, e->fd, &st);

	if (err)
		goto out;
	e->machine = f.machine;
	e->is_movable = f.kind == ET_DYN;
	e->entry = f.entry;
	e->size = f.size;
	e->modified = st.st_mtim;
	err = read_segments(e, &f);
	if (!err)
		err = read_text_ranges(e, &f);
	if (err)
		goto out;
	elfsym_pick_table(&f, SHT_SYMTAB, &e->tables[TABLE_FULL]);
	elfsym_pick_table(&f, SHT_DYNSYM, &e->tables[TABLE_DYNAMIC]);
	pick_versions(&f, &e->tables[TABLE_DYNAMIC]);
	if (!e->tables[TABLE_FULL].n)
		elfsym_find_debug_file(e, &f, path);
	if (!e->tables[TABLE_FULL].n)
		elfsym_find_mini_symbols(e, &f);
out:
	free(f.sections);
	return err;
}

struct elfsym *elfsym_open_fd(int fd, const char *path, int *err)
{
	struct elfsym *e = calloc(1, sizeof(*e));

	if (!e) {
		close(fd);
		*err = -ENOMEM;
		return NULL;
	}
	e->fd = fd;
	e->debug_fd = -1;
	*err = read_all_headers(e, path);
	if (*err) {
		elfsym_close(e);
		return NULL;
	}
	return e;
}

struct elfsym *elfsym_open(const char *path, int *err)
{
	int fd = elfsym_open_regular(path);

	if (fd < 0) {
		*err = fd == -ENOTDIR ? -ENOENT : fd;
		return NULL;
	}
	return elfsym_open_fd(fd, path, err);
}

void elfsym_close(struct elfsym *e)
{
	if (!e)
		return;
	while (e->names) {
		struct name_chunk *next = e->names->next;

		free(e->names);
		e->names = next;
	}
	if (e->debug_fd >= 0)
		close(e->debug_fd);
	close(e->fd);
	free(e->scratch);
	free(e->cache);
	free(e->index);
	free(e->text);
	free(e->segments);
	free(e);
}

size_t elfsym_bytes(const struct elfsym *e)
{
	return sizeof(*e) + e->n_index * sizeof(*e->index) + e->n_slots * sizeof(*e->cache) +
	       e->names_bytes + e->n_segments * sizeof(*e->segments) + e->n_text * sizeof(*e->text);
}

/* ---- symbols ---- */

static size_t symbol_bytes(const struct table *t)
{
	return t->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static void decode_symbol(const struct table *t, const char *raw, struct symbol *out)
{
	if (t->is_64) {
		Elf64_Sym s;

		memcpy(&s, raw, sizeof(s));
		*out = (struct symbol){s.st_value, s.st_size, s.st_name, s.st_shndx, s.st_info};
	} else {
		Elf32_Sym s;

		memcpy(&s, raw, sizeof(s));
		*out = (struct symbol){s.st_value, s.st_size, s.st_name, s.st_shndx, s.st_info};
	}
}

static bool read_symbol(const struct table *t, uint32_t i, struct symbol *out)
{
	char raw[sizeof(Elf64_Sym)];
	size_t entry = symbol_bytes(t);

	if (i >= t->n ||
	    elfsym_read_at(t->fd, raw, entry, t->offset + (uint64_t)i * entry) != entry)
		return false;
	decode_symbol(t, raw, out);
	return true;
}

static const struct range *text_range(const struct elfsym *e, uint64_t vaddr)
{
	for (size_t i = 0; i < e->n_text; i++)
		if (vaddr - e->text[i].start < e->text[i].end - e->text[i].start)
			return &e->text[i];
	return NULL;
}

static bool is_function(const struct elfsym *e, struct symbol *s)
{
	/* The ELF32 and ELF64 macros for st_info are the same. */
	int type = ELF64_ST_TYPE(s->info);

	if (s->section == SHN_UNDEF || !s->name)
		return false;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && (type != STT_NOTYPE || !s->size))
		return false;
	if (e->machine == EM_ARM)
		s->value &= ~1ull; /* the Thumb bit */
	return text_range(e, s->value);
}

/* Not a section's or a file's name, nor one of a thread's variables: these are no addresses. */
static bool is_object(const struct symbol *s)
{
	int type = ELF64_ST_TYPE(s->info);

	return s->section != SHN_UNDEF &&
	       (type == STT_OBJECT || type == STT_FUNC || type == STT_NOTYPE);
}

int elfsym_each_symbol(const struct elfsym *e, enum table_id id, enum symbol_kind kind,
		       int (*fn)(void *ctx, uint32_t i, const struct symbol *s), void *ctx)
{
	const struct table *t = &e->tables[id];
	char block[BLOCK_SYMBOLS * sizeof(Elf64_Sym)];
	size_t entry = symbol_bytes(t);

	for (uint32_t i = 0; i < t->n;) {
		size_t want = t->n - i < BLOCK_SYMBOLS ? t->n - i : BLOCK_SYMBOLS;
		size_t got =
			elfsym_read_at(t->fd, block, want * entry, t->offset + (uint64_t)i * entry);

		for (size_t k = 0; k < got / entry; k++, i++) {
			struct symbol s;
			int err;

			decode_symbol(t, block + k * entry, &s);
			if (kind == SYMBOL_FUNCTION ? !is_function(e, &s) : !is_object(&s))
				continue;
			err = fn(ctx, i, &s);
			if (err)
				return err;
		}
		if (got < want * entry)
			break; /* the file was cut short: what there is */
	}
	return 0;
}

/* ---- the index ---- */

int elfsym_add_key(struct key_list *l, uint64_t key)
{
	if (l->n == l->capacity) {
		size_t capacity = l->capacity ? 2 * l->capacity : 256;
		uint64_t *keys = realloc(l->keys, capacity * sizeof(*keys));

		if (!keys)
			return -ENOMEM;
		l->keys = keys;
		l->capacity = capacity;
	}
	l->keys[l->n++] = key;
	return 0;
}

static int index_symbol(void *ctx, uint32_t i, const struct symbol *s)
{
	struct key_list *l = ctx;

	if (s->value - l->base > UINT32_MAX || l->n >= FUNCTIONS_MAX)
		return 0;
	return elfsym_add_key(l, (s->value - l->base) << 32 | l->mark | i);
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
	free(other); /* four passes: the result is in keys again */
	return 0;
}

/* Where both tables know an address, .symtab (or the debug file's) is enough. The sort is stable
 * and .symtab was added first, so its keys lead each group. */
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
	struct key_list l = {.base = e->base};
	uint64_t *shrunk;
	int err = 0;

	e->is_indexed = true; /* tried once, whatever comes of it */
	for (enum table_id id = 0; id < TABLE_COUNT && !err; id++) {
		l.mark = id == TABLE_DYNAMIC ? 1u << 31 : 0;
		err = elfsym_each_symbol(e, id, SYMBOL_FUNCTION, index_symbol, &l);
	}
	if (!err)
		err = elfsym_sort_keys(l.keys, l.n);
	e->scratch = err ? NULL : malloc(2 * NAME_MAX_BYTES);
	if (!e->scratch) {
		free(l.keys);
		return err ? err : -ENOMEM;
	}
	l.n = drop_dynamic_duplicates(l.keys, l.n);
	shrunk = l.n ? realloc(l.keys, l.n * sizeof(*l.keys)) : NULL;
	e->index = shrunk ? shrunk : l.keys;
	e->n_index = l.n;
	return 0;
}

/* ---- names ---- */

/* The string at `at`, without its version, in buffer (NAME_MAX_BYTES). False when it has no end. */
static bool read_name(const struct table *t, uint32_t at, char *buffer)
{
	size_t want = NAME_FIRST_READ, got;
	char *version;

	if (at >= t->strings_size)
		return false;
	for (;;) {
		if (want > t->strings_size - at)
			want = t->strings_size - at;
		got = elfsym_read_at(t->fd, buffer, want, t->strings + at);
		if (memchr(buffer, '\0', got))
			break;
		if (want != NAME_FIRST_READ || got != want)
			return false;
		want = NAME_MAX_BYTES;
	}
	version = strchr(buffer, '@');
	if (version && version != buffer)
		*version = '\0';
	return *buffer;
}

static const char *keep_name(struct elfsym *e, const char *name)
{
	size_t size = strlen(name) + 1;
	char *copy;

	if (!e->names || e->names->size - e->names->used < size) {
		size_t room = size > 2048 ? size : 2048;
		struct name_chunk *c = malloc(sizeof(*c) + room);

		if (!c)
			return NULL;
		*c = (struct name_chunk){.next = e->names, .size = room};
		e->names = c;
		e->names_bytes += sizeof(*c) + room;
	}
	copy = e->names->bytes + e->names->used;
	e->names->used += size;
	return memcpy(copy, name, size);
}

/* Is alias (name a, symbol s) to be preferred to (name b, symbol best)? */
static bool is_better(const char *a, const struct symbol *s, const char *b,
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
	return e->base + (e->index[i] >> 32);
}

/* Read the aliases that start at place `group` of the index and choose one. */
static bool resolve_group(struct elfsym *e, size_t group, struct resolved *out)
{
	char *name = e->scratch, *best_name = e->scratch + NAME_MAX_BYTES;
	struct symbol s, best = {0};
	uint64_t start = key_address(e, group), size = 0;
	const struct range *text = text_range(e, start);
	bool has_best = false;
	size_t i = group;

	for (; i < e->n_index && key_address(e, i) == start; i++) {
		const struct table *t = &e->tables[e->index[i] >> 31 & 1];

		if (i - group >= ALIASES_MAX || !read_symbol(t, e->index[i] & INT32_MAX, &s) ||
		    !read_name(t, s.name, name))
			continue;
		if (s.size > size)
			size = s.size;
		if (!has_best || is_better(name, &s, best_name, &best)) {
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
		out->end = i < e->n_index && key_address(e, i) < text->end ? key_address(e, i)
									   : text->end;
	out->group = (uint32_t)group + 1;
	if (demangle(best_name, true, name, NAME_MAX_BYTES))
		best_name = name;
	out->name = keep_name(e, best_name);
	return out->name;
}

static bool grow_cache(struct elfsym *e)
{
	size_t n_slots = e->n_slots ? 2 * e->n_slots : 16;
	struct resolved *slots = calloc(n_slots, sizeof(*slots));

	if (!slots)
		return false;
	for (size_t i = 0; i < e->n_slots; i++) {
		size_t at = e->cache[i].group * 2654435761u & (n_slots - 1);

		if (!e->cache[i].group)
			continue;
		while (slots[at].group)
			at = (at + 1) & (n_slots - 1);
		slots[at] = e->cache[i];
	}
	free(e->cache);
	e->cache = slots;
	e->n_slots = n_slots;
	return true;
}

/* The group from the cache, or read into it. */
static const struct resolved *resolve(struct elfsym *e, size_t group)
{
	uint32_t key = (uint32_t)group + 1;
	struct resolved r;
	size_t at;

	if (4 * e->n_cached >= 3 * e->n_slots && !grow_cache(e))
		return NULL;
	at = key * 2654435761u & (e->n_slots - 1);
	for (; e->cache[at].group; at = (at + 1) & (e->n_slots - 1))
		if (e->cache[at].group == key)
			return &e->cache[at];
	if (!is_unchanged(e) || !resolve_group(e, group, &r))
		return NULL;
	e->cache[at] = r;
	e->n_cached++;
	return &e->cache[at];
}

/* One past the last place whose address is at most vaddr. */
static size_t upper_bound(const struct elfsym *e, uint64_t vaddr)
{
	size_t low = 0, high = e->n_index;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (key_address(e, middle) <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
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
	i = upper_bound(e, vaddr);
	/* A label inside a function must not hide it: look a few symbols further back. */
	for (int tries = 0; i > 0 && tries < NESTING_MAX; tries++) {
		const struct resolved *r;
		size_t group = i - 1;

		while (group > 0 && e->index[group - 1] >> 32 == e->index[group] >> 32)
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

bool elfsym_file_to_vaddr(struct elfsym *e, uint64_t file_offset, uint64_t *vaddr)
{
	const struct segment *found = NULL;

	for (size_t i = 0; i < e->n_segments; i++) {
		const struct segment *s = &e->segments[i];

		if (file_offset - s->offset < s->size && (!found || s->is_executable))
			found = s;
	}
	if (!found)
		return false;
	*vaddr = file_offset - found->offset + found->vaddr;
	return true;
}

bool elfsym_is_entry(const struct elfsym *e, uint64_t vaddr)
{
	return vaddr && vaddr == e->entry;
}
