/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attach points of tracepoints: the event, its raw tracepoint or system call, and errors about
 * events that do not exist.
 */
#include "parser/lang/syscalls.h"
#include "parser/base/nearest.h"
#include "parser/attach/probe_parse.h"
#include "parser/attach/expand.h"

struct event_hint {
	struct nearest nearest, category;
	const char *event, *same_event;
	bool is_category; /* the event is the name of a category */
	struct arena *arena;
};

static void offer_event(const char *name, void *ctx)
{
	struct event_hint *h = ctx;
	const char *colon = strchr(name, ':');

	nearest_offer(&h->nearest, name);
	if (colon)
		nearest_offer(&h->category, arena_strndup(h->arena, name, (size_t)(colon - name)));
	h->is_category |= colon && strlen(h->event) == (size_t)(colon - name) &&
			  memcmp(h->event, name, (size_t)(colon - name)) == 0;
	if (colon && strcmp(colon + 1, h->event) == 0)
		h->same_event = arena_strdup(h->arena, name);
}

static struct event_hint search_events(const struct probe_reader *r, const char *category,
				       const char *event)
{
	struct event_hint h = {.event = event, .arena = r->arena};

	nearest_init(&h.nearest, arena_printf(r->arena, "%s:%s", category, event));
	nearest_init(&h.category, category);
	h.nearest.arena = r->arena;
	r->kernel->each_tracepoint(r->kernel, NULL, offer_event, &h);
	return h;
}

/* The event of the system call that programs make instead, if this machine lacks that of `event`:
 * arm64 has no open(), for example. NULL: there is none. */
static const char *successor(const struct probe_reader *r, const char *category, const char *event)
{
	size_t n = strncmp(event, "sys_enter_", 10) == 0 ? 10
		   : strncmp(event, "sys_exit_", 9) == 0 ? 9
							 : 0;
	const struct newer_call *call = n ? syscall_newer(event + n) : NULL;

	if (strcmp(category, "syscalls") != 0 || !call || !call->instead)
		return NULL;
	return arena_printf(r->arena, "%.*s%s", (int)n, event, call->instead);
}

static int no_tracepoint(const struct probe_reader *r, const struct attach_point *p,
			 const char *category, const char *event)
{
	const char *instead = successor(r, category, event);
	struct event_hint h;

	if (*category && r->kernel->recording)
		return recorded_none(r, p->span,
				     arena_printf(r->arena, "tracepoint:%s:%s", category, event));
	h = search_events(r, category, event);
	diag_error(r->diags, p->span, "unknown-tracepoint",
		   *category ? "this kernel has no tracepoint %s%s%s"
			     : "a tracepoint has a category and a name: %s%s%s is one word",
		   category, *category ? ":" : "", event);
	diag_instead(r->diags, instead);
	if (h.same_event)
		diag_hint(r->diags, "write tracepoint:%s", h.same_event);
	else if (instead)
		diag_hint(
			r->diags,
			"this machine has no such system call; programs make the call of tracepoint:%s:%s",
			category, instead);
	else if (!*category && h.is_category)
		diag_hint(r->diags,
			  "write tracepoint:%s:EVENT, or tracepoint:%s:* for all of the category; "
			  "'sonde -l tracepoint:%s' lists them",
			  event, event, event);
	else if (strncmp(category, "probe", 5) == 0 && (!category[5] || category[5] == '_'))
		diag_hint(
			r->diags,
			"'perf probe' makes such events, and 'perf probe -l' lists those that exist; "
			"without it, write %s%s",
			category[5] ? "uprobe:/path/to/" : "kprobe:",
			category[5] ? arena_printf(r->arena, "%s:%s", category + 6, event) : event);
	else if (h.nearest.best)
		diag_hint(r->diags, "did you mean tracepoint:%s?", h.nearest.best);
	else if (strpbrk(event, "(|"))
		diag_hint(
			r->diags,
			"there are no such patterns: write all, separated by commas, or one with *");
	else if (strncmp(category, "syscalls", 8) == 0)
		diag_hint(r->diags,
			  "a system call is tracepoint:syscalls:sys_enter_%1$s, its return "
			  "tracepoint:syscalls:sys_exit_%1$s",
			  strchr(event, '_') ? "NAME" : event);
	else if (h.category.best && pattern_is(event))
		diag_hint(r->diags, "did you mean tracepoint:%s:%s?", h.category.best, event);
	else if (h.category.best)
		diag_hint(r->diags, "'sonde -l tracepoint:%s' lists the events of that category",
			  h.category.best);
	return -1;
}

const char *probe_event_called(const struct probe_reader *r, const char *event)
{
	return search_events(r, "", event).same_event;
}

/* The events of a single system call have no raw tracepoint: they are sys_enter and sys_exit with a
 * number. */
static int resolve_syscall(const struct probe_reader *r, struct attach_point *p, const char *event)
{
	bool enter = strncmp(event, "sys_enter_", 10) == 0;

	if (enter || strncmp(event, "sys_exit_", 9) == 0)
		p->tracepoint.syscall = syscall_number(event + (enter ? 10 : 9));
	p->tracepoint.has_raw =
		p->tracepoint.syscall >= 0 &&
		r->kernel->has_raw_tracepoint(r->kernel, enter ? "sys_enter" : "sys_exit");
	return 0;
}

/* The kernel's formats cannot be read: take the event as written, with fields of type int64. This
 * is enough to check a script, not to compile it. */
static void unchecked_tracepoint(const struct probe_reader *r, struct attach_point *p, char **parts,
				 int err)
{
	struct tp_format *f = arena_new_of(r->arena, struct tp_format);

	f->category = arena_strdup(r->arena, parts[0]);
	f->event = arena_strdup(r->arena, parts[1]);
	f->is_unchecked = true;
	p->tracepoint.format = f;
	r->kernel->unchecked = err;
	diag_warning(r->diags, p->span, "unchecked",
		     "tracepoint %s:%s and its fields are unchecked: cannot read the kernel's "
		     "tracepoints: %s",
		     parts[0], parts[1], strerror(-err));
	diag_hint(
		r->diags,
		err == -EACCES || err == -EPERM
			? "run sonde as root, or give formats that root has saved with --emit facts: --kernel-facts FILE"
		: err == -EMFILE ? "raise the limit of open files: ulimit -n"
				 : "does this kernel have CONFIG_TRACING?");
}

/* True for an event that was made from a kprobe, a uprobe or an fprobe (Documentation/trace/). */
static bool is_dynamic(const struct tp_format *f)
{
	for (uint32_t i = 0; i < f->n_fields; i++)
		if (strncmp(f->fields[i].name, "__probe_", 8) == 0)
			return true;
	return false;
}

int prs_tracepoint(const struct probe_reader *r, struct attach_point *p, char **parts, uint32_t n)
{
	int err;

	p->tracepoint.syscall = -1;
	if (n == 1 && *parts[0])
		return no_tracepoint(r, p, "", parts[0]);
	if (n != 2 || !*parts[0] || !*parts[1])
		return probe_wrong_form(r, p);
	err = r->kernel->tracepoint(r->kernel, parts[0], parts[1], &p->tracepoint.format);
	if (err == -ENOENT)
		return no_tracepoint(r, p, parts[0], parts[1]);
	if (err)
		unchecked_tracepoint(r, p, parts, err);
	if (is_dynamic(p->tracepoint.format)) {
		diag_error(
			r->diags, p->span, "dynamic-event",
			"%s:%s was made by 'perf probe' or tracefs: the kernel takes no programs of "
			"tracepoints there",
			parts[0], parts[1]);
		return diag_hint(
			r->diags,
			"/sys/kernel/tracing has its place in uprobe_events, kprobe_events or "
			"dynamic_events: write uprobe:PATH:FUNCTION or kprobe:FUNCTION");
	}
	if (strcmp(parts[0], "syscalls") == 0)
		return resolve_syscall(r, p, parts[1]);
	p->tracepoint.has_raw = r->kernel->has_raw_tracepoint(r->kernel, parts[1]);
	return 0;
}

static bool is_event(const struct attach_point *p, const char *category, const char *event)
{
	const struct tp_format *f = probe_format(p);

	return f && strcmp(f->category, category) == 0 && strcmp(f->event, event) == 0;
}

bool probe_is_sched_switch(const struct attach_point *p)
{
	return is_event(p, "sched", "sched_switch");
}

bool probe_is_any_sys_exit(const struct attach_point *p)
{
	return is_event(p, "raw_syscalls", "sys_exit");
}
