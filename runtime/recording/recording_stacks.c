/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stacks of a recording, read when they are first asked for: see recording.h.
 */
#include "runtime/recording/recording.h"
#include "parser/base/text.h"

enum { FRAMES_MOST = 1 << 13 }; /* words of a stack, each with its inlined functions */

HASH_INTEGER_FUNCTIONS(known_stacks, struct known_stack, uint64_t, hash_u64, e->number, e->number)

void recording_name_frames(struct arena *a, struct view_stack *s)
{
	struct view_frame *frames = (struct view_frame *)s->frames;

	for (uint32_t i = 0; i < s->n; i++) {
		if (frames[i].name || !frames[i].module)
			continue;
		frames[i].name = arena_printf(a, "[%s+0x%llx]", text_base_name(frames[i].module),
					      (unsigned long long)frames[i].offset);
		frames[i].offset = 0;
	}
}

static int read_frames(struct recording *r, uint64_t number, struct view_stack *out)
{
	struct view_frame *frames = NULL, f;
	uint64_t build;
	int got;

	sqlite3_bind_int64(r->frames, 1, (int64_t)number);
	while ((got = recording_step(r, r->frames)) > 0 && out->n < FRAMES_MOST) {
		f = (struct view_frame){
			.ip = (uint64_t)sqlite3_column_int64(r->frames, 2),
			.name = recording_kept(r, r->frames, 3),
			.offset = (uint64_t)sqlite3_column_int64(r->frames, 4),
			.module = recording_kept(r, r->frames, 5),
			.file = recording_kept(r, r->frames, 6),
			.line = (uint32_t)sqlite3_column_int64(r->frames, 7),
			.is_inlined = sqlite3_column_int(r->frames, 8) != 0,
			.is_caller = sqlite3_column_int(r->frames, 9) != 0,
		};
		if (r->form > 3) {
			build = (uint64_t)sqlite3_column_int64(r->frames, 10);
			f.build_id = build && build <= r->n_builds ? r->builds[build - 1] : NULL;
			f.linked = (uint64_t)sqlite3_column_int64(r->frames, 11);
		}
		arena_push(r->arena, frames, out->n, f);
	}
	sqlite3_reset(r->frames);
	out->frames = frames;
	if (r->is_merged)
		recording_name_frames(r->arena, out);
	return got < 0 ? -1 : 0;
}

bool recording_find_stack(struct stack_lookup *lookup, uint64_t number, struct view_stack *out)
{
	struct recording *r = (struct recording *)lookup;
	struct known_stack *known = known_stacks_find(&r->stacks, number), new = {.number = number};
	struct view_stack *stack;

	if (known)
		return *out = *known->stack, true;
	sqlite3_bind_int64(r->stack, 1, (int64_t)number);
	stack = arena_new_of(r->arena, struct view_stack);
	if (recording_step(r, r->stack) <= 0) {
		sqlite3_reset(r->stack);
		return false;
	}
	stack->is_user = sqlite3_column_int(r->stack, 0) != 0;
	stack->cut = recording_kept(r, r->stack, 1);
	stack->is_lost = sqlite3_column_int(r->stack, 2) != 0;
	sqlite3_reset(r->stack);
	new.stack = stack;
	if (read_frames(r, number, stack) || known_stacks_insert(&r->stacks, new))
		return false;
	*out = *stack;
	return true;
}
