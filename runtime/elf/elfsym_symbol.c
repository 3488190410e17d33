/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the symbol tables of ELF files: see elfsym_impl.h.
 */
#include "runtime/elf/elfsym_impl.h"

enum { BLOCK_SYMBOLS = 1024, NAME_FIRST_READ = 512 };

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

bool elfsym_read_symbol(const struct table *t, uint32_t i, struct symbol *out)
{
	char raw[sizeof(Elf64_Sym)];
	size_t entry = symbol_bytes(t);

	if (i >= t->n ||
	    elfsym_read_at(t->fd, raw, entry, t->offset + (uint64_t)i * entry) != entry)
		return false;
	decode_symbol(t, raw, out);
	return true;
}

const struct range *elfsym_text_range(const struct elfsym *e, uint64_t vaddr)
{
	return FIND(e->text.items, e->text.n, vaddr - item->start < item->end - item->start);
}

static bool is_function(const struct elfsym *e, struct symbol *s)
{
	/* The macros for st_info are the same for ELF32 and ELF64. */
	int type = ELF64_ST_TYPE(s->info);

	if (s->section == SHN_UNDEF || !s->name)
		return false;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && (type != STT_NOTYPE || !s->size))
		return false;
	if (e->machine == EM_ARM)
		s->value &= ~1ull; /* the Thumb bit */
	return elfsym_text_range(e, s->value);
}

/* Symbols of sections, of files and of thread-local variables have no address. */
static bool is_object(const struct symbol *s)
{
	int type = ELF64_ST_TYPE(s->info);

	return s->section != SHN_UNDEF &&
	       (type == STT_OBJECT || type == STT_FUNC || type == STT_NOTYPE);
}

static bool is_of_kind(const struct elfsym *e, enum symbol_kind kind, struct symbol *s)
{
	switch (kind) {
	case SYMBOL_FUNCTION: return is_function(e, s);
	case SYMBOL_OBJECT: return is_object(s);
	case SYMBOL_NAMED: return s->name;
	}
	return false;
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
			if (!is_of_kind(e, kind, &s))
				continue;
			err = fn(ctx, i, &s);
			if (err)
				return err;
		}
		if (got < want * entry)
			break; /* the file has been truncated: use what there is */
	}
	return 0;
}

bool elfsym_read_name(const struct table *t, uint32_t at, char *buffer)
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
