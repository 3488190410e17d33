/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Leaves trails of kernel stacks that were captured, by which keep_recall.bpf.c recalls them.
 */
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/keep.h"

/* Frame first + i. Only one end of a range of frames is tested: with both, the verifier would
 * follow each combination. */
static INLINE uint64_t frame_at(const struct sonde_frames *frames, uint64_t first, uint32_t i)
{
	uint64_t at = first + i;

	OPAQUE(at);
	return frames->ips[at & 127];
}

struct frame_search {
	const struct sonde_frames *frames;
	uint64_t ip;
	uint32_t first, found;
};

static long compare_frame(uint32_t i, void *ctx)
{
	struct frame_search *s = ctx;

	if (frame_at(s->frames, s->first, i) != s->ip)
		return 0;
	s->found = i + 1;
	return 1;
}

/* Find the frame with this address among n frames. Returns 1 + its number; 0: none has it. */
GLOBAL uint32_t sonde_recall_frame(const struct sonde_frames *frames, uint32_t first, uint32_t n,
				   uint64_t ip)
{
	struct frame_search s = {.frames = frames, .ip = ip, .first = first};

	if (!frames)
		return 0;
	bpf_loop(n, compare_frame, &s, 0);
	return s.found;
}

static INLINE uint32_t is_replacement(uint64_t word)
{
	uint32_t is = 0;

#pragma unroll
	for (uint32_t i = 0; i < SONDE_RETURN_TRAMPOLINES; i++)
		is |= word == sonde_config.trampolines[i];
	return is;
}

static INLINE void add_word(struct run *r, uint64_t at, uint64_t word, uint32_t frame)
{
	uint64_t n = r->fresh.n++;

	OPAQUE(n);
	n &= TRAIL_WORDS - 1;
	r->fresh.words[n] = WORD_OF(word, at);
	r->found |= 1ull << ((frame - 1) & 63);
}

struct scan {
	struct run *r;
	const struct sonde_frames *frames;
};

/* Note whether a word of the stack holds the address of a frame. */
static long scan_word(uint32_t i, void *ctx)
{
	struct scan *s = ctx;
	struct run *r = s->r;
	struct reader from = reader_of(r);
	uint64_t at = i, word = word_at(&from, at);
	uint32_t frame = 0;

	if (word >> 31 == ~0ull >> 31) {
		r->is_odd |= is_replacement(word);
		frame = sonde_recall_frame(s->frames, r->first, r->fresh.n_frames, word);
	}
	OPAQUE(at);
	at &= STACK_WORDS - 1;
	r->frame[at] = frame;
	if (!frame)
		return 0;
	/* the entry code of an interrupt: registers are above it */
	r->is_odd |= in_range(&sonde_config.entry, word);
	/* the first word with the caller, or the next one after the last */
	if (frame == r->caller &&
	    (!r->caller_next || (r->caller_next <= r->caller_at && at > r->caller_at)))
		r->caller_next = at;
	add_word(r, at, word, frame);
	return 0;
}

static INLINE uint64_t all_found(const struct run *r)
{
	return (1ull << (r->fresh.n_frames & 63)) - 1;
}

/* Which frame called schedule(): 1 + its number; 0: none did. */
static INLINE uint32_t find_caller(const struct run *r, const struct sonde_frames *frames)
{
	uint32_t caller = 0;

#pragma unroll
	for (uint32_t i = 0; i < SCHEDULE_BEFORE; i++)
		caller += in_range(&sonde_config.schedule, frame_at(frames, r->first, i)) * (i + 2);
	return caller;
}

/* Prepare the trail of a stack that was captured: `bytes` of frames. Returns 0 if it has none. */
GLOBAL uint32_t sonde_recall_read(struct run *r, const struct sonde_frames *frames, long bytes,
				  uint32_t program_frames)
{
	uint64_t n = (uint64_t)bytes / 8;
	struct scan scan = {r, frames};
	struct reader from;

	if (!r || !frames || !r->n || r->recalled)
		return 0;
	r->first = program_frames + 1;
	r->fresh.n_frames = n - 1 - r->first;
	/* bpf_trace_runN called the program; there are more frames; not more than fit */
	if (bytes < 0 || n < r->first + 2 || n >= SONDE_MAX_FRAMES ||
	    r->fresh.n_frames > MOST_FRAMES ||
	    !in_range(&sonde_config.trace_run, frames->ips[program_frames & 15]))
		return 0;
	from = reader_of(r);
	r->fresh.last = word_at(&from, r->n - 1);
	OPAQUE(n);
	if (frames->ips[(n - 1) & 127] != r->fresh.last)
		return 0;
	r->fresh.n = 0;
	r->found = 0;
	r->is_odd = 0;
	r->caller = find_caller(r, frames);
	r->caller_next = 0;
	bpf_loop(r->n - 1, scan_word, &scan, 0); /* without the last frame's */
	if (r->caller && word_at(&from, r->caller_at) != frame_at(frames, r->first, r->caller - 1))
		r->caller_at = r->caller_next;
	return !r->is_odd && r->found == all_found(r) && r->fresh.n <= TRAIL_WORDS;
}

struct pruning {
	struct run *r;
	const struct trail *t;
};

/* Keep a word of a trail if it is not stale. */
static long prune_word(uint32_t i, void *ctx)
{
	struct pruning *p = ctx;
	struct run *r = p->r;
	struct reader from = reader_of(r);
	uint64_t at = i, word;
	uint32_t frame;

	OPAQUE(at);
	word = p->t->words[at & (TRAIL_WORDS - 1)];
	at = WORD_AT(word);
	word = WORD_VALUE(word);
	if (at + 1 >= r->n || word_at(&from, at) != word)
		return 0;
	OPAQUE(at);
	frame = r->frame[at & (STACK_WORDS - 1)];
	if (frame)
		add_word(r, at, word, frame);
	return 0;
}

/* The kernel found the stack of this trail, so words that differ are stale. */
GLOBAL uint32_t sonde_recall_prune(struct run *r, const struct trail *t)
{
	struct pruning p = {r, t};

	if (!t || !r)
		return 0;
	r->fresh.n = 0;
	r->found = 0;
	bpf_loop(t->n, prune_word, &p, 0);
	if (r->found != all_found(r))
		r->fresh.n = 0;
	return 0;
}

/* Is it the trail of the stack that was captured? While another tracer uses the tracepoint, too,
 * the stack has one frame more. That frame is not shown, but the words above it are elsewhere. */
static INLINE uint32_t is_trail(const struct trail *t, const struct run *r, uint64_t hash)
{
	return is_trail_of(t, r) && t->hash == hash && t->n_frames == r->fresh.n_frames;
}

/* The trail that this stack may replace: an empty one, or one that was not recalled for long. */
static INLINE struct trail *to_replace(struct trail *t)
{
	return !t->hash || ++t->strikes >= STRIKES ? t : 0;
}

/* Copy the last word of the new trail behind it. */
static INLINE void fill_block(struct run *r)
{
	uint64_t n = r->fresh.n, last;

	OPAQUE(n);
	last = r->fresh.words[(n - 1) & (TRAIL_WORDS - 1)];
	n &= 2 * TRAIL_WORDS - 1; /* TRAIL_WORDS at most */
	n = n > TRAIL_WORDS ? TRAIL_WORDS : n;
#pragma unroll
	for (uint32_t k = 0; k < BLOCK; k++)
		r->fresh.words[n + k] = last;
}

/* Keep the trail that was prepared, of the stack `hash`. */
GLOBAL uint32_t sonde_recall_learn(struct run *r, uint64_t hash, uint64_t class)
{
	struct trail *t, *other;

	if (!r)
		return 0;
	t = trail_at(r->fresh.key, 0);
	other = trail_at(r->fresh.key, 1);
	if (!t || !other)
		return 0;
	if (is_trail(other, r, hash))
		t = other;
	if (is_trail(t, r, hash))
		sonde_recall_prune(r, t);
	else
		t = to_replace(t) ?: to_replace(other);
	if (!t)
		return 0;
	r->fresh.hash = hash;
	r->fresh.class = class;
	fill_block(r);
	bpf_probe_read_kernel(t, sizeof(*t), &r->fresh);
	return 0;
}

/* For scripts without `reason` and `context`. */
__attribute__((weak)) GLOBAL uint64_t sonde_reason_find(uint32_t slot)
{
	return slot ? SONDE_REASON_NONE : SONDE_REASON_NONE;
}

__attribute__((weak)) GLOBAL uint64_t sonde_context_find(uint32_t slot)
{
	return slot ? SONDE_CONTEXT_thread : SONDE_CONTEXT_thread;
}

/* Store the stack that the kernel has captured into this slot, as sonde_keep_kernel() does, and
 * leave its trail. Returns its hash. */
GLOBAL uint64_t sonde_recall_keep(uint32_t slot, long bytes, uint64_t frames_of, uint32_t probe,
				  uint32_t limit)
{
	struct scratch *s = scratch_get();
	struct run *r = run_get();
	const struct sonde_frames *frames;
	uint32_t recalls = sonde_config.recall >= SONDE_RECALL_READ && !slot, is_read = 0;
	uint64_t hash;

	if (!s || !r)
		return 0;
	frames = (const void *)(taken_slot(s, slot)->words + HEADER_WORDS);
	if (frames_of & KEEP_LEAVES)
		s->class = sonde_reason_find(slot);
	if (recalls)
		is_read = sonde_recall_read(r, frames, bytes, frames_of & KEEP_FRAMES);
	hash = sonde_keep_kernel(slot, bytes, frames_of, probe, limit);
	if (is_read && hash && *seen_at(s, hash) == hash)
		sonde_recall_learn(r, hash, s->class);
	if (recalls && r->recalled && r->recalled != hash)
		sonde_keep_lose(probe, SONDE_LOSS_RECALL, 1);
	return hash;
}
