/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacks the facts of a stock kernel and puts them in front of those of the kernel that runs:
 * tracepoints are the stock kernel's, everything else is asked of this one.
 */
#include "runtime/kernel/stock_facts.h"
#include "parser/lang/kernel.h"
#include "runtime/base/log.h"
#include "runtime/kernel/facts_file.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define STOCK(id, ...) extern const char sonde_stock_##id[], sonde_stock_##id##_end[];
#include "runtime/kernel/stock.def"
#undef STOCK

#define KERNEL(major, minor) ((major) << 16 | (minor) << 8)
static const struct stock {
	const char *name;
	uint32_t first;
	const char *bytes, *end;
} stocks[] = {
#define STOCK(id, name, first) {name, first, sonde_stock_##id, sonde_stock_##id##_end},
#include "runtime/kernel/stock.def"
#undef STOCK
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

/* The text, from malloc. NULL when out of memory. */
static char *unpack(const struct stock *s)
{
	char *text = malloc(MAX_BYTES);
	z_stream z = {.next_in = (Bytef *)(uintptr_t)s->bytes,
		      .avail_in = (uInt)(s->end - s->bytes),
		      .next_out = (Bytef *)text,
		      .avail_out = MAX_BYTES - 1};

	if (!text || inflateInit2(&z, 15 + 32) != Z_OK)
		return text;
	inflate(&z, Z_FINISH);
	text[z.total_out] = '\0';
	inflateEnd(&z);
	return text;
}

static const struct stock *find(const struct kernel *k, const char *name, uint32_t version)
{
	const struct stock *found = NULL;

	(void)k;
	for (int i = 0; i < N_STOCKS; i++)
		if (name ? strcmp(stocks[i].name, name) == 0 : stocks[i].first <= version)
			found = &stocks[i];
	return found;
}

const char *stock_facts_use(struct kernel *k, const char *name)
{
	const struct stock *s = find(k, name, k->version ? k->version(k) : 0);
	char *text;

	if (!s) {
		log_error("--facts: unknown kernel '%s': write debian-12 or debian-13", name);
		return NULL;
	}
	text = unpack(s);
	k->stock = text ? facts_text_open(text, s->name) : NULL;
	if (!k->stock)
		return NULL;
	k->tracepoint = stock_tracepoint;
	k->each_tracepoint = stock_each_tracepoint;
	return s->name;
}

int stock_facts_needed(struct kernel *k)
{
	const struct tp_format *f;

	return k->tracepoint(k, "sched", "sched_switch", &f) != 0;
}
