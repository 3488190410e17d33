/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel symbols: see names.h.
 *
 * /proc/kallsyms is read once, one page per read (the kernel returns no more at a time), into 8
 * bytes per text symbol ((address - base) << 32 | offset of its name) and a pool of names. A
 * "__pfx_NAME" symbol precedes NAME (half of the symbols of newer kernels are such ones) and shares
 * NAME's string.
 */
#include "runtime/elf/names.h"
#include "runtime/elf/elfsym.h"
#include "runtime/symbols/kallsyms.h"
#include "runtime/symbols/ksym_query.h"
#include "runtime/base/vec.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/log.h"
#include <fcntl.h>
#include <unistd.h>

enum {
	LINE_MAX_BYTES = 1024,
	WAITING_MAX = 16,
	MODULES_MAX = 4096,
	NAMES_MAX_BYTES = 1 << 28,
	NAMES_FIRST_BYTES = 1 << 18,
	KEYS_FIRST = 1 << 14,
	QUERIES_MAX = 8192,
	NOTES_MAX_BYTES = 4096,
};
#define FLAG_PREFIX (1u << 31) /* "__pfx_" precedes the name */
#define FLAG_MODULE (1u << 30) /* a module number of two bytes follows the name's NUL */
#define PREFIX "__pfx_"
#define PREFIX_LENGTH (sizeof(PREFIX) - 1)
#define PREFIX_MAX_BYTES 64
#define FUNCTION_MAX_BYTES (1u << 20)
#define BASE_BELOW (1ull << 31) /* how far below the kernel modules may lie */

/* A prefix symbol whose own symbol has not been read yet. Aliases follow each other, so there may
 * be several. */
struct prefix {
	uint64_t address;
	size_t key;		   /* its index in keys */
	char name[LINE_MAX_BYTES]; /* "": the slot is free */
};

struct ksyms {
	struct ksym_query *query; /* used for the first addresses; NULL: not available */
	bool is_query_tried, is_read, is_build_id_read;
	char build_id[BUILD_ID_TEXT];
	uint64_t base;
	VEC(uint64_t) keys;
	VEC(char) names;
	VEC(char *) modules;
	char prefixed[LINE_MAX_BYTES]; /* the last "__pfx_" name that was returned */
	struct prefix waiting[WAITING_MAX];
	size_t n_prefixes;
};

static int module_number(struct ksyms *k, const char *name, uint16_t *out)
{
	size_t length = strlen(name);
	char *copy;

	/* "[bpf]" is not a module and keeps its brackets. */
	if (strcmp(name, "[bpf]") != 0 && length > 2 && name[0] == '[') {
		name++;
		length -= 2;
	}
	/* The symbols of a module follow each other, so the last module is nearly always the
	 * one. */
	for (size_t i = k->modules.n; i-- > 0;) {
		const char *known = k->modules.items[i];

		if (strncmp(known, name, length) == 0 && !known[length]) {
			*out = (uint16_t)i;
			return 0;
		}
	}
	if (k->modules.n == MODULES_MAX)
		return -E2BIG;
	copy = strndup(name, length);
	if (!copy || vec_push(&k->modules, copy)) {
		free(copy);
		return -ENOMEM;
	}
	*out = (uint16_t)(k->modules.n - 1);
	return 0;
}

/* Add bytes to the pool of names. Returns their offset or -errno. */
static int64_t add_bytes(struct ksyms *k, const void *bytes, size_t n)
{
	size_t at = k->names.n;

	if (at + n > NAMES_MAX_BYTES)
		return -E2BIG;
	if ((!at && vec_reserve(&k->names, NAMES_FIRST_BYTES)) ||
	    vec_append(&k->names, (const char *)bytes, n))
		return -ENOMEM;
	return (int64_t)at;
}

static int add_key(struct ksyms *k, uint64_t address, uint32_t name)
{
	if (!k->keys.n && vec_reserve(&k->keys, KEYS_FIRST))
		return -ENOMEM;
	return vec_push(&k->keys, (address - k->base) << 32 | name);
}

/* Store the name, followed by the number of its module if it has one. Returns its offset with
 * flags, or -errno. */
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

/* The name of a prefix symbol is filled in by the symbol it precedes, usually the next one. */
static int add_prefix(struct ksyms *k, const struct kallsym *l)
{
	struct prefix *w = &k->waiting[k->n_prefixes++ % WAITING_MAX];

	w->address = l->address;
	w->key = k->keys.n;
	memcpy(w->name, l->name + PREFIX_LENGTH, l->name_length + 1 - PREFIX_LENGTH);
	return add_key(k, l->address, UINT32_MAX);
}

/* If a waiting prefix symbol belongs to this name, let it share the string. */
static void join_prefix(struct ksyms *k, const struct kallsym *l, uint32_t name)
{
	for (size_t i = 0; i < WAITING_MAX; i++) {
		struct prefix *w = &k->waiting[i];

		if (w->name[0] != l->name[0] || l->address - w->address > PREFIX_MAX_BYTES ||
		    strcmp(w->name, l->name) != 0)
			continue;
		k->keys.items[w->key] &= ~(uint64_t)UINT32_MAX;
		k->keys.items[w->key] |= name | FLAG_PREFIX;
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
		return k->keys.n ? 0 : 1; /* 1: kptr_restrict hides all addresses */
	if (!k->keys.n)
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

/* Leave out prefix symbols whose own symbol was not found. */
static void drop_unnamed(struct ksyms *k)
{
	size_t kept = 0;

	for (size_t i = 0; i < k->keys.n; i++)
		if ((uint32_t)k->keys.items[i] != UINT32_MAX)
			k->keys.items[kept++] = k->keys.items[i];
	k->keys.n = kept;
}

/* The kernel's own symbols are in order, those of modules need not be. */
static int sort_keys(struct ksyms *k)
{
	for (size_t i = 1; i < k->keys.n; i++)
		if (k->keys.items[i] >> 32 < k->keys.items[i - 1] >> 32)
			return elfsym_sort_keys(k->keys.items, k->keys.n);
	return 0;
}

static void read_all(struct ksyms *k)
{
	int err = kallsyms_each(add_symbol, k);

	k->is_read = true;
	if (err >= 0 && !k->keys.n) {
		if (!k->query)
			log_warning(
				"kernel.kptr_restrict, or the lack of CAP_SYSLOG, hides the addresses of kernel functions: kernel frames are printed as addresses; 'sysctl kernel.kptr_restrict=1' shows them to root");
		return;
	}
	drop_unnamed(k);
	if (err >= 0 && k->keys.n)
		err = sort_keys(k);
	if (err < 0) {
		log_warning("cannot read /proc/kallsyms: %s%s", strerror(-err), limit_hint(err));
		k->keys.n = 0;
		return;
	}
	vec_shrink(&k->keys);
	vec_shrink(&k->names);
}

struct ksyms *ksyms_new(void)
{
	return calloc(1, sizeof(struct ksyms));
}

void ksyms_free(struct ksyms *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->modules.n; i++)
		free(k->modules.items[i]);
	vec_free(&k->modules);
	vec_free(&k->names);
	vec_free(&k->keys);
	ksym_query_free(k->query);
	free(k);
}

/* Find the symbols at the highest address up to ip; of these, the first in the order of
 * kallsyms. */
static bool find_key(const struct ksyms *k, uint64_t ip, uint64_t *key)
{
	const uint64_t *keys = k->keys.items;
	size_t low;

	if (ip < k->base || ip - k->base > UINT32_MAX)
		return false;
	low = vec_bound(&k->keys, *item >> 32 <= ip - k->base);
	if (!low)
		return false;
	while (--low && keys[low - 1] >> 32 == keys[low] >> 32)
		;
	*key = keys[low];
	return true;
}

/* May the kernel be queried for a single address? Yes up to the number of addresses at which
 * reading all symbols is cheaper; if kallsyms hides the addresses, always. */
static bool may_query(struct ksyms *k)
{
	if (!k->is_query_tried) {
		k->is_query_tried = true;
		k->query = ksym_query_new();
	}
	if (!k->query || k->is_read)
		return k->query && !k->keys.n;
	if (ksym_query_count(k->query) < QUERIES_MAX)
		return true;
	read_all(k);
	return !k->keys.n;
}

bool ksyms_find(struct ksyms *k, uint64_t ip, const char **name, uint64_t *offset,
		const char **module)
{
	const char *text;
	uint64_t key, past;
	uint16_t number;

	if (may_query(k))
		return ksym_query_find(k->query, ip, name, offset, module);
	if (!k->is_read)
		read_all(k);
	if (!find_key(k, ip, &key))
		return false;
	text = k->names.items + (key & ~(FLAG_PREFIX | FLAG_MODULE) & UINT32_MAX);
	past = ip - k->base - (key >> 32);
	/* After the last function: these two symbols mark the ends of text. */
	if (past >= FUNCTION_MAX_BYTES || strcmp(text, "_etext") == 0 ||
	    strcmp(text, "_einittext") == 0)
		return false;
	*module = NULL;
	if (key & FLAG_MODULE) {
		memcpy(&number, text + strlen(text) + 1, sizeof(number));
		*module = k->modules.items[number];
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

const char *ksyms_build_id(struct ksyms *k)
{
	unsigned char id[BUILD_ID_BYTES];
	char notes[NOTES_MAX_BYTES];
	ssize_t n = -1;
	int fd = k->is_build_id_read ? -1 : open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);

	k->is_build_id_read = true;
	if (fd >= 0) {
		n = read(fd, notes, sizeof(notes));
		close(fd);
	}
	if (n > 0)
		build_id_print(id, build_id_in_notes(notes, (size_t)n, id), k->build_id);
	return k->build_id[0] ? k->build_id : NULL;
}
