/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and stacks of recorded events: each is kept once, and has a number. So have frames, which
 * are what programs get instead of addresses.
 */
#include "runtime/recording/raw_impl.h"
#include "parser/base/arena.h"

HASH_INTEGER_FUNCTIONS(raw_numbers, struct raw_number, uint64_t, hash_u64, e->key, e->index)

void raw_threads_begin(struct raw_reader *r)
{
	struct arena *a = r->rec->arena;

	/* number 0 stands for none */
	arena_push(a, r->out->threads, r->out->n_threads, (struct recorded_thread){0});
	arena_push(a, r->out->stacks, r->out->n_stacks, (struct recorded_stack){0});
	arena_push(a, r->out->frames, r->out->n_frames, (struct recorded_frame){0});
}

void raw_threads_end(struct raw_reader *r)
{
	hash_free(&r->threads);
	hash_free(&r->tids);
	hash_free(&r->stacks);
	hash_free(&r->frames);
}

/* ---- threads ------------------------------------------------------------------------------ */

enum {
	THREAD_PID,
	THREAD_TID,
	THREAD_UID,
	THREAD_GID,
	THREAD_COMM,
	THREAD_PPID,
	THREAD_PCOMM,
	THREAD_LEADER,
	THREAD_CGROUP,
	THREAD_PARTS
};

static bool take_name(struct arena *a, const json_t *j, char to[RECORDED_COMM])
{
	uint32_t n;
	const char *text = raw_string(a, j, &n);

	if (text)
		memcpy(to, text, n < RECORDED_COMM ? n : RECORDED_COMM - 1);
	return text != NULL;
}

static bool take_id(const json_t *j, uint32_t *to)
{
	uint64_t x;

	if (!json_number(j, &x))
		return false;
	*to = (uint32_t)x;
	return true;
}

/* The first thread of that tid, which is this one if there is none yet. */
static bool find_first(struct raw_reader *r, uint32_t tid, uint32_t index, uint32_t *first)
{
	struct raw_number *found = raw_numbers_find(&r->tids, tid);

	*first = found ? found->index : index;
	return found || !raw_numbers_insert(&r->tids, (struct raw_number){tid, index});
}

bool raw_thread(struct raw_reader *r, struct arena *a, const json_t *tuple, uint32_t *index)
{
	struct recorded_events *out = r->out;
	struct recorded_thread t = {0};
	struct raw_number *found, new;

	if (json_array_size(tuple) != THREAD_PARTS ||
	    !take_id(json_array_get(tuple, THREAD_PID), &t.pid) ||
	    !take_id(json_array_get(tuple, THREAD_TID), &t.tid) ||
	    !take_id(json_array_get(tuple, THREAD_UID), &t.uid) ||
	    !take_id(json_array_get(tuple, THREAD_GID), &t.gid) ||
	    !take_id(json_array_get(tuple, THREAD_PPID), &t.ppid) ||
	    !take_name(a, json_array_get(tuple, THREAD_COMM), t.comm) ||
	    !take_name(a, json_array_get(tuple, THREAD_PCOMM), t.pcomm) ||
	    !take_name(a, json_array_get(tuple, THREAD_LEADER), t.leader_comm) ||
	    !json_number(json_array_get(tuple, THREAD_CGROUP), &t.cgroup))
		return false;
	new = (struct raw_number){hash_bytes(&t, sizeof(t)), out->n_threads};
	found = raw_numbers_find(&r->threads, new.key);
	if (found) {
		*index = found->index;
		return true;
	}
	if (raw_numbers_insert(&r->threads, new) || !find_first(r, t.tid, new.index, &t.first))
		return false;
	*index = new.index;
	arena_push(r->rec->arena, out->threads, out->n_threads, t);
	return true;
}

/* ---- stacks ------------------------------------------------------------------------------- */

/* The number of a frame; 0: out of memory. */
static uint32_t number_frame(struct raw_reader *r, const struct view_frame *f, const char *cut)
{
	struct recorded_events *out = r->out;
	uint64_t hash = hash_mix_string(f != NULL, cut);
	struct raw_number new = {f ? view_frame_hash(hash, f) : hash, out->n_frames};
	const struct raw_number *found = raw_numbers_find(&r->frames, new.key);

	if (found)
		return found->index;
	if (raw_numbers_insert(&r->frames, new))
		return 0;
	arena_push(r->rec->arena, out->frames, out->n_frames, ((struct recorded_frame){f, cut}));
	return new.index;
}

/* Why there are no more frames is a fact of the last one. */
static bool make_stack(struct raw_reader *r, const struct view_stack *s, struct recorded_stack *to)
{
	uint64_t *frames = arena_alloc(r->rec->arena, (s->n + 1) * sizeof(*frames));

	for (uint32_t i = 0; i < s->n; i++) {
		frames[to->n] = number_frame(r, &s->frames[i], i + 1 < s->n ? NULL : s->cut);
		if (!frames[to->n++])
			return false;
	}
	if (!s->n && s->cut)
		frames[to->n++] = number_frame(r, NULL, s->cut);
	to->frames = frames;
	return true;
}

bool raw_stack(struct raw_reader *r, const json_t *number, uint32_t *index)
{
	struct recorded_events *out = r->out;
	struct raw_number *found, new = {.index = out->n_stacks};
	struct recorded_stack stack = {0};
	struct view_stack view;

	*index = 0;
	if (!json_number(number, &new.key))
		return false;
	if (!new.key)
		return true;
	found = raw_numbers_find(&r->stacks, new.key);
	if (found) {
		*index = found->index;
		return true;
	}
	if (!r->rec->lookup.find(&r->rec->lookup, new.key, &view) ||
	    !make_stack(r, &view, &stack) || raw_numbers_insert(&r->stacks, new))
		return false;
	*index = new.index;
	arena_push(r->rec->arena, out->stacks, out->n_stacks, stack);
	return true;
}
