/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Stores kernel stacks in the stack store.
 */
#include "bpf_helpers/keep.h"

/* Max. frames that are not shown: also those of tracer_frames() and scheduler_frames(). */
enum { MAX_SKIP = SONDE_TRACER_FRAMES + 1 + 3 + 2 };

GLOBAL uint32_t sonde_keep_lose(uint32_t probe, uint32_t cause, uint32_t n)
{
	sonde_loss_add(probe, cause, n);
	return 0;
}

struct hashing {
	const struct sonde_frames *frames;
	uint64_t hash;
};

static long hash_block(uint32_t i, void *ctx)
{
	struct hashing *s = ctx;
	uint64_t first = i, h = s->hash;

	barrier_var(first); /* the verifier must see the bound */
	first = first % (sizeof(s->frames->ips) / 8 / BLOCK) * BLOCK;
#pragma unroll
	for (uint32_t j = 0; j < BLOCK; j++)
		h = h * FACTOR + s->frames->ips[first + j];
	s->hash = h;
	return 0;
}

/* The hash is a polynomial, computed in blocks by a callback, which the verifier follows once. The
 * words after the last frame are zero: the kernel clears the rest of the buffer, and the slack
 * after it is never written. */
GLOBAL uint64_t sonde_keep_hash(const struct sonde_frames *frames, uint32_t n, uint64_t seed)
{
	struct hashing s = {frames, seed};

	if (!frames)
		return 0;
	bpf_loop(n ? (n + BLOCK - 1) / BLOCK : 1, hash_block, &s, 0);
	return s.hash;
}

/* How many of the first frames belong to the tracer, in a program that a tracepoint calls:
 * `program_frames` of the program, then those of bpf_trace_runN, __bpf_trace_EVENT and
 * __traceiter_EVENT, as far as they are present. */
static INLINE uint32_t tracer_frames(const uint64_t *ips, uint64_t prog, uint32_t program_frames)
{
	uint32_t skip = program_frames + repeated_frames(ips), is_more = 1;

	/* 64 bits, whose bound the verifier of 6.1 keeps when they are spilled */
	barrier_var(prog);
	if (prog >= SONDE_MAX_PROGS)
		return skip;
	for (int i = 0; i < 3; i++) {
		uint64_t ip = ips[skip & 15];

		is_more &= in_range(&sonde_config.trace_run, ip) |
			   in_range(&sonde_config.frames[prog][SONDE_FRAME_TRACEITER], ip) |
			   in_range(&sonde_config.frames[prog][SONDE_FRAME_BPF_TRACE], ip);
		skip += is_more;
	}
	return skip;
}

/* The frames of __schedule() and schedule(), which say nothing about a wait, follow those of the
 * tracer. */
static INLINE uint32_t scheduler_frames(const uint64_t *ips, uint32_t skip)
{
	skip++;
	return skip + in_range(&sonde_config.schedule, ips[skip & 15]);
}

/* Hide a number from the verifier by a store and a load: it follows the rest once, and not once for
 * each path to here. */
static INLINE uint64_t hide(uint64_t *place, uint64_t n)
{
	*(volatile uint64_t *)place = n;
	return *(volatile uint64_t *)place;
}

/* Store the stack at `st` under `hash`. */
static INLINE struct sonde_stack *store_kernel(struct sonde_stack *st, uint64_t hash,
					       uint32_t probe)
{
	struct sonde_stack *kept = bpf_map_lookup_elem(&sonde_stacks, &hash);

	return kept ? kept : put(st, hash, BPF_NOEXIST, probe);
}

GLOBAL uint64_t sonde_keep_kernel(uint32_t slot, long got, uint64_t frames_of, uint32_t probe,
				  uint32_t limit)
{
	struct scratch *s = scratch_get();
	uint64_t hash, n, skip, *words, *seen;
	struct sonde_stack *st;

	if (!s)
		return 0;
	words = taken_slot(s, slot)->words;
	skip = tracer_frames(words + HEADER_WORDS, frames_of >> 32, frames_of & KEEP_FRAMES);
	if (frames_of & KEEP_LEAVES && skip > (frames_of & KEEP_FRAMES))
		skip = scheduler_frames(words + HEADER_WORDS, skip);
	skip = hide(words, skip);
	if (got < 0)
		sonde_keep_lose(probe, SONDE_LOSS_STACK_FAILED, 1);
	if (got < 0 || skip > MAX_SKIP || (uint64_t)got / 8 <= skip)
		return 0;
	st = (struct sonde_stack *)(words + skip);
	n = end_capture(st, got, skip, probe, limit);
	if (frames_of & KEEP_LATE)
		st->end = UNWIND_LATE;
	hash = hash_frames(st, n, n ^ (uint64_t)st->end << 32);
	st->tgid = 0;
	st->exec_id = 0;
	st->sent = 0;
	st->seen = 0;
	st->time_ns = 0;
	seen = seen_at(s, hash);
	if (*seen != hash && store_kernel(st, hash, probe))
		*seen = hash;
	return hash;
}

#ifdef SONDE_TARGET_arm64

/* Instructions: the bits that tell, and their values. */
enum {
	CALL_MASK = 0xfc000000, /* bl */
	CALL = 0x94000000,
	JUMP = 0x14000000,	      /* b */
	RETURN = 0xd65f03c0,	      /* ret */
	SETS_FRAME_MASK = 0xffc003ff, /* add x29, sp, N */
	SETS_FRAME = 0x910003fd,
	LEAVES_MASK = 0xfe407fff, /* ldp x29, x30, [sp…] */
	LEAVES = 0xa8407bfd,
	EPILOGUE = 3, /* instructions from there to the return, at most */
};

struct code {
	const uint32_t *words;
	uint64_t sets_frame;
};

/* Without a branch, of which the verifier follows both sides. */
static long look_for_frame(uint32_t i, void *ctx)
{
	struct code *c = ctx;
	uint64_t at = i, word;

	barrier_var(at);
	word = c->words[at & (WALK_WINDOW / 4 - 1)];
	c->sets_frame |= ((word & SETS_FRAME_MASK) ^ SETS_FRAME) - 1;
	return 0;
}

/* Has the function that x30's call went to made no frame before `pc`? It has none there if no
 * instruction between sets x29; if `pc` is in another function that follows, which has made the
 * call, then that one's does. */
static INLINE uint32_t is_before_frame(struct sonde_walk *w, uint64_t pc, uint64_t link)
{
	struct code code = {.words = (const uint32_t *)w->window};
	uint32_t call, n;
	uint64_t bytes;

	if (bpf_probe_read_kernel(&call, sizeof(call), (void *)(link - 4)) ||
	    (call & CALL_MASK) != CALL)
		return 0;
	/* the distance is in words, of 26 bits with a sign */
	bytes = pc - (link - 4 + (int64_t)((int32_t)(call << 6) >> 4));
	if (bytes > WALK_WINDOW || bytes & 3)
		return 0;
	n = bytes / 4;
	if (bytes && bpf_probe_read_kernel(w->window, bytes, (void *)(pc - bytes)))
		return 0;
	bpf_loop(n, look_for_frame, &code, 0);
	return !(code.sets_frame >> 63);
}

/* Has the function left its frame, a few instructions before? */
static INLINE uint32_t is_behind_frame(uint64_t pc)
{
	uint32_t words[EPILOGUE];

	if (bpf_probe_read_kernel(words, sizeof(words), (void *)(pc - sizeof(words))))
		return 0;
#pragma unroll
	for (int i = EPILOGUE - 1; i >= 0; i--) {
		if ((words[i] & LEAVES_MASK) == LEAVES)
			return 1;
		if (words[i] == RETURN || (words[i] & CALL_MASK) == JUMP)
			return 0;
	}
	return 0;
}

GLOBAL uint64_t sonde_keep_link(uint32_t slot, uint64_t pc, uint64_t link, uint64_t next)
{
	struct scratch *s = scratch_get();

	link |= 0xffffull << 48; /* without the code that pointer authentication puts there */
	if (!s || link == next)
		return 0;
	return is_before_frame(taken_slot(s, slot), pc, link) || is_behind_frame(pc) ? link : 0;
}

#endif
