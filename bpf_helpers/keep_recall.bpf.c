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
 *
 * Loops are callbacks of bpf_loop(), which the verifier follows once, and not for each iteration.
 */
#include "bpf_helpers/bpf.h"
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
	/* WORD_OF(), the lowest first. The last block is filled with copies of the last word. */
	uint64_t words[TRAIL_WORDS + BLOCK];
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

struct comparison {
	const struct trail *t;
	const struct run *r;
	uint64_t differ;
};

/* Compare a block of words, without branches. */
static long compare_block(uint32_t i, void *ctx)
{
	struct comparison *c = ctx;
	struct reader from = reader_of(c->r);
	uint64_t first = i, differ = 0;

	OPAQUE(first);
	first = first % (TRAIL_WORDS / BLOCK) * BLOCK;
#pragma unroll
	for (uint32_t k = 0; k < BLOCK; k++) {
		uint64_t word = c->t->words[first + k];

		differ |= word_at(&from, WORD_AT(word)) ^ WORD_VALUE(word);
	}
	c->differ |= differ;
	return 0;
}

/* Does the stack have all words of the trail? */
GLOBAL uint32_t sonde_recall_same(const struct trail *t, const struct run *r)
{
	struct comparison c = {.t = t, .r = r};

	if (!t || !r)
		return 0;
	bpf_loop((t->n + BLOCK - 1) / BLOCK, compare_block, &c, 0);
	return !c.differ;
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
