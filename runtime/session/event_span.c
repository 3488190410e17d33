/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of span(): their names, and which of them are outermost.
 */
#include "runtime/session/event_span.h"
#include "runtime/output/format.h"
#include <string.h>

enum { NAME_BYTES = 1024 };

/* Longer names are cut. */
static void name_full(struct text *t)
{
	t->n = t->capacity - 1;
}

static enum view_span_kind kind_of(const struct plan *p, const struct plan_probe *q)
{
	switch (q->state.kind) {
	case SPAN_SYSCALL: return VIEW_SPAN_SYSCALL;
	case SPAN_SWITCH: return VIEW_SPAN_OFF_CPU;
	case SPAN_SLICE: return VIEW_SPAN_ON_CPU;
	default:
		return prog_kind_is(p->progs[q->prog].kind, PK_USER_FUNCTION) ? VIEW_SPAN_USER
									      : VIEW_SPAN_KERNEL;
	}
}

/* The name of a span that the script does not name, from that of the function or the probe. */
static void default_name(char *name, enum view_span_kind kind)
{
	static const char exit_of[] = "tracepoint:syscalls:sys_exit";
	const size_t n = sizeof(exit_of) - 1;

	if (kind == VIEW_SPAN_OFF_CPU)
		strcpy(name, "off CPU");
	else if (kind == VIEW_SPAN_ON_CPU)
		strcpy(name, "on CPU");
	else if (kind == VIEW_SPAN_SYSCALL && strncmp(name, exit_of, n) == 0)
		memmove(memcpy(name, "sys", 3) + 3, name + n, strlen(name + n) + 1);
	else if (kind == VIEW_SPAN_SYSCALL)
		strcpy(name, "system call");
}

/* The name goes to `bytes`. */
static void span_name(struct events *e, const struct plan_event *ev, const void *record,
		      char bytes[NAME_BYTES])
{
	struct text text = {.bytes = bytes,
			    .capacity = NAME_BYTES,
			    .make_room = name_full,
			    .is_quoted = true};
	struct view views[LIMIT_CALL_ARGS];

	if (ev->text) {
		text_string(&text, ev->text);
	} else {
		events_views(e, ev, record, views);
		format_view(&text, &views[0]);
		deferred_strings_forget(e->s);
	}
	bytes[text.n < NAME_BYTES ? text.n : NAME_BYTES - 1] = '\0';
}

bool event_span_is_alone(const struct plan *p)
{
	uint32_t owner = UINT32_MAX;

	for (uint32_t i = 0; i < p->n_probes; i++) {
		if (p->probes[i].state.kind == SPAN_NO)
			continue;
		if (owner != UINT32_MAX && p->probes[i].state.owner != owner)
			return false;
		owner = p->probes[i].state.owner;
	}
	return true;
}

void ev_span(struct events *e, const struct plan_event *ev, const void *record)
{
	const struct sonde_span_event *r = record;
	const struct plan *p = e->s->plan;
	const struct plan_probe *q;
	char name[NAME_BYTES], comm[sizeof(r->comm) + 1] = "";
	struct view_span s = {.pid = r->pid,
			      .tid = r->tid,
			      .start = r->start_ns,
			      .length = r->length_ns,
			      .is_open = r->flags & SONDE_SPAN_OPEN};

	if (r->head.probe >= p->n_probes)
		return;
	q = &p->probes[r->head.probe];
	span_name(e, ev, record, name);
	memcpy(comm, r->comm, sizeof(r->comm));
	s.kind = kind_of(p, q);
	if (!ev->text && ev->fields[0].type->kind == TY_NAME)
		default_name(name, s.kind);
	s.name = name;
	s.comm = comm;
	s.is_call = !ev->text && ev->fields[0].type->kind == TY_NAME && s.kind <= VIEW_SPAN_SYSCALL;
	s.is_outermost = !(r->flags & SONDE_SPAN_NESTED) && e->is_span_alone;
	events_note_error(e, e->out->span(e->out, &s));
}
