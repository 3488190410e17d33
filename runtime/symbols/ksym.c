/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel symbols: see ksym.h.
 *
 * /proc/kallsyms is read once, a page a read (the kernel gives no more at a time), into 8 bytes a
 * text symbol ((address - base) << 32 | place of its name) and a pool of names. A "__pfx_NAME"
 * before NAME, half of a modern kernel's symbols, shares NAME's string.
 */
#define _GNU_SOURCE
#include "runtime/symbols/ksym.h"
#include "runtime/elf/elfsym.h"
#include "runtime/kernel/kallsyms.h"
#include "runtime/symbols/ksym_query.h"
#include "runtime/base/log.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINE_MAX_BYTES = 1024,
	WAITING_MAX = 16,
	MODULES_MAX = 4096,
	NAMES_MAX_BYTES = 1 << 28,
	ASK_MAX = 8192,
};
#define FLAG_PREFIX (1u << 31) /* "__pfx_" goes before the name */
#define FLAG_MODULE (1u << 30) /* two bytes of module number follow the name's NUL */
#define PREFIX "__pfx_"
#define PREFIX_LENGTH (sizeof(PREFIX) - 1)
#define PREFIX_MAX_BYTES 64
#define FUNCTION_MAX_BYTES (1u << 20)
#define BASE_BELOW (1ull << 31) /* modules may lie below the kernel by this much */

/* A prefix symbol that waits for the one it belongs to. Aliases come in a row: several may wait. */
struct prefix {
	uint64_t address;
	size_t key;		   /* its place in keys */
	char name[LINE_MAX_BYTES]; /* "": the slot is free */
};

struct ksyms {
	struct ksym_query *ask; /* while few addresses are wanted; NULL: not there, or done with */
	bool is_asked, is_read;
	uint64_t base;
	uint64_t *keys;
	size_t n, capacity;
	char *names;
	size_t names_size, names_capacity;
	char **modules;
	size_t n_modules;
	char prefixed[LINE_MAX_BYTES]; /* the last "__pfx_" name given out */
	struct prefix waiting[WAITING_MAX];
	size_t n_prefixes;
};

static int module_number(struct ksyms *k, const char *name, uint16_t *out)
{
	size_t length = strlen(name);
	char **all;

	/* "[bpf]" stays as it is: not a module. Others lose their brackets. */
	if (strcmp(name, "[bpf]") != 0 && length > 2 && name[0] == '[') {
		name++;
		length -= 2;
	}
	/* A module's symbols come together: the last one is nearly always it. */
	for (size_t i = k->n_modules; i-- > 0;) {
		if (strncmp(k->modules[i], name, length) == 0 && !k->modules[i][length]) {
			*out = (uint16_t)i;
			return 0;
		}
	}
	if (k->n_modules == MODULES_MAX)
		return -E2BIG;
	all = realloc(k->modules, (k->n_modules + 1) * sizeof(*all));
	if (!all)
		return -ENOMEM;
	k->modules = all;
	all[k->n_modules] = strndup(name, length);
	if (!all[k->n_modules])
		return -ENOMEM;
	*out = (uint16_t)k->n_modules++;
	return 0;
}

/* Put bytes into the pool; their place, or -errno. */
static int64_t add_bytes(struct ksyms *k, const void *bytes, size_t n)
{
	size_t at = k->names_size;

	if (at + n > k->names_capacity) {
		size_t capacity = k->names_capacity ? 2 * k->names_capacity : 1 << 18;
		char *names = capacity > NAMES_MAX_BYTES ? NULL : realloc(k->names, capacity);

		if (!names || at + n > capacity)
			return -ENOMEM;
		k->names = names;
		k->names_capacity = capacity;
	}
	memcpy(k->names + at, bytes, n);
	k->names_size += n;
	return (int64_t)at;
}

static int add_key(struct ksyms *k, uint64_t address, uint32_t name)
{
	if (k->n == k->capacity) {
		size_t capacity = k->capacity ? 2 * k->capacity : 1 << 14;
		uint64_t *keys = realloc(k->keys, capacity * sizeof(*keys));

		if (!keys)
			return -ENOMEM;
		k->keys = keys;
		k->capacity = capacity;
	}
	k->keys[k->n++] = (address - k->base) << 32 | name;
	return 0;
}

/* Store the name; with a module its number follows. Where it is and its flags, or -errno. */
static int64_t add_name(struct ksyms *k, const struct kallsym *l)
{
	int64_t at = add_bytes(k, l->name, l->name_length + 1), err;
	uint16_t number;

	if (at < 0 || !l->module)
		return at;
	err = module_number(k, l->module, &number);
	if (err)
		return err;
	err = add_bytes(k, &number, sizeof(number));
	return err < 0 ? err : at | FLAG_MODULE;
}

/* Place and name of a prefix symbol are filled in by the symbol that follows, usually the next. */
static int add_prefix(struct ksyms *k, const struct kallsym *l)
{
	struct prefix *w = &k->waiting[k->n_prefixes++ % WAITING_MAX];

	w->address = l->address;
	w->key = k->n;
	memcpy(w->name, l->name + PREFIX_LENGTH, l->name_length + 1 - PREFIX_LENGTH);
	return add_key(k, l->address, UINT32_MAX);
}

/* Does this name belong to a prefix symbol that waits? Then that one shares it. */
static void join_prefix(struct ksyms *k, const struct kallsym *l, uint32_t name)
{
	for (size_t i = 0; i < WAITING_MAX; i++) {
		struct prefix *w = &k->waiting[i];

		if (w->name[0] != l->name[0] || l->address - w->address > PREFIX_MAX_BYTES ||
		    strcmp(w->name, l->name) != 0)
			continue;
		k->keys[w->key] &= ~(uint64_t)UINT32_MAX;
		k->keys[w->key] |= name | FLAG_PREFIX;
		w->name[0] = '\0';
		return;
	}
}

static int add_symbol(void *ctx, const struct kallsym *l)
{
	struct ksyms *k = ctx;
	int64_t name;
	int err;

	if (!kallsym_is_text(l->type))
		return 0;
	if (!l->address)
		return k->n ? 0 : 1; /* kptr_restrict hides them all */
	if (!k->n)
		k->base = l->address > BASE_BELOW ? l->address - BASE_BELOW : 0;
	if (l->address - k->base > UINT32_MAX)
		return 0;
	if (l->name_length > PREFIX_LENGTH && l->name_length < LINE_MAX_BYTES &&
	    memcmp(l->name, PREFIX, PREFIX_LENGTH) == 0)
		return add_prefix(k, l);
	name = add_name(k, l);
	if (name < 0)
		return (int)name;
	err = add_key(k, l->address, (uint32_t)name);
	if (!err)
		join_prefix(k, l, (uint32_t)name);
	return err;
}

/* A prefix symbol that found no partner is left out. */
static void drop_unnamed(struct ksyms *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->n; i++)
		if ((uint32_t)k->keys[i] != UINT32_MAX)
			k->keys[kept++] = k->keys[i];
	k->n = kept;
}

static void shrink(struct ksyms *k)
{
	uint64_t *keys = realloc(k->keys, k->n * sizeof(*keys));
	char *names = realloc(k->names, k->names_size);

	if (keys)
		k->keys = keys;
	if (names)
		k->names = names;
}

/* Modules' symbols are not in order; the kernel's own are, which makes this a merge of a few. */
static int sort_keys(struct ksyms *k)
{
	for (size_t i = 1; i < k->n; i++)
		if (k->keys[i] >> 32 < k->keys[i - 1] >> 32)
			return elfsym_sort_keys(k->keys, k->n);
	return 0;
}

static void read_all(struct ksyms *k)
{
	int err = kallsyms_each(add_symbol, k);

	k->is_read = true;
	if (err >= 0 && !k->n) {
		log_warning(
			"the kernel shows no symbol addresses (kernel.kptr_restrict, or a missing CAP_SYSLOG): kernel frames are printed as numbers");
		return;
	}
	drop_unnamed(k);
	if (err >= 0 && k->n)
		err = sort_keys(k);
	if (err < 0) {
		log_warning("cannot read /proc/kallsyms: %s", strerror(-err));
		k->n = 0;
		return;
	}
	shrink(k);
}

struct ksyms *ksyms_new(void)
{
	return calloc(1, sizeof(struct ksyms));
}

void ksyms_free(struct ksyms *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n_modules; i++)
		free(k->modules[i]);
	free(k->modules);
	free(k->names);
	free(k->keys);
	ksym_query_free(k->ask);
	free(k);
}

/* The first symbol, in the kernel's order, of the highest address up to ip. */
static bool find_key(const struct ksyms *k, uint64_t ip, uint64_t *key)
{
	size_t low = 0, high = k->n;

	if (!k->n || ip < k->base || ip - k->base > UINT32_MAX)
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (k->keys[middle] >> 32 <= ip - k->base)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	while (--low && k->keys[low - 1] >> 32 == k->keys[low] >> 32)
		;
	*key = k->keys[low];
	return true;
}

/* Ask the kernel for single addresses, up to a number at which reading all symbols is cheaper. */
static bool may_ask(struct ksyms *k)
{
	if (!k->is_asked) {
		k->is_asked = true;
		k->ask = ksym_query_new();
	}
	return k->ask && !k->is_read && ksym_query_count(k->ask) < ASK_MAX;
}

bool ksyms_find(struct ksyms *k, uint64_t ip, const char **name, uint64_t *offset,
		const char **module)
{
	const char *text;
	uint64_t key, past;
	uint16_t number;

	if (may_ask(k))
		return ksym_query_find(k->ask, ip, name, offset, module);
	if (!k->is_read)
		read_all(k);
	if (!find_key(k, ip, &key))
		return false;
	text = k->names + (key & ~(FLAG_PREFIX | FLAG_MODULE) & UINT32_MAX);
	past = ip - k->base - (key >> 32);
	/* Past the last function: these two mark the ends of text. */
	if (past >= FUNCTION_MAX_BYTES || strcmp(text, "_etext") == 0 ||
	    strcmp(text, "_einittext") == 0)
		return false;
	*module = NULL;
	if (key & FLAG_MODULE) {
		memcpy(&number, text + strlen(text) + 1, sizeof(number));
		*module = k->modules[number];
	}
	*offset = past;
	*name = text;
	if (key & FLAG_PREFIX) {
		strcpy(k->prefixed, PREFIX);
		strncat(k->prefixed, text, sizeof(k->prefixed) - PREFIX_LENGTH - 1);
		*name = k->prefixed;
	}
	return true;
}
