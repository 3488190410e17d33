/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stack store's user side: hash -> frames with names, read from the kernel's map when a stack
 * is to be shown, each once; and the note taken at a user stack's first sighting.
 */
#include "runtime/symbols/ksym.h"
#include "runtime/base/log.h"
#include "runtime/session/session.h"
#include "runtime/symbols/usym.h"
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing by hash; grows at three quarters. Views hold pointers to frames: each stack's
 * frames are one allocation that never moves. */
struct cached {
	uint64_t hash; /* 0: empty */
	struct view_frame *frames;
	uint32_t n;
};

struct stack_cache {
	struct cached *slots;
	uint32_t n_slots, n_used;
};

static struct cached *slot_of(struct stack_cache *c, uint64_t hash)
{
	uint32_t i = (uint32_t)(hash & (c->n_slots - 1));

	while (c->slots[i].hash && c->slots[i].hash != hash)
		i = (i + 1) & (c->n_slots - 1);
	return &c->slots[i];
}

static int grow(struct stack_cache *c)
{
	struct stack_cache bigger = {.n_slots = c->n_slots ? c->n_slots * 2 : 256,
				     .n_used = c->n_used};

	if (c->n_slots && c->n_used * 4 < c->n_slots * 3)
		return 0;
	bigger.slots = calloc(bigger.n_slots, sizeof(*bigger.slots));
	if (!bigger.slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->n_slots; i++)
		if (c->slots[i].hash)
			*slot_of(&bigger, c->slots[i].hash) = c->slots[i];
	free(c->slots);
	*c = bigger;
	return 0;
}

static void name_kernel(struct session *s, struct view_frame *f)
{
	f->module = NULL;
	if (!ksyms_find(s->ksyms, f->ip, &f->name, &f->offset, &f->module))
		f->name = NULL;
}

static void name_user(struct session *s, const struct sonde_stack *st, struct view_frame *f)
{
	struct usym u;

	if (!usyms_find(s->usyms, st->tgid, st->exec_id, f->ip, &u))
		return;
	f->name = u.name;
	f->module = u.module;
	f->offset = u.name ? u.offset : u.module_offset;
}

static int resolve(struct session *s, const struct sonde_stack *st, struct cached *c)
{
	uint32_t n = st->n_frames < SONDE_MAX_FRAMES ? st->n_frames : SONDE_MAX_FRAMES;

	c->frames = calloc(n + 1, sizeof(*c->frames));
	if (!c->frames)
		return -ENOMEM;
	c->n = n;
	for (uint32_t i = 0; i < n; i++) {
		c->frames[i].ip = st->ips[i];
		if (st->tgid)
			name_user(s, st, &c->frames[i]);
		else
			name_kernel(s, &c->frames[i]);
	}
	return 0;
}

static bool find(struct stack_source *source, uint64_t hash, bool is_user, struct view_stack *out)
{
	struct session *s = (struct session *)((char *)source - offsetof(struct session, stacks));
	struct sonde_stack st;
	struct cached *c;

	if (grow(s->stack_cache))
		return false;
	c = slot_of(s->stack_cache, hash);
	if (!c->hash) {
		if (s->stacks_fd < 0 || bpf_map_lookup_elem(s->stacks_fd, &hash, &st) ||
		    resolve(s, &st, c))
			return false;
		c->hash = hash;
		s->stack_cache->n_used++;
	}
	*out = (struct view_stack){.frames = c->frames, .n = c->n, .is_user = is_user};
	return true;
}

int stacks_open(struct session *s)
{
	s->stacks.find = find;
	deferred_strings_open(s);
	s->stack_cache = calloc(1, sizeof(*s->stack_cache));
	s->ksyms = ksyms_new();
	if (s->plan->needs.ustack) {
		s->usyms = usyms_new();
		s->stack_sweep = stack_sweep_new();
		if (!s->usyms || !s->stack_sweep)
			return -ENOMEM;
	}
	return s->stack_cache && s->ksyms ? 0 : -ENOMEM;
}

void stacks_forget(struct session *s)
{
	for (uint32_t i = 0; i < s->stack_cache->n_slots; i++)
		free(s->stack_cache->slots[i].frames);
	free(s->stack_cache->slots);
	*s->stack_cache = (struct stack_cache){0};
}

void stacks_close(struct session *s)
{
	deferred_strings_forget(s);
	stack_sweep_free(s->stack_sweep);
	if (!s->stack_cache)
		return;
	stacks_forget(s);
	free(s->stack_cache);
}

void stacks_note(struct session *s, const struct sonde_stack_event *ev)
{
	if (!s->usyms)
		return;
	usyms_note_stack(s->usyms, ev->tgid, ev->exec_id, ev->time_ns);
	stack_sweep_note(s->stack_sweep, ev);
}
