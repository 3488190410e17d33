/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls of functions: which return belongs to which entry.
 *
 * The event of an entry gets the time at which the call's length counts from, which is the time of
 * its return less the recorded length. So a replay measures that length, not the time that
 * recording the entry took. Where a call begins at the stack pointer of an open one, it is known
 * whether that one returns later.
 */
#include "runtime/recording/raw_impl.h"
#include "parser/base/arena.h"
#include "parser/lang/probe.h"

HASH_INTEGER_FUNCTIONS(raw_numbers, struct raw_number, uint64_t, hash_u64, e->key, e->index)

/* Of each point: its number among the functions' ends of that kind, and which end it is. */
struct end {
	uint64_t function; /* hash of its name */
	bool is_call, is_return;
};

struct calls {
	const struct raw_reader *r;
	struct end *ends;      /* of each point */
	uint8_t *returns;      /* of each event: it is an entry whose return follows */
	struct raw_numbers at; /* the last entry of a function, or of any, at a stack pointer */
};

static struct end end_of(const char *point)
{
	const char *function = point + strcspn(point, ":");
	enum probe_id id;

	if (!probe_find_call(point, &id))
		return (struct end){0};
	return (struct end){.function = hash_bytes(function, strlen(function)),
			    .is_call = true,
			    .is_return = probe_rows[id].entry != id};
}

/* The end of a call that the event is; NULL: it is none. */
static const struct end *end_at(const struct calls *c, const struct recorded_event *e)
{
	const struct end *end = &c->ends[e->point];

	return end->is_call && e->values && e->values[RECORDED_SP] ? end : NULL;
}

/* The last entry that the thread made at the stack pointer, of a function, or of any (0). */
static struct raw_number *last_entry(struct calls *c, const struct recorded_event *e,
				     uint64_t function)
{
	uint64_t parts[] = {c->r->out->threads[e->thread].tid, e->values[RECORDED_SP], function};
	struct raw_number *found, new = {.key = hash_bytes(parts, sizeof(parts)), .index = 0};

	found = raw_numbers_find(&c->at, new.key);
	if (!found && raw_numbers_insert(&c->at, (struct raw_number){new.key, UINT32_MAX}) == 0)
		found = raw_numbers_find(&c->at, new.key);
	return found;
}

static void take_return(struct calls *c, const struct recorded_event *e, struct raw_number *entry)
{
	struct recorded_event *begin;

	if (entry->index == UINT32_MAX)
		return;
	begin = &c->r->out->events[entry->index];
	c->returns[entry->index] = 1;
	if (e->values[RECORDED_LENGTH] <= e->time)
		begin->time = e->time - e->values[RECORDED_LENGTH];
	entry->index = UINT32_MAX;
}

/* Find the return of each entry. */
static void match(struct calls *c)
{
	for (uint32_t i = 0; i < c->r->out->n_events; i++) {
		const struct recorded_event *e = &c->r->out->events[i];
		const struct end *end = end_at(c, e);
		struct raw_number *entry = end ? last_entry(c, e, end->function) : NULL;

		if (entry && end->is_return)
			take_return(c, e, entry);
		else if (entry)
			entry->index = i;
	}
}

/* Does the call before it at that stack pointer return later? */
static void find_called(struct calls *c)
{
	for (uint32_t i = 0; i < c->r->out->n_events; i++) {
		struct recorded_event *e = &c->r->out->events[i];
		const struct end *end = end_at(c, e);
		struct raw_number *entry = end && !end->is_return ? last_entry(c, e, 0) : NULL;

		if (!entry)
			continue;
		e->is_called = entry->index != UINT32_MAX && !c->returns[entry->index];
		entry->index = i;
	}
}

void raw_calls(struct raw_reader *r)
{
	struct recorded_events *out = r->out;
	struct calls c = {.r = r,
			  .ends = calloc(out->n_points + 1u, sizeof(*c.ends)),
			  .returns = calloc(out->n_events + 1u, 1)};
	bool has_calls = false;

	for (uint32_t i = 0; c.ends && i < out->n_points; i++) {
		c.ends[i] = end_of(out->points[i]);
		has_calls |= c.ends[i].is_call;
	}
	if (has_calls && c.returns) {
		match(&c);
		find_called(&c);
		raw_sort(out);
	}
	hash_free(&c.at);
	free(c.ends);
	free(c.returns);
}
