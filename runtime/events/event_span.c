/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of span(): their names, and which of them are outermost.
 */
#include "runtime/events/event_actions.h"
#include "runtime/output/out.h"
#include "parser/base/text.h"
#include "runtime/view/format.h"
#include "runtime/events/call_values.h"
#include "runtime/events/deferred_strings.h"

enum {
	NAME_BYTES = 1024,
	PID_LIMIT = 1 << 22, /* PID_MAX_LIMIT of the kernel */
};

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

/* ---- names of functions of programs --------------------------------------------------------- */

/* The name of spans, by the index of the attach point's name in plan->names. */
struct span_name {
	const char *text; /* NULL: not of such a function */
	bool is_library;  /* FUNCTION@LIBRARY */
	char *made;
};

/* Where the file is a library its name follows. */
static void name_function(struct span_name *n, const char *function, const char *path)
{
	const char *file = path ? text_base_name(path) : NULL;

	if (n->text)
		return;
	n->text = function;
	n->is_library = file && strstr(file, ".so");
	if (n->is_library && asprintf(&n->made, "%s@%s", function, file) > 0)
		n->text = n->made;
}

static void name_targets(struct span_name *names, const struct plan *p, const struct plan_prog *g)
{
	for (uint32_t i = 0; plan_has_cookie(g) && i < g->n_targets; i++) {
		uint64_t cookie = g->targets[i].cookie & ((1ull << PLAN_FORMAT_BIT) - 1);

		name_function(&names[cookie >> 32], plan_name(p, (uint32_t)cookie),
			      g->targets[i].path);
	}
	for (uint32_t i = 0; !plan_has_cookie(g) && i < g->n_probes; i++) {
		const struct plan_probe *q = &p->probes[g->probes[i]];

		if (q->func_id && g->n_targets)
			name_function(&names[q->name_id], plan_name(p, q->func_id),
				      g->targets[0].path);
	}
}

static const struct span_name *span_names(struct events *e)
{
	const struct plan *p = e->s->plan;

	if (e->span_names)
		return e->span_names;
	e->span_names = calloc(p->names.n + 1, sizeof(*e->span_names));
	for (uint32_t i = 0; e->span_names && i < p->n_progs; i++)
		if (prog_kind_is(p->progs[i].kind, PK_USER_FUNCTION))
			name_targets(e->span_names, p, &p->progs[i]);
	return e->span_names;
}

void event_span_free(struct events *e)
{
	for (uint32_t i = 0; e->span_names && i < e->s->plan->names.n; i++)
		free(e->span_names[i].made);
	free(e->span_names);
	e->span_names = NULL;
	hash_free(&e->goroutines);
}

/* The name of a function of a program; NULL of other spans, or without memory. */
static const struct span_name *function_name(struct events *e, const struct plan_event *ev,
					     const void *record)
{
	const struct span_name *names = span_names(e);
	uint32_t id;

	memcpy(&id, (const char *)record + ev->fields[0].offset, sizeof(id));
	return names && id < e->s->plan->names.n && names[id].text ? &names[id] : NULL;
}

/* ---- records -------------------------------------------------------------------------------- */

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
static void span_name(const struct plan_event *ev, const struct view *name, char bytes[NAME_BYTES])
{
	struct text text = text_in_array(bytes, NAME_BYTES); /* longer names are cut */

	text.is_quoted = true;
	if (ev->text)
		text_string(&text, ev->text);
	else
		format_view(&text, name);
	text_terminate(&text);
}

HASH_INTEGER_FUNCTIONS(goroutines, struct goroutine, uint64_t, hash_u64, e->key, e->tid)

/* The number that stands for a goroutine in place of a thread's. Goroutines are numbered from
 * PID_LIMIT on, beyond all threads, in the order in which their first call ends. */
static uint32_t number_goroutine(struct events *e, uint32_t pid, uint32_t goroutine)
{
	uint64_t key = (uint64_t)pid << 32 | goroutine;
	struct goroutine new = {key, PID_LIMIT + (uint32_t)e->goroutines.n + 1};
	const struct goroutine *known = goroutines_find(&e->goroutines, key);

	if (!known && goroutines_insert(&e->goroutines, new))
		return PID_LIMIT;
	return known ? known->tid : new.tid;
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

/* The arguments and the result of a call. The name is without the parameters of C++, for which the
 * arguments stand. */
static void span_values(struct view_span *s, const struct plan *p, const struct plan_event *ev,
			const void *record, char bytes[2][NAME_BYTES])
{
	const void *call = (const char *)record + ev->fields[0].offset;
	struct text arguments = text_in_array(bytes[0], NAME_BYTES),
		    result = text_in_array(bytes[1], NAME_BYTES);
	const struct plan_call *c = call_values_function(p, call);

	if (!c || !c->typed)
		return;
	call_values_arguments(&arguments, p, ev->fields[0].type, call);
	text_terminate(&arguments);
	s->arguments = bytes[0];
	if (call_values_result(&result, p, ev->fields[0].type, call))
		s->result = bytes[1];
	text_terminate(&result);
}

void ev_span(struct events *e, const struct plan_event *ev, const void *record)
{
	const struct sonde_span_event *r = record;
	const struct plan *p = e->s->plan;
	bool has_values = !ev->text && ev->fields[0].type->kind == TY_CALL;
	bool is_default = has_values || (!ev->text && ev->fields[0].type->kind == TY_NAME);
	const struct span_name *function = NULL;
	const struct plan_probe *q;
	struct view views[LIMIT_CALL_ARGS];
	char name[NAME_BYTES], values[2][NAME_BYTES], comm[sizeof(r->comm) + 1] = "";
	struct view_span s = {.pid = r->pid,
			      .tid = r->tid,
			      .start = r->start_ns,
			      .length = r->length_ns,
			      .tracer = r->flags >> SONDE_SPAN_TRACER_BIT,
			      .is_open = r->flags & SONDE_SPAN_OPEN,
			      .is_left = r->flags & SONDE_SPAN_LEFT,
			      .is_cut = r->flags & SONDE_SPAN_CUT,
			      .pieces = ev->pieces,
			      .values = views + !ev->text,
			      .n_values = ev->n_pieces};

	if (r->head.probe >= p->n_probes)
		return;
	q = &p->probes[r->head.probe];
	if (q->state.kind == SPAN_GOROUTINE)
		s.tid = number_goroutine(e, r->pid, r->tid);
	memcpy(comm, r->comm, sizeof(r->comm));
	s.kind = kind_of(p, q);
	if (is_default && s.kind == VIEW_SPAN_USER)
		function = function_name(e, ev, record);
	if (!function || ev->n_pieces)
		events_views(e, ev, record, views);
	if (!function)
		span_name(ev, views, name);
	if (is_default && !function && !(ev->is_named && s.kind > VIEW_SPAN_SYSCALL))
		default_name(name, s.kind);
	if (function && function->is_library)
		s.kind = VIEW_SPAN_LIBRARY;
	s.name = function ? function->text : name;
	s.comm = comm;
	if (has_values)
		span_values(&s, p, ev, record, values);
	s.is_call = is_default && s.kind <= VIEW_SPAN_SYSCALL;
	s.is_outermost = !(r->flags & SONDE_SPAN_NESTED) && e->is_span_alone;
	events_note_error(e, e->out->span(e->out, &s));
	if (e->s->strings)
		deferred_strings_release(e->s);
}
