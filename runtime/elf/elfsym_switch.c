/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does the code of a file switch stacks? It does if it imports or defines a function of
 * stack_switch.def. The string tables are read once, for all names.
 */
#include "runtime/elf/elfsym_impl.h"

enum use { USES, OF_LIBC, COPIES };

static const struct row {
	const char *name;
	enum use use;
} rows[] = {
#define STACK_SWITCH(name, use) {name, use},
#define STACK_SWITCH_RARE(library)
#include "runtime/elf/stack_switch.def"
};

static const char *const rare[] = {
#define STACK_SWITCH(name, use)
#define STACK_SWITCH_RARE(library) library,
#include "runtime/elf/stack_switch.def"
};

enum { N_ROWS = sizeof(rows) / sizeof(*rows), LONGEST = 64 };

struct search {
	struct elfsym *e;
	struct key_list names; /* string offset << 32 | row, ascending */
	bool is_library, is_rare;
	const struct row *found;
};

/* Note the rows whose name the string ends with: linkers share the tails of strings. */
static int note_string(struct search *s, const char *text, size_t n, uint64_t at)
{
	const char *version = memchr(text, '@', n);
	size_t length = version ? (size_t)(version - text) : n;

	for (uint32_t i = 0; i < N_ROWS; i++) {
		size_t k = strlen(rows[i].name);

		if (k <= length && text[length - 1] == rows[i].name[k - 1] &&
		    memcmp(text + length - k, rows[i].name, k) == 0 &&
		    at + length - k <= UINT32_MAX &&
		    vec_push(&s->names, (at + length - k) << 32 | i))
			return -ENOMEM;
	}
	return 0;
}

static int note_block(void *ctx, const char *bytes, size_t n, uint64_t at)
{
	int err = 0;

	for (size_t i = 0; i < n && !err;) {
		size_t length = strnlen(bytes + i, n - i);

		if (length && i + length < n)
			err = note_string(ctx, bytes + i, length, at + i);
		i += length + 1;
	}
	return err;
}

static int match_symbol(void *ctx, uint32_t i, const struct symbol *sym)
{
	struct search *s = ctx;

	for (size_t k = 0; k < s->names.n; k++) {
		const struct row *row = &rows[(uint32_t)s->names.items[k]];

		if (s->names.items[k] >> 32 != sym->name ||
		    (row->use == OF_LIBC && s->is_library &&
		     (s->is_rare || sym->section != SHN_UNDEF)))
			continue;
		s->found = row;
		return row->use == COPIES;
	}
	return 0;
}

static void note_soname(enum elfsym_needed kind, const char *name, void *ctx)
{
	struct search *s = ctx;

	if (kind != ELFSYM_SONAME)
		return;
	s->is_library = true;
	for (size_t i = 0; i < sizeof(rare) / sizeof(*rare); i++)
		s->is_rare |= strncmp(name, rare[i], strlen(rare[i])) == 0;
}

const char *elfsym_switches(struct elfsym *e, bool *copies)
{
	struct search s = {.e = e};
	int err = 0;

	elfsym_each_needed(e, note_soname, &s);
	for (enum table_id id = 0; id < TABLE_COUNT && !err; id++) {
		s.names.n = 0;
		err = elfsym_each_string_block(&e->tables[id], LONGEST, note_block, &s);
		if (!err && s.names.n)
			err = elfsym_each_symbol(e, id, SYMBOL_NAMED, match_symbol, &s);
	}
	vec_free(&s.names);
	*copies = s.found && s.found->use == COPIES;
	return s.found ? s.found->name : NULL;
}
