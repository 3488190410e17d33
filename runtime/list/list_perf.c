/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: events of software and hardware probes, as they are written without a number: "software:cs:".
 */
#include "parser/lang/probe.h"
#include "parser/attach/probe_perf.h"
#include "runtime/list/list_impl.h"
#include <string.h>

/* "cpu:", and "cpu" for who asks for just that. */
static void offer_event(struct listing *l, const char *event)
{
	char name[64];

	snprintf(name, sizeof(name), "%s:", event);
	if (!list_is_requested(l, name) && list_is_requested(l, event))
		list_offer(l, event);
	else
		list_offer(l, name);
}

void lst_events(struct listing *l)
{
	for (uint32_t i = 0; i < n_perf_event_rows; i++) {
		const struct perf_event_row *e = &perf_event_rows[i];

		if (strcmp(probe_rows[e->id].name, l->type) != 0)
			continue;
		offer_event(l, e->name);
		if (e->alias)
			offer_event(l, e->alias);
	}
}
