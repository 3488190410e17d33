/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the facts of a stock kernel and puts them in front of those of the kernel that runs:
 * tracepoints are the stock kernel's; so are types, functions and what it can do, if the kernel is
 * named, or the one that runs has no types. Everything else is asked of this one.
 */
#include "runtime/kernel/stock_facts.h"
#include "runtime/base/beside.h"
#include "runtime/base/log.h"
#include "runtime/kernel/facts_file.h"
#include "runtime/base/memory_file.h"
#include "runtime/kernel/kernel_facts.h"
#include "runtime/kernel/release.h"
#include <errno.h>
#include <limits.h>
#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#define STOCK_START 0xffffffff81000000
#define KERNEL(major, minor) ((major) << 16 | (minor) << 8)
static const struct stock {
	const char *name;
	uint32_t first;
} stocks[] = {
#define STOCK(name, first) {name, first},
#include "runtime/kernel/stock.def"
};
enum { N_STOCKS = sizeof(stocks) / sizeof(*stocks), MAX_BYTES = 8 << 20 };

static const char *const folders[] = {
	"../share/sonde/facts",	      /* installed, from a package of its own */
	"../runtime/kernel/stock",    /* build/sonde */
	"../../runtime/kernel/stock", /* build/dev/sonde */
};
enum { N_FOLDERS = sizeof(folders) / sizeof(*folders) };

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

static gzFile open_packed(const struct stock *s, const char *what)
{
	char name[PATH_MAX], path[PATH_MAX];
	gzFile file = NULL;

	for (int i = 0; i < N_FOLDERS && !file; i++) {
		snprintf(name, sizeof(name), "%s/%s.%s.gz", folders[i], s->name, what);
		if (beside_program(name, path, sizeof(path)))
			file = gzopen(path, "re");
	}
	return file;
}

/* The bytes of a stock kernel's file, from malloc, with a NUL after them. NULL with errno set. */
static char *unpack(const struct stock *s, const char *what, size_t *n)
{
	gzFile file = open_packed(s, what);
	char *text = file ? malloc(MAX_BYTES) : NULL;
	int got = text ? gzread(file, text, MAX_BYTES - 1) : -1;

	if (got < 0) {
		free(text);
		text = NULL;
		errno = file ? EIO : ENOENT;
	} else {
		text[got] = '\0';
		*n = (size_t)got;
	}
	if (file)
		gzclose(file);
	return text;
}

/* ---- types, functions, capabilities ------------------------------------------------------- */

/* The stock kernel whose types are used. */
static const struct stock *used;

/* What /proc/kallsyms lists and BTF does not. NULL after a message. */
static struct kernel *symbols_of(struct kernel *k)
{
	size_t n;
	char *text = k->symbols ? NULL : unpack(used, "symbols", &n);

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
	char *bytes = unpack(s, "btf", &n);
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

static void report_missing(const struct stock *s, const char *name)
{
	if (!name) {
		log_info(
			"this kernel's tracepoints cannot be read; with the package sonde-facts those "
			"of %s are used instead",
			s->name);
		return;
	}
	log_error("--facts: the facts of %s cannot be read: %s", name, strerror(errno));
	log_hint("the package sonde-facts has them: apt install sonde-facts");
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
	text = unpack(s, "facts", &n);
	if (!text) {
		report_missing(s, name);
		return NULL;
	}
	k->stock = facts_text_open(text, s->name);
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
