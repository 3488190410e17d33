/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Stacks. Frames are captured into per-CPU scratch memory, the tracer's frames are removed, and the
 * rest is hashed to 64 bits and stored once under that hash, which map keys and records hold. The
 * first sighting of a user stack is also sent to user space, which notes the mappings of the
 * process. It counts as sent only if the record could be reserved.
 */
#include "bpf_helpers/helpers.h"
#include "bpf_helpers/unwind.h"

enum {
	HEADER_WORDS = sizeof(struct sonde_stack) / 8 - SONDE_MAX_FRAMES,
	MAX_SKIP = SONDE_TRACER_FRAMES + 3, /* max. tracer frames */
	SEEN = 256,			    /* a power of two */
};

struct scratch {
	uint64_t busy; /* bit i: slot i is in use */
	/* Hashes of stacks in the store that were announced: saves most captures a lookup. */
	uint64_t seen[SEEN];
	struct sonde_walk slot[SONDE_SCRATCH_SLOTS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct scratch);
} sonde_stack_scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SONDE_STACK_ENTRIES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, uint64_t);
	__type(value, struct sonde_stack);
} sonde_stacks SEC(".maps");

static INLINE struct scratch *scratch_get(void)
{
	uint32_t zero = 0;

	return bpf_map_lookup_elem(&sonde_stack_scratch, &zero);
}

static INLINE uint64_t *seen_at(struct scratch *s, uint64_t hash)
{
	uint64_t i = hash;

	barrier_var(i); /* the verifier must see the mask */
	return &s->seen[i & (SEEN - 1)];
}

static INLINE uint32_t in_range(const volatile struct sonde_range *r, uint64_t ip)
{
	return ip >= r->start && ip < r->end;
}

/* How many of the first frames belong to the tracer, in a program called by a tracepoint:
 * `program_frames` of the program, then those of bpf_trace_runN, __bpf_trace_EVENT and
 * __traceiter_EVENT that are present. */
static INLINE uint32_t tracer_frames(const uint64_t *ips, uint32_t prog, uint32_t program_frames)
{
	uint32_t skip = program_frames;

	if (prog >= SONDE_MAX_PROGS)
		return skip;
	for (int i = 0; i < 3; i++) {
		uint64_t ip = ips[skip & 15];

		if (!in_range(&sonde_config.trace_run, ip) &&
		    !in_range(&sonde_config.frames[prog][SONDE_FRAME_TRACEITER], ip) &&
		    !in_range(&sonde_config.frames[prog][SONDE_FRAME_BPF_TRACE], ip))
			break;
		skip++;
	}
	return skip;
}

#define FACTOR 0x9e3779b97f4a7c15ull

static INLINE uint64_t finish(uint64_t h)
{
	h *= FACTOR;
	return h ^ h >> 32;
}

enum { BLOCK = 4 };

/* A polynomial with a final mix, computed in blocks. The verifier walks every iteration, so each
 * instruction per frame adds 0.1 ms to start-up. The words behind the last frame are zero: the
 * kernel clears the rest of the buffer, and the slack behind it is never written. */
static INLINE uint64_t hash_frames(const uint64_t *ips, uint32_t n, uint64_t seed)
{
	uint64_t h = seed;
	uint32_t i = 0;

	barrier_var(n); /* 6.1 derives no bound from i < n, so both tests are needed */
	do {
#pragma unroll
		for (uint32_t j = 0; j < BLOCK; j++)
			h = h * FACTOR + ips[j];
		ips += BLOCK;
		i += BLOCK;
	} while (i < n && i < SONDE_MAX_FRAMES);
	h = finish(h);
	return h ? h : 1;
}

/* Store the stack at `st` under `hash`. */
static INLINE struct sonde_stack *store(struct sonde_stack *st, uint64_t hash, uint32_t *lost)
{
	struct sonde_stack *kept = bpf_map_lookup_elem(&sonde_stacks, &hash);
	long err;

	if (kept)
		return kept;
	err = bpf_map_update_elem(&sonde_stacks, &hash, st, BPF_NOEXIST);
	if (err && err != -EEXIST)
		*lost = SONDE_LOSS_STACK_STORE;
	return bpf_map_lookup_elem(&sonde_stacks, &hash);
}

/* Zero the words that hash_frames() reads behind the last of n frames. */
static INLINE void zero_behind(uint64_t *ips, uint32_t n)
{
#pragma unroll
	for (uint32_t j = 0; j < BLOCK; j++)
		ips[n + j] = 0;
}

/* Cut to `limit` frames (0: no limit). */
static INLINE uint32_t cut_to(uint64_t *ips, uint32_t n, uint32_t limit)
{
	if (!limit || n <= limit)
		return n;
	zero_behind(ips, limit);
	return limit;
}

_Static_assert(UNWIND_DEEP == UNWIND_COMPLETE + 1, "the end of a stack that is cut");

/* Were there more frames than fit? By arithmetic: the verifier would walk everything behind a
 * branch twice. */
static INLINE uint32_t is_cut(uint32_t n, uint32_t limit)
{
	_Static_assert(SONDE_MAX_FRAMES == 127, "the most that seven bits hold");
	return limit ? 0 : (n + 1) >> 7;
}

static INLINE void count_cut(uint32_t cut, uint32_t probe)
{
	if (cut)
		sonde_loss_count(probe, SONDE_LOSS_STACK_DEEP);
}

/* `bytes` of frames were captured at words[HEADER_WORDS]. Drop the first `skip` frames and store
 * the rest. */
static INLINE uint64_t keep(struct scratch *s, uint64_t *words, long bytes, uint32_t skip,
			    uint32_t probe, uint32_t limit, uint32_t *lost)
{
	uint32_t n = (uint32_t)bytes / 8, cut = is_cut(n, limit);
	struct sonde_stack *st;
	uint64_t hash, *seen;

	if (skip > MAX_SKIP || n <= skip)
		return 0;
	st = (struct sonde_stack *)(words + skip);
	n = cut_to(st->ips, n - skip, limit);
	hash = hash_frames(st->ips, n, n);
	count_cut(cut, probe);
	seen = seen_at(s, hash);
	if (*seen == hash)
		return hash;
	st->n_frames = n;
	st->end = UNWIND_COMPLETE + cut;
	st->tgid = 0;
	st->exec_id = 0;
	st->sent = 0;
	st->time_ns = 0;
	if (store(st, hash, lost))
		*seen = hash;
	return hash;
}

static INLINE uint64_t keep_kernel(struct scratch *s, uint64_t *words, long bytes, uint32_t prog,
				   uint32_t program_frames, uint32_t probe, uint32_t limit,
				   uint32_t *lost)
{
	uint64_t *ips = words + HEADER_WORDS;

	if (bytes < 0) {
		*lost = SONDE_LOSS_STACK_FAILED;
		return 0;
	}
	return keep(s, words, bytes, tracer_frames(ips, prog, program_frames), probe, limit, lost);
}

static INLINE uint64_t capture_kernel(struct scratch *s, uint64_t *words, void *ctx, uint32_t prog,
				      uint32_t program_frames, uint32_t probe, uint32_t limit,
				      uint32_t *lost)
{
	long n = bpf_get_stack(ctx, words + HEADER_WORDS, SONDE_MAX_FRAMES * 8, 0);

	return keep_kernel(s, words, n, prog, program_frames, probe, limit, lost);
}

static INLINE uint64_t capture_task(struct scratch *s, uint64_t *words, struct task_struct *task,
				    uint32_t probe, uint32_t limit, uint32_t *lost)
{
	uint64_t *ips = words + HEADER_WORDS;
	long n = bpf_get_task_stack(task, ips, SONDE_MAX_FRAMES * 8, 0);

	if (n < 0) {
		*lost = SONDE_LOSS_STACK_FAILED;
		return 0;
	}
	return keep(s, words, n, 0, probe, limit, lost);
}

/* Announce a stack to user space. Returns 1 if it is known there. */
static INLINE uint32_t announce(struct sonde_stack *kept, uint64_t hash, uint32_t is_unsure,
				uint32_t probe, uint32_t *lost)
{
	struct sonde_stack_event *ev;

	if (!kept || kept->sent)
		return kept != 0;
	ev = sonde_ring_try(sizeof(*ev));
	if (!ev) {
		*lost = SONDE_LOSS_RING_FULL;
		return 0;
	}
	kept->sent = 1;
	ev->head.id = SONDE_EV_STACK;
	ev->head.probe = probe;
	ev->hash = hash;
	ev->time_ns = bpf_ktime_get_ns();
	ev->tgid = kept->tgid;
	ev->exec_id = kept->exec_id;
	kept->time_ns = is_unsure ? 0 : ev->time_ns;
	sonde_ring_submit(ev, sizeof(*ev));
	return 1;
}

_Static_assert((int)SONDE_LOSS_STACK_BAD_FRAME - SONDE_LOSS_STACK_DEEP ==
		       UNWIND_END_COUNT - 1 - UNWIND_DEEP,
	       "a loss for each end of a walk");

/* Have user space read the mappings of the process. If the ring is full, a later walk asks
 * again. */
INLINE void sonde_stack_ask(const struct sonde_walk *w, uint32_t tgid, uint32_t exec_id)
{
	struct sonde_unwind_event *ev = sonde_ring_try(sizeof(*ev));

	if (!ev)
		return;
	ev->head.id = SONDE_EV_UNWIND;
	ev->head.probe = 0;
	ev->address = w->ip;
	ev->tgid = tgid;
	ev->exec_id = exec_id;
	sonde_ring_submit_urgent(ev, sizeof(*ev));
}

static INLINE uint32_t loss_of(uint32_t end)
{
	end -= UNWIND_DEEP;
	return SONDE_LOSS_STACK_DEEP + (end < UNWIND_END_COUNT - UNWIND_DEEP ? end : 0);
}

/* A walk is over: count why it ended early, ask for tables that it missed, and make its `n` frames
 * ready to be hashed. */
INLINE void sonde_stack_end_walk(struct sonde_walk *w, struct task_struct *task, uint32_t n,
				 uint32_t limit, uint32_t tgid, uint32_t exec_id, uint32_t probe)
{
	uint32_t end = n == limit ? UNWIND_COMPLETE : w->end;

	/* the memory of a thread that ends is gone: its stack is marked, but not lost */
	if (end != UNWIND_COMPLETE && !(end == UNWIND_UNREADABLE && sonde_task_exits(task)))
		sonde_loss_count(probe, loss_of(end));
	if (w->must_ask)
		sonde_stack_ask(w, tgid, exec_id);
	barrier_var(n);
	zero_behind(w->stack.ips, n & 127);
	w->stack.end = end;
}

/* Capture by the tables of unwind.h. Returns the number of frames. */
static INLINE uint32_t walk(struct sonde_walk *w, struct task_struct *task, uint32_t tgid,
			    uint32_t exec_id, uint32_t probe, uint32_t limit)
{
	uint32_t n = sonde_unwind_walk(w, tgid, exec_id, limit ? limit : SONDE_MAX_FRAMES,
				       sonde_control.stack_sweeps);

	if (n) /* else it is recalled */
		sonde_stack_end_walk(w, task, n, limit, tgid, exec_id, probe);
	return n;
}

/* Capture by frame pointers. Returns the number of frames. */
static INLINE uint32_t capture_by_fp(struct sonde_stack *st, void *ctx, struct task_struct *task,
				     uint32_t probe, uint32_t limit, uint32_t *lost)
{
	long bytes = bpf_get_stack(ctx, st->ips, SONDE_MAX_FRAMES * 8, BPF_F_USER_STACK);
	uint32_t n, cut;

	if (bytes < 0 && !sonde_task_exits(task))
		*lost = SONDE_LOSS_STACK_FAILED;
	if (bytes < 8)
		return 0;
	n = (uint32_t)bytes / 8;
	cut = is_cut(n, limit);
	n = cut_to(st->ips, n, limit);
	count_cut(cut, probe);
	st->end = UNWIND_COMPLETE + cut;
	return n;
}

static INLINE void learn(struct sonde_walk *w, const struct sonde_stack *st, uint64_t hash,
			 uint32_t by_fp)
{
	if (!by_fp && st->end == UNWIND_COMPLETE)
		sonde_unwind_learn(w, hash);
}

/* Store and announce the user stack of `n` frames in the buffer. */
INLINE uint64_t sonde_stack_keep_user(struct sonde_stack_buffer *buffer, uint32_t n, uint32_t tgid,
				      uint32_t exec_id, uint32_t probe, uint32_t by_fp)
{
	struct scratch *s = buffer->scratch;
	struct sonde_walk *w = buffer->walk;
	struct sonde_stack *st = &w->stack, *kept;
	uint64_t hash, mark, *seen;

	hash = finish(tgid) ^ exec_id ^ (uint64_t)st->end << 32 ^ (by_fp ? 0 : w->files);
	hash = hash_frames(st->ips, n, hash);
	mark = hash ^ sonde_control.stack_sweeps; /* valid until the store is swept */
	seen = seen_at(s, hash);
	if (*seen != mark) {
		st->n_frames = n;
		st->tgid = tgid;
		st->exec_id = exec_id;
		st->sent = 0;
		st->time_ns = 0;
		kept = store(st, hash, &buffer->lost);
		if (!announce(kept, hash, by_fp | w->is_unsure, probe, &buffer->lost))
			return hash;
		*seen = mark;
	}
	learn(w, st, hash, by_fp);
	return hash;
}

static INLINE uint64_t capture_user(struct sonde_stack_buffer *buffer, void *ctx,
				    struct task_struct *task, uint32_t probe, uint32_t limit,
				    uint32_t by_fp)
{
	uint32_t tgid = sonde_number_pid(task), exec_id = sonde_task_exec_id(task), n;

	if (!sonde_task_has_memory(task))
		return 0; /* kernel threads have no user stack */
	by_fp |= !sonde_config.unwinds;
	if (!by_fp)
		n = walk(buffer->walk, task, tgid, exec_id, probe, limit);
	else
		n = capture_by_fp(&buffer->walk->stack, ctx, task, probe, limit, &buffer->lost);
	if (!n)
		return by_fp ? 0 : buffer->walk->hash;
	return sonde_stack_keep_user(buffer, n, tgid, exec_id, probe, by_fp);
}

enum capture { CAPTURE_KERNEL, CAPTURE_TASK, CAPTURE_USER, CAPTURE_USER_FP };

/* The first slot whose bit is clear, by arithmetic: with a branch for each slot the verifier would
 * walk the rest once for each. */
static INLINE uint32_t free_slot(uint64_t busy)
{
	uint64_t b0 = busy & 1, b1 = b0 & busy >> 1, b2 = b1 & busy >> 2, b3 = b2 & busy >> 3;

	_Static_assert(SONDE_SCRATCH_SLOTS == 4, "one term for each slot");
	return b0 + b1 + b2 + b3;
}

/* The steps of a capture: take a scratch slot, keep the stack, give the slot back, count losses.
 * Programs nest (task, softirq, irq, NMI), and uprobe programs are preempted and end in any order,
 * so each slot has a bit of its own. Losses are counted in one place, to save code: apart from a
 * cut stack, at most one thing goes wrong in a capture. */
INLINE uint32_t sonde_stack_take(struct sonde_stack_buffer *buffer)
{
	struct scratch *s = scratch_get();
	uint32_t slot;

	buffer->lost = SONDE_LOSS_COUNT;
	if (!s)
		return 0;
	slot = free_slot(s->busy);
	buffer->bit = 1ull << slot;
	if (slot >= SONDE_SCRATCH_SLOTS ||
	    __sync_fetch_and_or(&s->busy, buffer->bit) & buffer->bit) {
		buffer->lost = SONDE_LOSS_SCRATCH;
		return 0;
	}
	buffer->scratch = s;
	buffer->walk = &s->slot[slot];
	buffer->walk->slot = slot;
	buffer->words = s->slot[slot].words;
	buffer->ips = buffer->words + HEADER_WORDS;
	return 1;
}

INLINE uint64_t sonde_stack_keep(struct sonde_stack_buffer *buffer, long bytes, uint32_t prog,
				 uint32_t program_frames, uint32_t probe)
{
	return keep_kernel(buffer->scratch, buffer->words, bytes, prog, program_frames, probe, 0,
			   &buffer->lost);
}

INLINE uint32_t sonde_stack_is_kept(struct sonde_stack_buffer *buffer, uint64_t hash)
{
	return hash && *seen_at(buffer->scratch, hash) == hash;
}

INLINE void sonde_stack_give(struct sonde_stack_buffer *buffer)
{
	__sync_fetch_and_and(&buffer->scratch->busy, ~buffer->bit);
}

INLINE void sonde_stack_count(const struct sonde_stack_buffer *buffer, uint32_t probe)
{
	if (unlikely(buffer->lost != SONDE_LOSS_COUNT))
		sonde_loss_count(probe, buffer->lost);
}

INLINE uint32_t sonde_stack_in_trace_run(uint64_t ip)
{
	return in_range(&sonde_config.trace_run, ip);
}

static INLINE uint64_t capture(enum capture what, void *ctx, struct task_struct *task,
			       uint32_t prog, uint32_t program_frames, uint32_t probe,
			       uint32_t limit)
{
	struct sonde_stack_buffer buffer;
	uint64_t hash = 0;

	if (sonde_stack_take(&buffer)) {
		if (what == CAPTURE_KERNEL)
			hash = capture_kernel(buffer.scratch, buffer.words, ctx, prog,
					      program_frames, probe, limit, &buffer.lost);
		else if (what == CAPTURE_TASK)
			hash = capture_task(buffer.scratch, buffer.words, task, probe, limit,
					    &buffer.lost);
		else
			hash = capture_user(&buffer, ctx, task, probe, limit,
					    what == CAPTURE_USER_FP);
		sonde_stack_give(&buffer);
	}
	sonde_stack_count(&buffer, probe);
	return hash;
}

/* Kernel stack of the current thread. `program_frames`: frames at the top that belong to the
 * program itself. `limit`: max. number of frames, 0: all. */
INLINE uint64_t sonde_stack_kernel(void *ctx, uint32_t prog, uint32_t program_frames,
				   uint32_t probe, uint32_t limit)
{
	return capture(CAPTURE_KERNEL, ctx, 0, prog, program_frames, probe, limit);
}

/* Kernel stack of a thread that is switched out: where it sleeps. The kernel leaves out the
 * scheduler's functions (stack_trace_save_tsk). */
INLINE uint64_t sonde_stack_task(struct task_struct *task, uint32_t probe, uint32_t limit)
{
	return capture(CAPTURE_TASK, 0, task, 0, 0, probe, limit);
}

/* User stack of the current thread, which is `task`: by frame pointers, or by unwind tables if
 * there can be any. */
INLINE uint64_t sonde_stack_user(void *ctx, struct task_struct *task, uint32_t probe,
				 uint32_t limit, uint32_t by_fp)
{
	return capture(by_fp ? CAPTURE_USER_FP : CAPTURE_USER, ctx, task, 0, 0, probe, limit);
}

/* Why a user stack is not complete (enum unwind_end) */
INLINE uint32_t sonde_stack_end(uint64_t hash)
{
	struct sonde_stack *s = bpf_map_lookup_elem(&sonde_stacks, &hash);

	return s ? s->end : UNWIND_COMPLETE;
}

/* len() of a stack */
INLINE uint64_t sonde_stack_length(uint64_t hash)
{
	struct sonde_stack *s = bpf_map_lookup_elem(&sonde_stacks, &hash);

	return s ? s->n_frames : 0;
}
