/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernel symbols: see ksym.h.
 *
 * /proc/kallsyms is read once, a page a read (the kernel gives no more at a time), into 8 bytes a
 * text symbol ((address - base) << 32 | place of its name) and a pool of names. A "__pfx_NAME"
 * before NAME, half of a modern kernel's symbols, shares NAME's string.
 * Few names are asked of the kernel directly: a program of stores and helper calls is put together
 * here, run once, and leaves the addresses in its context. Where that is refused, kallsyms is
 * scanned for just these names.
 */
#define _GNU_SOURCE
#include "ksym.h"
#include "ksym_ask.h"
#include "elfsym.h"
#include "log.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	READ_BLOCK = 64 * 1024,
	LINE_MAX_BYTES = 1024,
	WAITING_MAX = 16,
	MODULES_MAX = 4096,
	NAMES_MAX_BYTES = 1 << 28,
	LOOKUP_BATCH = 64,
	ASK_MAX = 8192,
	LOOKUP_NAME_MAX = 256, /* with its NUL, on the program's stack */
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
	struct ksym_ask *ask; /* while few addresses are wanted; NULL: not there, or done with */
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

/* One line of kallsyms; name and module end at a NUL put into the block. */
struct line {
	uint64_t address;
	char type;
	const char *name, *module;
	size_t name_length;
};

static bool is_text(char type)
{
	return (type | 32) == 't' || (type | 32) == 'w';
}

/* ---- lines ---- */

/* "address type name[\tmodule]\n", terminated at `end`; module as "[name]". */
static bool parse_line(char *at, char *end, struct line *out)
{
	uint64_t address = 0;
	char *module;

	while (at < end && *at != ' ') {
		unsigned c = (unsigned char)*at++;

		address = address << 4 | ((c & 15) + (c >> 6) * 9);
	}
	if (end - at < 4)
		return false;
	out->address = address;
	out->type = at[1];
	at += 3;
	*end = '\0';
	module = memchr(at, '\t', (size_t)(end - at));
	out->name = at;
	out->name_length = (size_t)((module ? module : end) - at);
	out->module = NULL;
	if (module) {
		*module = '\0';
		out->module = module + 1;
	}
	return out->name_length > 0;
}

/* Calls fn for each line until it returns non-zero, which is handed back: 1 to stop, -errno. */
static int each_line(int (*fn)(void *ctx, const struct line *l), void *ctx)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), err = 0;
	char *block = malloc(READ_BLOCK);
	size_t held = 0;

	if (fd < 0 || !block)
		err = fd < 0 ? -errno : -ENOMEM;
	while (!err) {
		ssize_t got = read(fd, block + held, READ_BLOCK - held);
		char *line = block, *end;
		struct line l;

		if (got < 0)
			err = -errno;
		if (got <= 0)
			break;
		held += (size_t)got;
		while (!err && (end = memchr(line, '\n', held - (size_t)(line - block)))) {
			if (parse_line(line, end, &l))
				err = fn(ctx, &l);
			line = end + 1;
		}
		held -= (size_t)(line - block);
		if (held == READ_BLOCK)
			held = 0; /* a line this long is no symbol */
		memmove(block, line, held);
	}
	free(block);
	if (fd >= 0)
		close(fd);
	return err;
}

/* ---- the table ---- */

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
static int64_t add_name(struct ksyms *k, const struct line *l)
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
static int add_prefix(struct ksyms *k, const struct line *l)
{
	struct prefix *w = &k->waiting[k->n_prefixes++ % WAITING_MAX];

	w->address = l->address;
	w->key = k->n;
	memcpy(w->name, l->name + PREFIX_LENGTH, l->name_length + 1 - PREFIX_LENGTH);
	return add_key(k, l->address, UINT32_MAX);
}

/* Does this name belong to a prefix symbol that waits? Then that one shares it. */
static void join_prefix(struct ksyms *k, const struct line *l, uint32_t name)
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

static int add_symbol(void *ctx, const struct line *l)
{
	struct ksyms *k = ctx;
	int64_t name;
	int err;

	if (!is_text(l->type))
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
	int err = each_line(add_symbol, k);

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
	ksym_ask_free(k->ask);
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
		k->ask = ksym_ask_new();
	}
	return k->ask && !k->is_read && ksym_ask_count(k->ask) < ASK_MAX;
}

bool ksyms_find(struct ksyms *k, uint64_t ip, const char **name, uint64_t *offset,
		const char **module)
{
	const char *text;
	uint64_t key, past;
	uint16_t number;

	if (may_ask(k))
		return ksym_ask_find(k->ask, ip, name, offset, module);
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

/* ---- single names, from the kernel ---- */

struct program {
	struct bpf_insn *insns;
	size_t n, capacity;
};

static void emit(struct program *p, struct bpf_insn insn)
{
	p->insns[p->n++] = insn;
}

static void emit_move(struct program *p, uint8_t to, uint8_t from, int32_t add)
{
	emit(p, (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_X,
				  .dst_reg = to,
				  .src_reg = from});
	if (add)
		emit(p, (struct bpf_insn){.code = BPF_ALU64 | BPF_ADD | BPF_K,
					  .dst_reg = to,
					  .imm = add});
}

static void emit_set(struct program *p, uint8_t to, int32_t value)
{
	emit(p,
	     (struct bpf_insn){.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = to, .imm = value});
}

/* ctx->addresses[i] = the address of name; r6 holds ctx, r7 the first error but ENOENT. */
static void emit_lookup(struct program *p, const char *name, size_t i)
{
	int16_t start = (int16_t)(-8 - (int)((strlen(name) + 8) & ~7ul));
	char words[LOOKUP_NAME_MAX + 8] = "";

	strcpy(words, name);
	for (int16_t at = start; at < -8; at += 4) {
		int32_t word;

		memcpy(&word, words + (at - start), 4);
		emit(p, (struct bpf_insn){.code = BPF_ST | BPF_MEM | BPF_W,
					  .dst_reg = BPF_REG_10,
					  .off = at,
					  .imm = word});
	}
	emit(p, (struct bpf_insn){.code = BPF_ST | BPF_MEM | BPF_DW,
				  .dst_reg = BPF_REG_10,
				  .off = -8});
	emit_move(p, BPF_REG_1, BPF_REG_10, start);
	emit_set(p, BPF_REG_2, (int32_t)strlen(name) + 1);
	emit_set(p, BPF_REG_3, 0);
	emit_move(p, BPF_REG_4, BPF_REG_10, -8);
	emit(p,
	     (struct bpf_insn){.code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_kallsyms_lookup_name});
	emit(p,
	     (struct bpf_insn){.code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = BPF_REG_0, .off = 2});
	emit(p, (struct bpf_insn){.code = BPF_JMP | BPF_JEQ | BPF_K,
				  .dst_reg = BPF_REG_0,
				  .off = 1,
				  .imm = -ENOENT});
	emit_move(p, BPF_REG_7, BPF_REG_0, 0);
	emit(p, (struct bpf_insn){.code = BPF_LDX | BPF_MEM | BPF_DW,
				  .dst_reg = BPF_REG_1,
				  .src_reg = BPF_REG_10,
				  .off = -8});
	emit(p, (struct bpf_insn){.code = BPF_STX | BPF_MEM | BPF_DW,
				  .dst_reg = BPF_REG_6,
				  .src_reg = BPF_REG_1,
				  .off = (int16_t)(8 * i)});
}

static int load_program(const struct program *p)
{
	static const char license[] = "Apache-2.0"; /* the helper is not kept for the GPL */
	union bpf_attr attr;
	long fd;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_SYSCALL;
	attr.prog_flags = BPF_F_SLEEPABLE;
	attr.insns = (uintptr_t)p->insns;
	attr.insn_cnt = (uint32_t)p->n;
	attr.license = (uintptr_t)license;
	strcpy(attr.prog_name, "sonde_ksyms");
	fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	return fd < 0 ? -errno : (int)fd;
}

/* The kernel copies the context back after the run. 0 or -errno, the program's own too. */
static int run_program(int fd, uint64_t *context, size_t n)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.test.prog_fd = (uint32_t)fd;
	attr.test.ctx_in = (uintptr_t)context;
	attr.test.ctx_size_in = (uint32_t)(n * sizeof(*context));
	if (syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr)))
		return -errno;
	return (int)attr.test.retval;
}

/* At most LOOKUP_BATCH names in one run. Names too long for the stack get address 0. */
static int ask_kernel(const char *const *names, uint64_t *addresses, size_t n)
{
	struct program p = {.capacity = 8 + n * (LOOKUP_NAME_MAX / 4 + 20)};
	uint64_t context[LOOKUP_BATCH] = {0};
	int fd, err;

	p.insns = calloc(p.capacity, sizeof(*p.insns));
	if (!p.insns)
		return -ENOMEM;
	emit_move(&p, BPF_REG_6, BPF_REG_1, 0);
	emit_set(&p, BPF_REG_7, 0);
	for (size_t i = 0; i < n; i++)
		if (*names[i] && strlen(names[i]) < LOOKUP_NAME_MAX)
			emit_lookup(&p, names[i], i);
	emit_move(&p, BPF_REG_0, BPF_REG_7, 0);
	emit(&p, (struct bpf_insn){.code = BPF_JMP | BPF_EXIT});
	fd = load_program(&p);
	free(p.insns);
	if (fd < 0)
		return fd;
	err = run_program(fd, context, n);
	close(fd);
	if (!err)
		memcpy(addresses, context, n * sizeof(*context));
	return err;
}

/* ---- single names, from kallsyms ---- */

struct name_scan {
	const char *const *names;
	uint64_t *addresses;
	size_t n, n_missing;
	bool is_hidden;
};

static int match_line(void *ctx, const struct line *l)
{
	struct name_scan *s = ctx;

	for (size_t i = 0; i < s->n; i++) {
		if (s->addresses[i] || strcmp(s->names[i], l->name) != 0)
			continue;
		s->addresses[i] = l->address;
		s->is_hidden |= !l->address && is_text(l->type);
		s->n_missing -= l->address != 0;
	}
	return !s->n_missing || s->is_hidden;
}

static int scan_names(const char *const *names, uint64_t *addresses, size_t n)
{
	struct name_scan s = {.names = names, .addresses = addresses, .n = n, .n_missing = n};
	int err;

	memset(addresses, 0, n * sizeof(*addresses));
	err = n ? each_line(match_line, &s) : 0;
	if (err < 0)
		return err;
	return s.is_hidden ? -EPERM : 0;
}

int ksyms_addresses(const char *const *names, uint64_t *addresses, size_t n)
{
	int err = 0;

	for (size_t i = 0; i < n && !err; i += LOOKUP_BATCH) {
		size_t part = n - i < LOOKUP_BATCH ? n - i : LOOKUP_BATCH;

		err = ask_kernel(names + i, addresses + i, part);
	}
	return err ? scan_names(names, addresses, n) : 0;
}
