/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events of a recording, as JSON, one a line: those that are accepted are in the order of time, and
 * their threads, stacks and points exist.
 */
#include "tests/fuzz/fuzz.h"
#include "runtime/recording/raw_impl.h"

/* Every number of a stack up to 4 exists; 3 has no frames. */
static bool find(struct stack_lookup *l, uint64_t number, struct view_stack *out)
{
	static const struct view_frame frames[] = {{.ip = 1, .name = "f"}, {.ip = 2}};

	(void)l;
	*out = (struct view_stack){.frames = frames,
				   .n = number == 3 ? 0 : 2,
				   .is_user = number & 1,
				   .cut = number > 2 ? "cut" : NULL};
	return number < 5;
}

static void check(const struct recorded_events *all)
{
	for (uint32_t i = 0; i < all->n_events; i++) {
		const struct recorded_event *e = &all->events[i];

		if ((i && e->time < e[-1].time) || e->thread >= all->n_threads ||
		    e->kstack >= all->n_stacks || e->ustack >= all->n_stacks ||
		    (e->kind == RECORDED_EVENT && e->point >= all->n_points))
			abort();
		for (uint32_t k = 0; k < e->n_bytes; k++)
			if (e->known[k] > 1)
				abort();
	}
	for (uint32_t i = 0; i < all->n_threads; i++)
		if (all->threads[i].first > i)
			abort();
	for (uint32_t i = 0; i < all->n_stacks; i++)
		for (uint32_t k = 0; k < all->stacks[i].n; k++)
			if (!all->stacks[i].frames[k] || all->stacks[i].frames[k] >= all->n_frames)
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recording rec = {.arena = arena_new(), .lookup = {find}};
	struct recorded_events all = {0};
	struct raw_reader r = {.rec = &rec, .kernel = fuzz_kernel(), .out = &all};
	const char *at = (const char *)data, *end = at + size;

	raw_threads_begin(&r);
	for (uint64_t seq = 1; at < end; seq++) {
		const char *line = memchr(at, '\n', (size_t)(end - at)) ?: end;
		const json_t *j = json_read(rec.arena, at, (size_t)(line - at));

		if (j)
			raw_take_event(&r, rec.arena, j, seq);
		at = line + 1;
	}
	raw_order(&r);
	raw_threads_end(&r);
	check(&all);
	arena_free(rec.arena);
	return 0;
}
