/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a script has read at events ('sonde record --for-replay'). A read is a row of its own behind
 * that of its event: 0, or 1 at the start of a span, the event's place
 * (parser/plan/read_place.h), CPU, thread, address, bytes.
 */
#include "runtime/recording/raw_impl.h"
#include "runtime/output/out.h"
#include "parser/base/arena.h"
#include "parser/plan/read_place.h"
#include <string.h>

HASH_INTEGER_FUNCTIONS(raw_numbers, struct raw_number, uint64_t, hash_u64, e->key, e->index)

enum read_part { READ_START, READ_PLACE, READ_CPU, READ_TID, READ_ADDRESS, READ_BYTES, READ_PARTS };

enum { LOOK_BACK = 64 }; /* rows of the same thread */

/* The idle threads of all CPUs have the same number. */
static uint64_t key_of(uint32_t tid, uint32_t cpu)
{
	return tid ? tid : (uint64_t)1 << 32 | cpu;
}

/* Row `index` is the last one of the thread now. */
static bool put_last(struct raw_numbers *last, uint64_t key, uint32_t index, uint32_t *before)
{
	struct raw_number *found = raw_numbers_find(last, key);

	*before = found ? found->index : 0;
	if (!found)
		return !raw_numbers_insert(last, (struct raw_number){key, index + 1});
	found->index = index + 1;
	return true;
}

bool raw_note_event(struct raw_reader *r, const struct recorded_event *e)
{
	uint32_t before, n = r->out->n_events;

	if (!put_last(&r->last_events, key_of(r->out->threads[e->thread].tid, e->cpu), n, &before))
		return false;
	arena_push(r->rec->arena, r->before_event, n, before);
	return true;
}

bool raw_note_span(struct raw_reader *r, const struct raw_span *s)
{
	uint32_t before, n = r->n_spans;

	if (!put_last(&r->last_spans, key_of(r->out->threads[s->thread].tid, s->cpu), n, &before))
		return false;
	arena_push(r->rec->arena, r->before_span, n, before);
	return true;
}

/* ---- finding the event -------------------------------------------------------------------- */

static uint32_t last_of(struct raw_numbers *last, uint64_t key)
{
	struct raw_number *found = raw_numbers_find(last, key);

	return found ? found->index : 0;
}

/* "syscalls:sys_enter" stands for all system calls. */
static bool is_tracepoint(const char *point, const char *place)
{
	size_t n = strlen(place);

	return strncmp(point, place, n) == 0 &&
	       (!point[n] || (point[n] == '_' && strncmp(place, "syscalls:", 9) == 0));
}

/* The name of a function is the last part; its file may be written in another way. */
static bool is_function(const char *point, const char *place)
{
	const char *type = strchr(place, ':'), *name = strrchr(place, ':');
	const char *type_of_point = strchr(point, ':'), *name_of_point = strrchr(point, ':');

	return type && type_of_point && type - place == type_of_point - point &&
	       strncmp(point, place, (size_t)(type - place)) == 0 &&
	       strcmp(name_of_point, name) == 0;
}

/* A call starts at the event of another probe: uretprobe, kretprobe. */
static const char *entry_of(struct raw_reader *r, const char *place)
{
	static const char returns[] = "retprobe:";
	bool is = place[0] && strncmp(place + 1, returns, sizeof(returns) - 1) == 0;

	return is ? arena_printf(r->rec->arena, "%c%s", place[0], place + 1 + strlen("ret"))
		  : place;
}

static bool is_at(const char *point, const char *place)
{
	return is_tracepoint(point, place) || is_function(point, place);
}

/* Where the memory of the read's event is; NULL: its row was lost. */
static struct recorded_memory **find_event(struct raw_reader *r, const char *place, uint64_t key)
{
	uint32_t at = last_of(&r->last_events, key);

	for (uint32_t n = 0; at && n < LOOK_BACK; n++, at = r->before_event[at - 1]) {
		struct recorded_event *e = &r->out->events[at - 1];

		if (is_at(r->out->points[e->point], place))
			return &e->memory;
	}
	return NULL;
}

static struct recorded_memory **find_span(struct raw_reader *r, bool is_on_cpu, uint64_t key)
{
	uint32_t at = last_of(&r->last_spans, key);

	for (uint32_t n = 0; at && n < LOOK_BACK; n++, at = r->before_span[at - 1])
		if (r->spans[at - 1].is_on_cpu == is_on_cpu)
			return &r->spans[at - 1].memory;
	return NULL;
}

static struct recorded_memory **find_memory(struct raw_reader *r, const char *place, uint64_t key)
{
	bool is_on_cpu = strcmp(place, READ_PLACE_ON) == 0;

	return is_on_cpu || strcmp(place, READ_PLACE_BACK) == 0 ? find_span(r, is_on_cpu, key)
								: find_event(r, place, key);
}

/* ---- reading ------------------------------------------------------------------------------ */

struct recorded_memory *raw_memory(struct raw_reader *r, struct recorded_memory **at)
{
	if (!*at) {
		*at = arena_alloc(r->rec->arena, sizeof(**at));
		**at = (struct recorded_memory){0};
	}
	return *at;
}

static bool is_known(const struct recorded_memory *m, const struct recorded_read *one)
{
	for (uint32_t i = 0; i < m->n_reads; i++)
		if (m->reads[i].address == one->address && m->reads[i].n == one->n &&
		    memcmp(m->reads[i].bytes, one->bytes, one->n) == 0)
			return true;
	return false;
}

bool raw_take_read(struct raw_reader *r, const json_t *tuple)
{
	struct recorded_memory **at, *memory;
	struct recorded_read one;
	uint64_t cpu, tid, is_start;
	const char *place, *bytes;

	if (json_array_size(tuple) != READ_PARTS ||
	    !json_number(json_array_get(tuple, READ_START), &is_start) ||
	    !json_number(json_array_get(tuple, READ_CPU), &cpu) ||
	    !json_number(json_array_get(tuple, READ_TID), &tid) ||
	    !json_number(json_array_get(tuple, READ_ADDRESS), &one.address))
		return false;
	place = json_string_value(json_array_get(tuple, READ_PLACE));
	bytes = raw_string(r->rec->arena, json_array_get(tuple, READ_BYTES), &one.n);
	if (!place || !bytes)
		return false;
	at = find_memory(r, is_start ? entry_of(r, place) : place,
			 key_of((uint32_t)tid, (uint32_t)cpu));
	if (!at)
		return true;
	one.bytes = (const uint8_t *)arena_strndup(r->rec->arena, bytes, one.n);
	memory = raw_memory(r, at);
	if (!is_known(memory, &one))
		arena_push(r->rec->arena, memory->reads, memory->n_reads, one);
	return true;
}

void raw_reads_end(struct raw_reader *r)
{
	hash_free(&r->last_events);
	hash_free(&r->last_spans);
}
