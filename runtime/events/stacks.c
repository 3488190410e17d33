/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The user side of the stack store: hash -> frames with names, read from the map of stacks once,
 * when a stack is first shown. Also notes each new user stack that programs report.
 */
#include "runtime/events/stacks.h"
#include "bpf_helpers/unwind.h"
#include "runtime/events/stack_sweep.h"
#include "runtime/events/deferred_strings.h"
#include "runtime/base/clock.h"
#include "runtime/base/limit_hint.h"
#include "runtime/elf/names.h"
#include "runtime/base/hash.h"
#include "runtime/base/hold_cpu.h"
#include "runtime/base/map_calls.h"
#include "runtime/elf/demangle.h"
#include "runtime/base/log.h"
#include "runtime/events/codes.h"
#include "runtime/events/frames.h"
#include "runtime/session/event_source.h"
#include "runtime/session/session.h"
#include "runtime/symbols/usym.h"
#include <bpf/bpf.h>

/* Views point to the frames, so the frames of a stack are one allocation that never moves. */
struct cached {
	uint64_t id; /* variant() of the hash; 0: empty */
	struct view_frame *frames;
	const char *cut;
	uint32_t n;
	bool is_user;
	uint32_t shows;	   /* enum stack_shows */
	uint64_t again_ns; /* when to look for missing names again; 0: never */
};

static const char *const cuts[] = {
#define UNWIND_CUT(id, name, reason, help) [UNWIND_##id] = reason,
#include "bpf_helpers/unwind_ends.def"
};
_Static_assert(sizeof(cuts) / sizeof(cuts[0]) == UNWIND_END_COUNT, "one row for each end");

HASH_TABLE(stack_cache, struct cached);

enum { NAMES_STEP = 64 * 1024 };

/* Run times list generated functions while they run. */
#define AGAIN_NS 1000000000ull
#define WITH_LINES 0x5bd1e995cafe17d3ull
#define WITH_FILES 0x9e3779b97f4a7c15ull

/* A stack's id is a hash already. */
HASH_INTEGER_FUNCTIONS(stack_cache, struct cached, uint64_t, hash_none, e->id, e->id)

/* The id under which a stack is kept whose frames show this. */
static uint64_t variant(uint64_t hash, uint32_t shows)
{
	return hash ^ (shows & SHOWS_LINE ? WITH_LINES : shows & SHOWS_FILE ? WITH_FILES : 0);
}

static void name_frames(struct session *s, const struct sonde_stack *st, struct cached *c)
{
	bool is_partial = frames_name(s, st, c->shows, c->frames, c->n);

	c->again_ns = is_partial ? monotonic_ns() + AGAIN_NS : 0;
}

/* A stack that is not in the map was counted as lost when the store was full. */
static void report_unread(struct session *s, int err)
{
	if (err == -ENOENT || s->is_stack_unread)
		return;
	s->is_stack_unread = true;
	log_error("a stack cannot be read: %s%s", strerror(-err), limit_hint(err));
}

/* Read the stack from the kernel's map, name its frames and keep them. */
static bool resolve(struct session *s, uint64_t hash, uint32_t shows, struct cached *c)
{
	struct sonde_stack st;
	int err;

	if (s->stacks_fd < 0)
		return false;
	err = map_lookup(s->stacks_fd, &hash, &st);
	if (err) {
		report_unread(s, err);
		return false;
	}
	*c = (struct cached){.id = variant(hash, shows), .is_user = st.tgid, .shows = shows};
	c->cut = st.end < UNWIND_END_COUNT ? cuts[st.end] : NULL;
	if (s->source)
		err = s->source->frames(s->source, &st, shows, &c->frames, &c->n, &c->cut);
	else
		err = frames_make(s, &st, shows, &c->frames, &c->n);
	if (err)
		return false;
	if (!s->source)
		name_frames(s, &st, c);
	if (!stack_cache_insert(s->stack_cache, *c))
		return true;
	free(c->frames);
	return false;
}

/* The frames stay where they are: views may point to them. */
static void name_again(struct session *s, uint64_t hash, struct cached *c)
{
	struct sonde_stack st;

	if (HOLD_CPU(bpf_map_lookup_elem(s->stacks_fd, &hash, &st)))
		c->again_ns = 0; /* it was removed */
	else
		name_frames(s, &st, c);
}

static bool find(struct stack_source *source, uint64_t hash, const struct type *type,
		 struct view_stack *out)
{
	struct session *s = (struct session *)((char *)source - offsetof(struct session, stacks));
	uint32_t shows = stack_words[type->form].shows;
	struct cached *c = stack_cache_find(s->stack_cache, variant(hash, shows));
	struct cached fresh;

	if (!c) {
		if (!resolve(s, hash, shows, &fresh))
			return false;
		c = &fresh;
	} else if (c->again_ns && monotonic_ns() > c->again_ns) {
		name_again(s, hash, c);
	}
	*out = (struct view_stack){.frames = c->frames,
				   .n = c->n,
				   .cut = c->cut,
				   .is_user = type->kind == TY_USTACK};
	return true;
}

int stacks_open(struct session *s)
{
	const struct config *c = &s->plan->config;

	s->stacks.find = find;
	s->stacks.trailer = c->str_trunc_trailer;
	deferred_strings_open(s);
	s->stack_cache = calloc(1, sizeof(*s->stack_cache));
	s->ksyms = ksyms_new();
	if (s->plan->needs.ustack) {
		demangle_show(c->cpp_demangle, c->cpp_names == CPP_NAMES_FULL,
			      c->cpp_names != CPP_NAMES_SHORT);
		s->usyms = usyms_new();
		s->stack_sweep = stack_sweep_new(s->plan);
		s->names_limit = NAMES_STEP;
		if (!s->usyms || !s->stack_sweep)
			return -ENOMEM;
	}
	return s->stack_cache && s->ksyms ? 0 : -ENOMEM;
}

static void evict(struct session *s, uint64_t id)
{
	struct cached *c = stack_cache_find(s->stack_cache, id);

	if (!c)
		return;
	free(c->frames);
	stack_cache_remove(s->stack_cache, id);
}

void stacks_evict(struct session *s, uint64_t hash)
{
	evict(s, hash);
	evict(s, hash ^ WITH_LINES);
	evict(s, hash ^ WITH_FILES);
}

/* Kernel frames have their names from ksyms. */
static void retain_names(struct session *s, const struct cached *c)
{
	for (uint32_t i = 0; c->is_user && i < c->n; i++) {
		struct view_frame *f = &c->frames[i];

		f->name = usyms_names_retain(s->usyms, f->name);
		f->module = usyms_names_retain(s->usyms, f->module);
		f->file = usyms_names_retain(s->usyms, f->file);
		f->build_id = usyms_names_retain(s->usyms, f->build_id);
	}
}

void stacks_collect_names(struct session *s)
{
	struct usyms_stats st;

	if (!s->usyms)
		return;
	usyms_stats(s->usyms, &st);
	if (st.names_bytes < s->names_limit)
		return;
	usyms_names_begin(s->usyms);
	for (struct cached *c = stack_cache_next(s->stack_cache, NULL); c;
	     c = stack_cache_next(s->stack_cache, c))
		retain_names(s, c);
	usyms_names_end(s->usyms);
	usyms_stats(s->usyms, &st);
	s->names_limit = 2 * st.names_bytes + NAMES_STEP;
}

uint64_t stacks_report(const struct session *s)
{
	struct usyms_stats st;

	if (!s->usyms)
		return 0;
	usyms_stats(s->usyms, &st);
	log_verbose("stack store: removed %llu user stacks in all",
		    (unsigned long long)stack_sweep_removed(s->stack_sweep));
	log_verbose("symbols: at the end: %zu processes, %zu files, %zu KiB of names, %zu stacks "
		    "with names",
		    st.n_processes, st.n_files, st.names_bytes / 1024, s->stack_cache->n);
	return st.n_evicted;
}

void stacks_close(struct session *s)
{
	deferred_strings_release(s);
	codes_close(s);
	stack_sweep_free(s->stack_sweep);
	if (!s->stack_cache)
		return;
	for (struct cached *c = stack_cache_next(s->stack_cache, NULL); c;
	     c = stack_cache_next(s->stack_cache, c))
		free(c->frames);
	hash_free(s->stack_cache);
	free(s->stack_cache);
}

void stacks_note(struct session *s, const struct sonde_stack_event *ev)
{
	if (!s->usyms)
		return;
	usyms_note_stack(s->usyms, ev->tgid, ev->exec_id, ev->time_ns);
	stack_sweep_note(s->stack_sweep, ev);
}
