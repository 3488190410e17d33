/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a compiled script. The input is a script, a NUL, and changes: two bytes of position
 * and one of value for each; an input without a NUL is the plan's bytes themselves. A plan that is
 * accepted is written again and used for records of its sizes. */
#include "parser/base/limits.h"
#include "parser/plan/plan_file.h"
#include "runtime/view/format.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

static char room[4096];

static void forget(struct text *t)
{
	t->n = 0;
}

static void show(const struct plan *p, const struct plan_event *ev)
{
	struct text t = {.bytes = room, .capacity = sizeof(room), .make_room = forget};
	struct span shown = source_shown(p->source, ev->span);
	struct view views[LIMIT_CALL_ARGS];
	uint8_t *record = malloc(ev->size);

	memset(record, 0xa5, ev->size);
	for (uint32_t i = 0; i < ev->n_fields; i++) {
		view_make(&views[i], ev->fields[i].type, record + ev->fields[i].offset, NULL);
		format_view(&t, &views[i]);
	}
	format_printf(&t, ev, views);
	source_place(p->source, shown.start);
	free(record);
}

static void read_and_use(const uint8_t *bytes, size_t len)
{
	struct arena *a = arena_new();
	struct plan *p = plan_file_read(a, bytes, len);
	size_t again;

	if (p) {
		plan_dump(p, 4, fuzz_sink());
		free(plan_file_write(a, p, &again));
		for (uint32_t i = 0; i < p->n_events; i++)
			if (p->events[i].size < 1 << 16)
				show(p, &p->events[i]);
	}
	arena_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, 0, size), *change;
	struct fuzz_script f;
	uint8_t *bytes;
	size_t len;

	if (!nul) {
		read_and_use(data, size);
		return 0;
	}
	fuzz_walk(&f, data, (size_t)(nul - data));
	if (f.plan) {
		bytes = plan_file_write(f.arena, f.plan, &len);
		for (change = nul + 1; change + 3 <= data + size; change += 3)
			bytes[(change[0] | change[1] << 8) % len] = change[2];
		read_and_use(bytes, len);
		free(bytes);
	}
	arena_free(f.arena);
	return 0;
}
