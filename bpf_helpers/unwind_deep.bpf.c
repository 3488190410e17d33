/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Walks (unwind.bpf.c) of deep stacks, such as those of recursions. A walk has at most
 * SONDE_MAX_FRAMES steps. After the innermost WALK_INNER frames, a callback of bpf_loop() passes
 * those that are in the same mapping as the last one. It does less than a step, and so is faster.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/unwind.h"
#include "bpf_helpers/walk.h"

/* Store the frame. Returns the number of frames before it. There is no branch: the verifier would
 * follow the rest of the step twice. */
static INLINE uint64_t add_frame(struct sonde_walk *w)
{
	uint64_t n = w->n_frames++, above = (SONDE_MAX_FRAMES - 1 - n) >> 63, i, last = n;

	OPAQUE(above); /* 1 if there is no room for it */
	i = n | -above;
	OPAQUE(i);
	w->stack.ips[i & 127] = w->ip;
	OPAQUE(last);
	w->words[WALK_OUTER_AT + (last & (WALK_OUTER - 1))] = w->ip;
	return n;
}

/* Read a word of the current thread's stack. */
static INLINE uint32_t read_deep(struct sonde_walk *w, uint64_t address, uint64_t *out)
{
	uint64_t at = address - w->window_at;

	if (at + 8 > w->window_bytes || at > WALK_WINDOW || at & 7) {
		w->window_bytes = 0;
		if (bpf_probe_read_user(w->window, WALK_WINDOW, (void *)address))
			return 0;
		w->window_at = address;
		w->window_bytes = WALK_WINDOW;
		at = 0;
	}
	at >>= 3;
	OPAQUE(at);
	*out = CUT_WORD(w, w->window[at & (WALK_WINDOW / 8 - 1)]);
	return 1;
}

/* Pass a frame by the rule with index `row`, if sp or fp leads to its caller. Returns 0 if it
 * did. It calls no function, since a walk has no call frame left. */
GLOBAL uint32_t sonde_unwind_pass(struct sonde_walk *w, uint32_t row)
{
	uint64_t cfa, ip, fp, how, extra, at;
	struct unwind_rule *rule;

	if (!w)
		return 1;
	fp = w->fp;
	rule = bpf_map_lookup_elem(&sonde_unwind_rules, &row);
	if (!rule || (rule->cfa != UNWIND_SP && rule->cfa != UNWIND_FP))
		return 1;
	cfa = (rule->cfa == UNWIND_FP ? fp : w->sp) + (int64_t)rule->cfa_offset;
	how = UNWIND_SAVED_FP(rule->saved);
	extra = UNWIND_SAVED_EXTRA(rule->saved);
	at = !HAS_LINK			      ? cfa - WORD(w)
	     : extra == UNWIND_EXTRA_AFTER_FP ? cfa + fp_offset(rule) + 8
					      : cfa + UNWIND_EXTRA_OFFSET(extra);
	if (cfa <= w->sp || (HAS_LINK && !extra) || how > UNWIND_FP_AT_CFA ||
	    (how == UNWIND_FP_AT_CFA && !read_deep(w, cfa + fp_offset(rule), &fp)) ||
	    !read_deep(w, at, &ip) || !ip)
		return 1;
	add_frame(w);
	if (!HAS_LINK && extra)
		w->extra_at = extra == UNWIND_EXTRA_UNKNOWN ? EXTRA_UNKNOWN
							    : cfa + UNWIND_EXTRA_OFFSET(extra);
	w->sp = cfa;
	w->fp = fp;
	w->ip = CODE_ADDRESS(ip);
	return 0;
}

struct deep {
	struct sonde_walk *w;
};

static __attribute__((noinline)) long pass_frame(uint64_t i, struct deep *d)
{
	struct sonde_walk *w = d->w;
	uint64_t x = w->ip - 1;
	uint32_t is_end;

	if (w->exact || w->by_fp || x - w->start >= w->bytes || !w->piece)
		return 1;
	is_end = sonde_unwind_pass(w, sonde_unwind_row(w->piece, x - w->origin));
	OPAQUE(is_end);
	return is_end & 1; /* the mask shows the verifier that the result is 0 or 1 */
}

/* Pass frames of a deep stack, up to one that needs a step. */
static INLINE void pass_frames(struct sonde_walk *w, struct sonde_trail *t)
{
	struct deep d = {w};

	t->n_slots = WALK_SLOTS + 1; /* not learnt */
	if (w->n_frames < WALK_DEEP)
		bpf_loop(WALK_DEEP, pass_frame, &d, 0);
}

/* With the gap, there is one frame fewer than fits: as many as fit may be a part. */
enum { OUTER = SONDE_MAX_FRAMES - WALK_INNER - 2 };

GLOBAL uint32_t sonde_unwind_join(struct sonde_walk *w)
{
	uint64_t first;

	if (!w)
		return 0;
	first = w->n_frames - OUTER;
	w->n_frames = SONDE_MAX_FRAMES;
	if (w->end == UNWIND_DEEP || w->n_certain) /* the outermost frames are not known */
		return 0;
	w->n_frames = SONDE_MAX_FRAMES - 1;
	w->stack.ips[WALK_INNER] = SONDE_STACK_GAP;
	LOOP for (uint32_t i = 0; i < OUTER; i++)
	{
		uint64_t from = first + i;

		OPAQUE(from);
		w->stack.ips[WALK_INNER + 1 + i] =
			w->words[WALK_OUTER_AT + (from & (WALK_OUTER - 1))];
	}
	return 0;
}
