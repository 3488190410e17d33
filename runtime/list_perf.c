/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l: events of software and hardware probes, as they are written without a number: "software:cs:".
 */
#include "../parser/probe.h"
#include "../parser/probe_perf.h"
#include "list_impl.h"
#include <string.h>

void lst_events(struct listing *l)
{
	char name[64];

	for (uint32_t i = 0; i < n_perf_event_rows; i++) {
		const struct perf_event_row *e = &perf_event_rows[i];

		if (strcmp(probe_rows[e->id].name, l->type) != 0)
			continue;
		snprintf(name, sizeof(name), "%s:", e->name);
		list_offer(l, name);
		snprintf(name, sizeof(name), "%s:", e->alias ? e->alias : "");
		if (e->alias)
			list_offer(l, name);
	}
}
