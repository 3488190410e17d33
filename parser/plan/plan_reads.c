/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plan of what is recorded for a replay of the script: each of its reads sends a record. It is
 * shown as a value, a tuple: 0, or 1 at the start of a span, the event of which it is, CPU, thread,
 * address, bytes.
 */
#include "bpf_helpers/shared.h"
#include "parser/base/arena.h"
#include "parser/lang/span_kind.h"
#include "parser/plan/plan_build.h"
#include "parser/plan/read_place.h"
#include <stddef.h>
#include <string.h>

#define IN_TUPLE(member) (offsetof(struct sonde_read_event, member) - sizeof(struct sonde_event))

_Static_assert(IN_TUPLE(is_start) == 0 && IN_TUPLE(place) == 4 && IN_TUPLE(cpu) == 8 &&
		       IN_TUPLE(tid) == 12 && IN_TUPLE(address) == 16 && IN_TUPLE(length) == 24 &&
		       IN_TUPLE(bytes) == 24 + BUFFER_HEAD,
	       "the tuple's members are where their types say");

static const struct type *type_of_read(struct arena *a)
{
	const struct type *parts[] = {type_int(4, false), &type_name,	      type_int(4, false),
				      type_int(4, false), type_int(8, false), NULL};
	enum { PARTS = sizeof(parts) / sizeof(*parts) };
	struct type_member *members = arena_alloc(a, PARTS * sizeof(*members));

	parts[PARTS - 1] = type_buffer(a, SONDE_READ_BYTES);
	for (uint32_t i = 0; i < PARTS; i++)
		members[i].type = parts[i];
	return type_tuple(a, false, members, PARTS);
}

void plan_reads(struct planner *pl)
{
	struct plan *p = pl->plan;
	struct plan_field field = {.type = type_of_read(pl->arena),
				   .offset = sizeof(struct sonde_event)};
	struct plan_event ev = {.kind = PE_READ, .least = offsetof(struct sonde_read_event, bytes)};

	field.size = field.type->size;
	ev.size = plan_align(field.offset + field.size, 8);
	arena_push(pl->arena, ev.fields, ev.n_fields, field);
	p->needs.reads = p->needs.ring_buffer = p->needs.task = true;
	p->needs.ring_bytes = RING_BYTES_EVENTS;
	p->reads_event = p->n_events;
	arena_push(pl->arena, p->events, p->n_events, ev);
}

/* The event of a tracepoint; of all system calls, if the program is for them, since a thread is in
 * one only. */
static uint32_t place_of_event(struct planner *pl, const struct tp_format *f)
{
	static const char *const calls[] = {"sys_enter", "sys_exit"};
	const char *event = f->event;

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (strcmp(f->category, "syscalls") == 0 &&
		    strncmp(event, calls[i], strlen(calls[i])) == 0)
			event = calls[i];
	return plan_name_id(pl, arena_printf(pl->arena, "%s:%s", f->category, event));
}

void plan_read_places(struct planner *pl, const struct attach_point *point, struct plan_probe *q)
{
	const struct tp_format *f = probe_format(point);

	if (!f)
		return;
	q->place_id = q->open_place_id = q->start_place_id = place_of_event(pl, f);
	if (point->ends == SPAN_SWITCH)
		q->place_id = q->open_place_id = plan_name_id(pl, READ_PLACE_BACK);
	if (point->ends == SPAN_SLICE)
		q->open_place_id = plan_name_id(pl, READ_PLACE_ON);
	if (point->ends == SPAN_SYSCALL)
		q->start_place_id =
			plan_name_id(pl, arena_printf(pl->arena, "%s:sys_enter", f->category));
}
