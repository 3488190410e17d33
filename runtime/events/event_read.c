/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records of what a script reads. What is read again at the same event is left out.
 */
#include "runtime/events/event_actions.h"
#include "runtime/output/out.h"
#include "runtime/events/events.h"
#include "runtime/base/hash.h"
#include <stddef.h>
#include <stdlib.h>

enum { RECENT = 256 };

/* Hashes of the records since the last event. */
struct recent_reads {
	uint64_t hashes[RECENT];
	uint32_t n;
};

void events_forget_reads(struct events *e)
{
	if (e->reads)
		e->reads->n = 0;
}

static bool is_again(struct events *e, const struct sonde_read_event *r)
{
	size_t at = offsetof(struct sonde_read_event, place);
	uint64_t hash = hash_bytes((const uint8_t *)r + at,
				   offsetof(struct sonde_read_event, bytes) - at + r->length);

	if (!e->reads)
		e->reads = calloc(1, sizeof(*e->reads));
	if (!e->reads)
		return false;
	for (uint32_t i = 0; i < e->reads->n; i++)
		if (e->reads->hashes[i] == hash)
			return true;
	if (e->reads->n < RECENT)
		e->reads->hashes[e->reads->n++] = hash;
	return false;
}

void ev_read(struct events *e, const struct plan_event *ev, const void *record)
{
	const struct sonde_read_event *r = record;
	struct view views[LIMIT_CALL_ARGS];

	if (r->length > SONDE_READ_BYTES || is_again(e, r))
		return;
	events_views(e, ev, record, views);
	events_note_error(e, e->out->value(e->out, &views[0]));
}
