/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points: from the raw text of a probe's head ("tracepoint:sched:sched_switch") to a
 * resolved struct attach_point, by the parse hook of the probe type's row. What exists is asked
 * through kernel.h; a name that does not is answered with the nearest one.
 * The text is never looked at again after this file.
 */
#include "probe.h"
#include "arena.h"
#include "ast.h"
#include "diag.h"
#include "later.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef int parse_fn(const struct probe_reader *r, struct attach_point *p, char **parts,
		     uint32_t n);
static parse_fn prs_nothing, prs_tracepoint, prs_interval, prs_profile, prs_kernel_function,
	prs_user_symbol;

const struct probe_row probe_rows[PROBE_COUNT] = {
#define PROBE(id, name_, alias_, form_, context_, in_process_, parse_, span_, doc_)                \
	[PROBE_##id] = {.name = name_, .alias = alias_, .form = form_, .context = context_,        \
			.is_in_process = in_process_, .parse = parse_, .span = span_, .doc = doc_},
#include "probes.def"
#undef PROBE
};

static int wrong_form(const struct probe_reader *r, const struct attach_point *p)
{
	diag_error(r->diags, p->span, "attach-form", "%s probes are written %s",
		   probe_rows[p->id].name, probe_rows[p->id].form);
	return -1;
}

static int prs_nothing(const struct probe_reader *r, struct attach_point *p, char **parts,
		       uint32_t n)
{
	(void)parts;
	return n == 0 ? 0 : wrong_form(r, p);
}

/* ---- tracepoints ------------------------------------------------------------------------- */

struct event_hint {
	struct nearest nearest, same_event;
	const char *event;
	struct arena *arena;
};

static void offer_event(const char *name, void *ctx)
{
	struct event_hint *h = ctx;
	const char *colon = strchr(name, ':');
	char *copy = arena_strndup(h->arena, name, strlen(name));

	nearest_offer(&h->nearest, copy);
	if (colon && strcmp(colon + 1, h->event) == 0)
		h->same_event.best = copy;
}

static int no_tracepoint(const struct probe_reader *r, const struct attach_point *p,
			 const char *category, const char *event)
{
	struct event_hint h = {.event = event, .arena = r->arena};

	nearest_init(&h.nearest, arena_printf(r->arena, "%s:%s", category, event));
	nearest_init(&h.same_event, event);
	r->kernel->each_tracepoint(r->kernel, NULL, offer_event, &h);
	diag_error(r->diags, p->span, "unknown-tracepoint",
		   *category ? "this kernel has no tracepoint %s%s%s"
			     : "a tracepoint has a category and a name: %s%s%s is one word",
		   category, *category ? ":" : "", event);
	if (h.same_event.best)
		diag_hint(r->diags, "write tracepoint:%s", h.same_event.best);
	else if (h.nearest.best)
		diag_hint(r->diags, "did you mean tracepoint:%s?", h.nearest.best);
	else if (strncmp(category, "syscalls", 8) == 0)
		diag_hint(r->diags, "system calls are tracepoint:syscalls:sys_enter_NAME and "
				    "tracepoint:syscalls:sys_exit_NAME");
	return -1;
}

/* The events of one system call have no raw tracepoint of their own: they are sys_enter and
 * sys_exit with a number. */
static int resolve_syscall(const struct probe_reader *r, struct attach_point *p, const char *event)
{
	bool enter = strncmp(event, "sys_enter_", 10) == 0;

	if (enter || strncmp(event, "sys_exit_", 9) == 0)
		p->syscall = syscall_number(event + (enter ? 10 : 9));
	p->has_raw = p->syscall >= 0 &&
		     r->kernel->has_raw_tracepoint(r->kernel, enter ? "sys_enter" : "sys_exit");
	return 0;
}

/* The kernel does not let us read its formats: the event is taken as written, its fields as int64.
 * Enough to check a script, not to compile it. */
static void unchecked_tracepoint(const struct probe_reader *r, struct attach_point *p, char **parts,
				 int err)
{
	struct tp_format *f = arena_new_of(r->arena, struct tp_format);

	f->category = arena_strndup(r->arena, parts[0], strlen(parts[0]));
	f->event = arena_strndup(r->arena, parts[1], strlen(parts[1]));
	f->is_unchecked = true;
	p->format = f;
	r->kernel->unchecked = err;
	diag_warning(r->diags, p->span, "unchecked",
		     "tracepoint %s:%s and its fields are unchecked: cannot read the kernel's "
		     "tracepoints: %s", parts[0], parts[1], strerror(-err));
	diag_hint(r->diags, err == -EACCES || err == -EPERM
				    ? "run sonde as root, or give saved formats with --kernel-facts FILE"
				    : "does this kernel have CONFIG_TRACING?");
}

static int prs_tracepoint(const struct probe_reader *r, struct attach_point *p, char **parts,
			  uint32_t n)
{
	int err;

	if (n == 1 && *parts[0])
		return no_tracepoint(r, p, "", parts[0]);
	if (n != 2 || !*parts[0] || !*parts[1])
		return wrong_form(r, p);
	err = r->kernel->tracepoint(r->kernel, parts[0], parts[1], &p->format);
	if (err == -ENOENT)
		return no_tracepoint(r, p, parts[0], parts[1]);
	if (err)
		unchecked_tracepoint(r, p, parts, err);
	if (strcmp(parts[0], "syscalls") == 0)
		return resolve_syscall(r, p, parts[1]);
	p->has_raw = r->kernel->has_raw_tracepoint(r->kernel, parts[1]);
	return 0;
}

bool probe_is_sched_switch(const struct attach_point *p)
{
	return p->id == PROBE_TRACEPOINT && p->format && strcmp(p->format->category, "sched") == 0 &&
	       strcmp(p->format->event, "sched_switch") == 0;
}

/* ---- interval ---------------------------------------------------------------------------- */

static const struct {
	const char *unit;
	uint64_t ns;
} units[] = {
	{"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}, {"m", 60000000000},
	{"h", 3600000000000}, {"d", 86400000000000},
};

static uint64_t unit_ns(const char *unit)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcmp(units[i].unit, unit) == 0)
			return units[i].ns;
	return 0;
}

/* Period from "hz:N", "s:N", "ms:N", "us:N" or "500ms"; 0 when it is none of them. */
static uint64_t read_period(char **parts, uint32_t n)
{
	const char *number = parts[n - 1];
	char *end;
	uint64_t value, scale;

	if (number[0] < '0' || number[0] > '9')
		return 0;
	errno = 0;
	value = strtoull(number, &end, 10);
	if (errno || value == 0)
		return 0;
	if (n == 2 && *end == '\0' && strcmp(parts[0], "hz") == 0)
		return value <= 1000000000 ? 1000000000 / value : 0;
	scale = n == 2 ? (*end ? 0 : unit_ns(parts[0])) : unit_ns(end);
	if (scale == 0 || value > INT64_MAX / scale)
		return 0;
	return value * scale;
}

enum { SHORTEST_PERIOD_NS = 1000 };

static int prs_period(const struct probe_reader *r, struct attach_point *p, char **parts,
		      uint32_t n)
{
	const char *name = probe_rows[p->id].name;

	if (n != 1 && n != 2)
		return wrong_form(r, p);
	p->period_ns = read_period(parts, n);
	if (p->period_ns == 0) {
		diag_error(r->diags, p->span, "bad-period", "'%s%s%s' is not a period", parts[0],
			   n == 2 ? ":" : "", n == 2 ? parts[1] : "");
		return diag_hint(r->diags, "write %s:s:1, %s:ms:100, %s:hz:99 or %s:500ms", name, name,
				 name, name);
	}
	if (p->period_ns < SHORTEST_PERIOD_NS) {
		diag_error(r->diags, p->span, "bad-period", "a period of %llu ns is too short",
			   (unsigned long long)p->period_ns);
		return diag_hint(r->diags, "the shortest is 1us");
	}
	return 0;
}

static int prs_interval(const struct probe_reader *r, struct attach_point *p, char **parts,
			uint32_t n)
{
	return prs_period(r, p, parts, n);
}

/* The kernel itself keeps a frequency, by the time that passes between samples. */
static int prs_profile(const struct probe_reader *r, struct attach_point *p, char **parts,
		       uint32_t n)
{
	if (prs_period(r, p, parts, n))
		return -1;
	if (n == 2 && strcmp(parts[0], "hz") == 0)
		p->hertz = strtoull(parts[1], NULL, 10);
	return 0;
}

/* ---- functions --------------------------------------------------------------------------- */

static int prs_kernel_function(const struct probe_reader *r, struct attach_point *p, char **parts,
			       uint32_t n)
{
	if (n != 1 || !*parts[0])
		return wrong_form(r, p);
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

static int prs_user_symbol(const struct probe_reader *r, struct attach_point *p, char **parts,
			   uint32_t n)
{
	int err;

	if (n != 2 || !*parts[0] || !*parts[1])
		return wrong_form(r, p);
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

/* ---- all --------------------------------------------------------------------------------- */

/* "sched:sched_switch" without "tracepoint:" is the usual slip. */
static bool is_tracepoint(const struct probe_reader *r, const char *category, const char *event)
{
	const struct tp_format *format;

	return event && r->kernel->tracepoint(r->kernel, category, event, &format) == 0;
}

static int find_row(const struct probe_reader *r, const char *name, const char *next,
		    struct span span, enum probe_id *out)
{
	struct event_hint h = {.arena = r->arena};
	const struct later *later;
	struct nearest near;

	nearest_init(&near, name);
	for (uint32_t i = 0; i < PROBE_COUNT; i++) {
		if (strcasecmp(probe_rows[i].name, name) == 0 ||
		    (probe_rows[i].alias && strcmp(probe_rows[i].alias, name) == 0)) {
			*out = (enum probe_id)i;
			return 0;
		}
		nearest_offer(&near, probe_rows[i].name);
	}
	later = later_find(name, LATER_PROBE);
	if (later) {
		diag_error(r->diags, span, "not-built", "'%s' probes are not built yet", name);
		return later->hint ? diag_hint(r->diags, "%s", later->hint) : -1;
	}
	diag_error(r->diags, span, "unknown-probe", "unknown probe type '%s'", name);
	if (is_tracepoint(r, name, next))
		return diag_hint(r->diags, "write tracepoint:%s:%s", name, next);
	if (near.best)
		return diag_hint(r->diags, "did you mean '%s'?", near.best);
	h.event = name;
	nearest_init(&h.nearest, name);
	r->kernel->each_tracepoint(r->kernel, NULL, offer_event, &h);
	if (h.same_event.best)
		return diag_hint(r->diags, "write tracepoint:%s", h.same_event.best);
	return diag_hint(r->diags, "'sonde --help probes' lists the probe types");
}

bool probe_type_is(const char *text, size_t len, enum probe_id id)
{
	const struct probe_row *row = &probe_rows[id];

	return (strlen(row->name) == len && strncasecmp(row->name, text, len) == 0) ||
	       (row->alias && strlen(row->alias) == len && strncmp(row->alias, text, len) == 0);
}

enum { MAX_PARTS = 8 };

/* Split at ':' outside double quotes, dropping the quotes. */
static uint32_t split(char *text, char **parts)
{
	uint32_t n = 0;
	bool quoted = false;
	char *to = text;

	parts[n++] = text;
	for (char *c = text; *c; c++) {
		if (*c == '"') {
			quoted = !quoted;
		} else if (*c == ':' && !quoted && n < MAX_PARTS) {
			*to++ = '\0';
			parts[n++] = to;
		} else {
			*to++ = *c;
		}
	}
	*to = '\0';
	return n;
}

static const char *canonical_name(struct arena *a, const struct attach_point *p, char **parts,
				  uint32_t n)
{
	const char *name = probe_rows[p->id].name;

	if (p->id == PROBE_UPROBE || p->id == PROBE_URETPROBE)
		return p->offset ? arena_printf(a, "%s:%s:%s+%llu", name, p->user.path, p->function,
						(unsigned long long)p->offset)
				 : arena_printf(a, "%s:%s:%s", name, p->user.path, p->function);
	for (uint32_t i = 0; i < n; i++)
		name = arena_printf(a, "%s:%s", name, parts[i]);
	return name;
}

int probe_resolve(const struct probe_reader *r, const struct attach_text *text,
		  struct attach_point *out)
{
	char *parts[MAX_PARTS], *copy = arena_strndup(r->arena, text->text, strlen(text->text));
	uint32_t n = split(copy, parts);

	*out = (struct attach_point){.span = text->span, .syscall = -1};
	if (find_row(r, parts[0], n > 1 ? parts[1] : NULL, text->span, &out->id))
		return -1;
	if (probe_rows[out->id].parse(r, out, parts + 1, n - 1))
		return -1;
	out->name = canonical_name(r->arena, out, parts + 1, n - 1);
	return 0;
}
