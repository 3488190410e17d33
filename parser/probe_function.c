/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points of functions, the kernel's and programs'.
 */
#include "arena.h"
#include "diag.h"
#include "probe_parse.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int prs_kernel_function(const struct probe_reader *r, struct attach_point *p, char **parts,
			uint32_t n)
{
	if (n != 1 || !*parts[0])
		return probe_wrong_form(r, p);
	if (strpbrk(parts[0], "*+"))
		return diag_error(r->diags, p->span, "not-built",
				  "wildcards and offsets in %s are not built yet",
				  probe_rows[p->id].name);
	p->function = arena_strndup(r->arena, parts[0], strlen(parts[0]));
	if (!r->kernel->has_feature(r->kernel, KF_KPROBE)) {
		diag_error(r->diags, p->span, "no-kprobes",
			   "this kernel has no kprobes (CONFIG_KPROBES is off)");
		return diag_hint(r->diags, "a tracepoint near the function may do");
	}
	if (r->kernel->kernel_function(r->kernel, p->function) == -ENOENT)
		return diag_error(r->diags, p->span, "unknown-function",
				  "this kernel has no function '%s'", p->function);
	return 0;
}

struct symbol_hint {
	struct nearest nearest;
	uint32_t n; /* how many there are at all */
	struct arena *arena;
};

static void offer_symbol(const char *name, void *ctx)
{
	struct symbol_hint *h = ctx;
	const char *before = h->nearest.best;

	h->n++;
	nearest_offer(&h->nearest, name);
	if (h->nearest.best != before)
		h->nearest.best = arena_strndup(h->arena, name, strlen(name));
}

static int no_symbol(const struct probe_reader *r, const struct attach_point *p, const char *symbol)
{
	struct symbol_hint h = {.arena = r->arena};

	nearest_init(&h.nearest, symbol);
	r->kernel->each_user_symbol(r->kernel, p->user.path, offer_symbol, &h);
	if (h.n == 0) {
		diag_error(r->diags, p->span, "no-symbols", "%s names no functions: it is stripped",
			   p->user.path);
		return diag_hint(r->diags, "install its debug symbols, or build it without -s");
	}
	diag_error(r->diags, p->span, "unknown-symbol", "%s has no function '%s'", p->user.path, symbol);
	if (h.nearest.best)
		diag_hint(r->diags, "did you mean '%s'?", h.nearest.best);
	return -1;
}

/* The OFF of SYMBOL+OFF, decimal or 0x…; the text is cut at the '+'. 0 or -1, said. */
static int read_offset(const struct probe_reader *r, struct attach_point *p, char *symbol)
{
	char *plus = strchr(symbol, '+'), *end;

	if (!plus)
		return 0;
	*plus++ = '\0';
	errno = 0;
	p->offset = strtoull(plus, &end, 0);
	if (*plus < '0' || *plus > '9' || *end || errno) {
		diag_error(r->diags, p->span, "bad-offset", "'%s' is not an offset", plus);
		return diag_hint(r->diags, "write %s+16 or %s+0x10", symbol, symbol);
	}
	if (p->id == PROBE_UPROBE)
		return 0;
	diag_error(r->diags, p->span, "bad-offset", "%s has no offsets: it fires when the function returns",
		   probe_rows[p->id].name);
	return diag_hint(r->diags, "write uprobe:… to probe inside the function");
}

static int add_offset(const struct probe_reader *r, struct attach_point *p)
{
	p->function = p->user.symbol;
	if (p->offset == 0)
		return 0;
	if (p->user.size && p->offset >= p->user.size) {
		diag_error(r->diags, p->span, "bad-offset",
			   "%s+%llu is not in the function, it has %llu bytes", p->function,
			   (unsigned long long)p->offset, (unsigned long long)p->user.size);
		return diag_hint(r->diags, "the offset is that of an instruction in the function");
	}
	p->user.offset += p->offset;
	p->user.address += p->offset;
	return 0;
}

int prs_user_symbol(const struct probe_reader *r, struct attach_point *p, char **parts,
		    uint32_t n)
{
	int err;

	if (n != 2 || !*parts[0] || !*parts[1])
		return probe_wrong_form(r, p);
	if (strchr(parts[1], '*'))
		return diag_error(r->diags, p->span, "not-built",
				  "wildcards in %s are not built yet", probe_rows[p->id].name);
	if (read_offset(r, p, parts[1]))
		return -1;
	err = r->kernel->user_symbol(r->kernel, parts[0], parts[1], &p->user);
	if (err == -ESRCH)
		return no_symbol(r, p, parts[1]);
	if (err)
		return diag_error(r->diags, p->span, "no-binary", "cannot probe '%s': %s", parts[0],
				  err == -ENOEXEC ? "not an ELF program or library" : strerror(-err));
	return add_offset(r, p);
}
