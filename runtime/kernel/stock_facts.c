/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacks the facts of a stock kernel and puts them in front of those of the kernel that runs:
 * tracepoints are the stock kernel's; so are types, functions and what it can do, if the kernel is
 * named, or the one that runs has no types. Everything else is asked of this one.
 */
#define _GNU_SOURCE
#include "runtime/kernel/stock_facts.h"
#include "parser/lang/kernel.h"
#include "runtime/base/log.h"
#include "runtime/kernel/facts_file.h"
#include "runtime/base/memory_file.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/kernel/release.h"
#include <errno.h>
#include <linux/btf.h>
#include <stdlib.h>
#include <zlib.h>

#define STOCK(id, ...)                                                  \
	extern const char sonde_stock_##id[], sonde_stock_##id##_end[]; \
	extern const char sonde_types_##id[], sonde_types_##id##_end[]; \
	extern const char sonde_symbols_##id[], sonde_symbols_##id##_end[];
#include "runtime/kernel/stock.def"

/* A file that is part of the program, packed. */
struct packed {
	const char *bytes, *end;
};

#define STOCK_START 0xffffffff81000000
#define KERNEL(major, minor) ((major) << 16 | (minor) << 8)
static const struct stock {
	const char *name;
	uint32_t first;
	struct packed facts, types, symbols;
} stocks[] = {
#define STOCK(id, name, first)                       \
	{name,                                       \
	 first,                                      \
	 {sonde_stock_##id, sonde_stock_##id##_end}, \
	 {sonde_types_##id, sonde_types_##id##_end}, \
	 {sonde_symbols_##id, sonde_symbols_##id##_end}},
#include "runtime/kernel/stock.def"
};
enum { N_STOCKS = sizeof(stocks) / sizeof(*stocks), MAX_BYTES = 8 << 20 };

static int stock_tracepoint(struct kernel *k, const char *category, const char *event,
			    const struct tp_format **out)
{
	return k->stock->tracepoint(k->stock, category, event, out);
}

static int stock_each_tracepoint(struct kernel *k, const char *category, kernel_name_fn fn,
				 void *ctx)
{
	return k->stock->each_tracepoint(k->stock, category, fn, ctx);
}

/* The bytes, from malloc, with a NUL behind them. NULL when out of memory. */
static char *unpack(const struct packed *p, size_t *n)
{
	char *text = malloc(MAX_BYTES);
	z_stream z = {.next_in = (Bytef *)(uintptr_t)p->bytes,
		      .avail_in = (uInt)(p->end - p->bytes),
		      .next_out = (Bytef *)text,
		      .avail_out = MAX_BYTES - 1};

	*n = 0;
	if (!text || inflateInit2(&z, 15 + 32) != Z_OK)
		return text;
	inflate(&z, Z_FINISH);
	*n = z.total_out;
	text[*n] = '\0';
	inflateEnd(&z);
	return text;
}

/* ---- types, functions, capabilities ------------------------------------------------------- */

/* The stock kernel whose types are used. */
static const struct stock *used;

/* What /proc/kallsyms lists and BTF does not. NULL after a message. */
static struct kernel *symbols_of(struct kernel *k)
{
	size_t n;
	char *text = k->symbols ? NULL : unpack(&used->symbols, &n);

	if (text)
		k->symbols = facts_text_open(text, used->name);
	return k->symbols;
}

static int stock_kernel_function(struct kernel *k, const char *name)
{
	const struct typed_function *f;
	int err = k->typed(k, TYPED_FUNCTION, NULL, name, &f);
	struct kernel *symbols = err == -ESRCH || err == -ENOENT ? symbols_of(k) : NULL;

	return symbols ? symbols->kernel_function(symbols, name) : err;
}

static int stock_each_kernel_function(struct kernel *k, kernel_name_fn fn, void *ctx)
{
	struct kernel *symbols = symbols_of(k);

	if (symbols)
		symbols->each_kernel_function(symbols, fn, ctx);
	return k->each_typed(k, TYPED_FUNCTION, NULL, fn, ctx);
}

/* Addresses differ from boot to boot: that of the kernel's start stands for all. */
static int stock_kernel_symbol(struct kernel *k, const char *name, uint64_t *address)
{
	struct kernel *symbols = symbols_of(k);

	*address = STOCK_START;
	if (stock_kernel_function(k, name) == 0)
		return 0;
	return symbols ? symbols->kernel_symbol(symbols, name, address) : -ENOENT;
}

static uint32_t stock_version(struct kernel *k)
{
	return k->stock->version(k->stock);
}

/* Debian's kernels have all that Linux had in that version. */
static enum capability_state stock_capability(struct kernel *k, enum capability_id id)
{
	return release_code(capability_rows[id].since) <= stock_version(k) ? CAPABILITY_YES
									   : CAPABILITY_NO;
}

static int no_bpf_functions(struct kernel *k, typed_function_fn fn, void *ctx)
{
	return 0;
}

/* 0 or -errno. */
static int use_types(struct kernel *k, const struct stock *s)
{
	size_t n;
	char *bytes = unpack(&s->types, &n);
	int fd = bytes ? memory_file("sonde-types", bytes, n) : -errno;

	free(bytes);
	if (fd < 0)
		return fd;
	used = s;
	kernel_use_types(k, fd);
	k->kernel_symbol = stock_kernel_symbol;
	k->kernel_function = stock_kernel_function;
	k->each_kernel_function = stock_each_kernel_function;
	k->each_bpf_function = no_bpf_functions;
	k->kernel_offset = NULL;
	k->version = stock_version;
	k->capability = stock_capability;
	return 0;
}

static const struct stock *find(const char *name, uint32_t version)
{
	const struct stock *found = NULL;

	for (int i = 0; i < N_STOCKS; i++)
		if (name ? strcmp(stocks[i].name, name) == 0 : stocks[i].first <= version)
			found = &stocks[i];
	return found;
}

const char *stock_facts_use(struct kernel *k, const char *name)
{
	const struct stock *s = find(name, k->version ? k->version(k) : 0);
	char *text;
	size_t n;
	int err;

	if (!s) {
		log_error("--facts: unknown kernel '%s': write debian-12 or debian-13", name);
		return NULL;
	}
	text = unpack(&s->facts, &n);
	k->stock = text ? facts_text_open(text, s->name) : NULL;
	if (!k->stock)
		return NULL;
	k->tracepoint = stock_tracepoint;
	k->each_tracepoint = stock_each_tracepoint;
	if (!name && kernel_btf_id(k, "task_struct", BTF_KIND_STRUCT) > 0)
		return s->name;
	err = use_types(k, s);
	if (err)
		log_error("--facts: cannot unpack the types of %s: %s", s->name, strerror(-err));
	return err ? NULL : s->name;
}

int stock_facts_needed(struct kernel *k)
{
	const struct tp_format *f;

	return k->tracepoint(k, "sched", "sched_switch", &f) != 0;
}
