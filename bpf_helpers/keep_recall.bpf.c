/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * A cache of kernel stacks: those of threads that leave the CPU, and those at system calls. The
 * kernel's unwinder takes 0.8 to 1.6 us, and nearly always finds a stack that it found before. A
 * cache entry is called a trail: it has the words of stack memory that held the stack's return
 * addresses, with their places. If all words of a trail are unchanged, the stack is recalled: it is
 * taken from the cache. Otherwise the kernel unwinds it. Both ways give the same stack:
 *
 * - The context is in the frame of bpf_trace_runN, which calls the program. Go up from there. For
 *   the same call site, a frame's return address is at a fixed distance from the end of the frame
 *   below, because kernel functions have frames of fixed size. So if each return address of a stack
 *   is where it was, the callers are the same, from the innermost to the outermost. A stale return
 *   address that an earlier call left on the stack is never taken for a live one.
 * - The function called by the entry code has a frame of variable size: a random gap
 *   (CONFIG_RANDOMIZE_KSTACK_OFFSET). Its return address is the word below the saved registers, and
 *   is compared there. It identifies the entry code, and so the function that the entry code
 *   called. No other frame lies between, because that function is not entered twice.
 *
 * A new trail has every word between the context and the saved registers that equals a return
 * address of the stack. Some of these words may be stale, but the trail is correct from the
 * beginning: a stale word can only differ, and then the kernel unwinds. If the kernel finds the
 * same stack, the words that differed were stale, and are removed from the trail.
 *
 * A stack has no trail if
 * - no word holds one of its addresses, or return probes or the function graph tracer have replaced
 *   a return address;
 * - an interrupt preempted the thread in the kernel: the processor aligns the saved registers in
 *   the middle of the stack;
 * - it has more than MOST_FRAMES frames, DEPTH bytes, or TRAIL_WORDS words.
 *
 * A function that aligns its frame has a frame of variable size. When the size changes, the live
 * words above it differ. When an address has no word left, the trail is dropped.
 *
 * Each CPU has its own trails. Only the run that has the first scratch slot uses them, so there is
 * one user at a time. The hash in a trail is always in the stack store, since kernel stacks are not
 * removed from the store while tracing.
 *
 * This is for x86-64: other machines have no return address below the saved registers.
 */
#include "bpf_helpers/keep.h"

enum {
	PLACES = 2,	  /* trails of the same key */
	TRAIL_WORDS = 64, /* a power of two */
	STACK_WORDS = 512,
	REGS_WORDS = 17, /* of the saved registers that are used */
	DEPTH = (STACK_WORDS - REGS_WORDS) * 8,
	MOST_FRAMES = 48, /* above the context, without the last: a bit for each */
	STRIKES = 8,	  /* after so many other stacks in a row, a trail is replaced */
	REG_ORIG_AX = 15, /* struct pt_regs, in words */
	REG_IP = 16,
	RECALL_PART = 32,
	SCHEDULE_BEFORE = 4, /* schedule() is among the first frames above the context */
};

/* A trail: the cache entry of a kernel stack. `class` is the enum sonde_reason of the stack.
 * `strikes` counts the captures of other stacks with this key since the last recall. */
struct trail {
	uint64_t key;
	uint64_t of; /* program and limit: what is shown of the stack */
	uint64_t hash;
	uint64_t class;
	uint64_t last; /* the outermost return address */
	uint32_t n;    /* 0: the stack is not recalled */
	uint32_t n_frames;
	uint64_t strikes;
	uint64_t words[TRAIL_WORDS]; /* WORD_OF(), the lowest first */
};

/* A word of the stack, and its place in words from the context. Code of the kernel is in the
 * highest 2 GiB. */
#define WORD_OF(word, at) ((word) << 32 | (at))
#define WORD_VALUE(w) ((uint64_t)((int64_t)(w) >> 32))
#define WORD_AT(w) ((uint64_t)(uint32_t)(w))

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SONDE_TRAILS);
	__type(key, uint32_t);
	__type(value, struct trail);
} sonde_trails SEC(".maps");

/* The stack of the current run. */
struct run {
	uint64_t base;	      /* address of the context */
	uint64_t recalled;    /* hash, or 0 */
	uint32_t n;	      /* words up to the saved registers; 0: no trail can be left */
	uint32_t caller_at;   /* word with the caller of schedule(), for keys; may be wrong */
	uint32_t first;	      /* the first of the fresh.n_frames frames that words must hold */
	uint64_t found;	      /* bit i: a word holds the address of the frame first + i */
	uint32_t is_odd;      /* no trail: a frame of variable size, or a replaced address */
	uint32_t caller;      /* 1 + number of the frame that called schedule(); 0: none did */
	uint32_t caller_next; /* another word that holds its address */
	struct trail fresh;
	uint8_t frame[STACK_WORDS];  /* 1 + index of the frame that a word holds; 0: none */
	uint64_t stack[STACK_WORDS]; /* the stack, where it is not read word by word */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct run);
} sonde_recall_run SEC(".maps");

static INLINE struct run *run_get(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&sonde_recall_run, &zero);
}

/* How words are read: `how` is sonde_config.recall, a constant to the verifier. */
struct reader {
	const uint64_t *stack;
	uint64_t base;
	uint32_t how, type;
};

static INLINE struct reader reader_of(const struct run *r)
{
	return (struct reader){r->stack, r->base, sonde_config.recall, sonde_config.pt_regs};
}

/* Word i above the context. */
static INLINE uint64_t word_at(const struct reader *from, uint64_t i)
{
	const uint64_t *(*cast)(uint64_t address, uint32_t type) = (void *)SONDE_KFUNC_RDONLY_CAST;

	if (from->how == SONDE_RECALL_DIRECT)
		return *cast(from->base + i * 8, from->type);
	OPAQUE(i);
	return from->stack[i & (STACK_WORDS - 1)];
}

/* ---- recall ------------------------------------------------------------------------------- */

/* Does the stack have all words of the trail? There is no branch in the comparison, since the
 * verifier follows both sides of each. */
GLOBAL uint32_t sonde_recall_same(const struct trail *t, const struct run *r)
{
	struct reader from;
	uint64_t differ = 0, n;

	if (!t || !r)
		return 0;
	from = reader_of(r);
	n = t->n;
	LOOP for (uint64_t i = 0; i < TRAIL_WORDS; i++)
	{
		OPAQUE(n);
		if (i >= n)
			break;
		differ |= word_at(&from, WORD_AT(t->words[i])) ^ WORD_VALUE(t->words[i]);
	}
	return !differ;
}

/* The key of the stack; a wrong key costs time only. It contains the offset in its page of the
 * instruction that called the kernel, which is the same in all processes. An instruction that was
 * interrupted says nothing, and is left out. */
static INLINE uint64_t key_of(const struct run *r, const struct reader *from)
{
	uint64_t call = word_at(from, r->n + REG_ORIG_AX), ip = word_at(from, r->n + REG_IP);
	uint64_t caller = r->caller_at < r->n ? word_at(from, r->caller_at) : 0;

	if (!(r->fresh.of & KEEP_LEAVES)) /* all system calls have the same few stacks */
		return r->fresh.of * FACTOR;
	if ((int64_t)call < 0)
		ip = 0;
	return ((ip & (PAGE - 1)) ^ call << 48 ^ caller << 17 ^ r->fresh.of << 7) * FACTOR;
}

static INLINE struct trail *trail_at(uint64_t key, uint32_t place)
{
	uint32_t index = (key >> 32 & sonde_config.trails_mask / PLACES) * PLACES + place;

	return bpf_map_lookup_elem(&sonde_trails, &index);
}

static INLINE uint32_t is_trail_of(const struct trail *t, const struct run *r)
{
	return t->key == r->fresh.key && t->of == r->fresh.of && t->hash;
}

/* The lengths of a stack that is read as a whole are from here to DEPTH. */
enum { DEPTH_LEAST = 64 };

/* Returns the hash of the stack of the program that has taken this slot; 0: it must be captured. */
GLOBAL uint64_t sonde_recall(uint32_t slot, uint64_t frames_of, uint32_t limit)
{
	struct scratch *s = scratch_get();
	struct run *r = run_get();
	struct sonde_walk *w;
	struct reader from;
	uint64_t depth, last;

	if (!s || !r || slot || sonde_config.recall < SONDE_RECALL_READ)
		return 0;
	w = taken_slot(s, slot);
	depth = w->regs - w->context;
	r->n = 0;
	r->recalled = 0;
	if (depth < DEPTH_LEAST || depth > DEPTH || depth & 7)
		return 0;
	if (sonde_config.recall == SONDE_RECALL_READ &&
	    bpf_probe_read_kernel(r->stack, depth + REGS_WORDS * 8, (void *)w->context))
		return 0;
	r->base = w->context;
	r->n = depth / 8;
	r->fresh.of = frames_of ^ limit << 16;
	from = reader_of(r);
	r->fresh.key = key_of(r, &from);
	last = word_at(&from, r->n - 1);
#pragma unroll
	for (uint32_t place = 0; place < PLACES; place++) {
		struct trail *t = trail_at(r->fresh.key, place);

		if (!t)
			return 0;
		if (!is_trail_of(t, r) || t->last != last || !t->n ||
		    WORD_AT(t->words[(t->n - 1) & (TRAIL_WORDS - 1)]) >= r->n ||
		    !sonde_recall_same(t, r))
			continue;
		if (t->strikes)
			t->strikes = 0;
		if (frames_of & KEEP_LEAVES)
			s->class = t->class;
		r->recalled = t->hash;
		return t->hash;
	}
	return 0;
}

/* ---- trails of captured stacks ------------------------------------------------------------- */

/* Frame first + i. Only one end of a range of frames is tested: with both, the verifier would
 * follow each combination. */
static INLINE uint64_t frame_at(const struct sonde_frames *frames, uint64_t first, uint32_t i)
{
	uint64_t at = first + i;

	OPAQUE(at);
	return frames->ips[at & 127];
}

/* Find the frame with this address among n frames. Returns 1 + its number; 0: none has it. */
GLOBAL uint32_t sonde_recall_frame(const struct sonde_frames *frames, uint32_t first, uint32_t n,
				   uint64_t ip)
{
	if (!frames)
		return 0;
	LOOP for (uint32_t i = 0; i < MOST_FRAMES; i++)
	{
		OPAQUE(n);
		if (i >= n)
			break;
		if (frame_at(frames, first, i) == ip)
			return i + 1;
	}
	return 0;
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

/* Note whether a word of the stack holds the address of a frame. */
GLOBAL uint32_t sonde_recall_word(struct run *r, const struct sonde_frames *frames, uint32_t i)
{
	struct reader from;
	uint64_t at = i, word;
	uint32_t frame = 0;

	if (!r || !frames)
		return 0;
	from = reader_of(r);
	word = word_at(&from, at);
	if (word >> 31 == ~0ull >> 31) {
		r->is_odd |= is_replacement(word);
		frame = sonde_recall_frame(frames, r->first, r->fresh.n_frames, word);
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

/* The same for the words of a part of the stack. */
GLOBAL uint32_t sonde_recall_part(struct run *r, const struct sonde_frames *frames, uint32_t from)
{
	uint32_t n;

	if (!r || !frames || r->n <= from)
		return 0;
	n = r->n - 1 - from; /* without the last frame's */
	LOOP for (uint32_t i = 0; i < RECALL_PART; i++)
	{
		OPAQUE(n);
		if (i >= n)
			break;
		sonde_recall_word(r, frames, from + i);
	}
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
	LOOP for (uint32_t i = 0; i < STACK_WORDS; i += RECALL_PART)
	{
		sonde_recall_part(r, frames, i);
	}
	if (r->caller && word_at(&from, r->caller_at) != frame_at(frames, r->first, r->caller - 1))
		r->caller_at = r->caller_next;
	return !r->is_odd && r->found == all_found(r) && r->fresh.n <= TRAIL_WORDS;
}

/* Keep a word of a trail if it is not stale. */
GLOBAL uint32_t sonde_recall_still(struct run *r, const struct trail *t, uint32_t i)
{
	struct reader from;
	uint64_t at, word;
	uint32_t frame;

	if (!t || !r)
		return 0;
	from = reader_of(r);
	i &= TRAIL_WORDS - 1;
	at = WORD_AT(t->words[i]);
	word = WORD_VALUE(t->words[i]);
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
	uint32_t n;

	if (!t || !r)
		return 0;
	n = t->n;
	r->fresh.n = 0;
	r->found = 0;
	LOOP for (uint32_t i = 0; i < TRAIL_WORDS; i++)
	{
		OPAQUE(n);
		if (i >= n)
			break;
		sonde_recall_still(r, t, i);
	}
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
	*t = r->fresh;
	return 0;
}

/* For scripts without `reason`. */
__attribute__((weak)) GLOBAL uint64_t sonde_reason_find(uint32_t slot)
{
	return slot ? SONDE_REASON_NONE : SONDE_REASON_NONE;
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
		sonde_loss_count(probe, SONDE_LOSS_RECALL);
	return hash;
}
