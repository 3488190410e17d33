/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Shared by the two halves of a capture: the half that is compiled with the script (stack.bpf.c),
 * and the half that is linked to it (keep*.bpf.c).
 */
#pragma once
#include "bpf_helpers/bpf.h"
#include "bpf_helpers/walk.h"

enum {
	HEADER_WORDS = sizeof(struct sonde_stack) / 8 - SONDE_MAX_FRAMES,
	SEEN = 256, /* a power of two */
};

struct scratch {
	uint64_t busy; /* bit i: slot i is in use */
	/* Hashes of stacks that are in the store and announced to user space. They save most
	 * captures a look-up in the store. */
	uint64_t seen[SEEN];
	uint64_t class; /* enum sonde_reason of the last stack of a thread that left the CPU */
	struct sonde_walk slot[SONDE_SCRATCH_SLOTS];
};

SHARED struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, uint32_t);
	__type(value, struct scratch);
} sonde_stack_scratch SEC(".maps");

SHARED struct {
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

static inline INLINE uint64_t *seen_at(struct scratch *s, uint64_t hash)
{
	uint64_t i = hash;

	barrier_var(i); /* the verifier must see the mask */
	return &s->seen[i & (SEEN - 1)];
}

/* Is the address in the range? Without a branch, of which the verifier follows both sides: a
 * difference that is not negative is less than the size if subtracting the size makes it so. */
static inline INLINE uint32_t in_range(const volatile struct sonde_range *r, uint64_t ip)
{
	uint64_t start = r->start, from_start = ip - start, size = r->end - start;

	return (from_start - size & ~from_start) >> 63;
}

/* Frames of a kernel stack that come twice. On arm64, in a program that a tracepoint or trampoline
 * calls, the kernel's walk starts at the return address of its own helper, and finds it again in
 * that helper's frame (perf_arch_fetch_caller_regs()). */
static inline INLINE uint32_t repeated_frames(const uint64_t *ips)
{
#ifdef SONDE_TARGET_arm64
	return ips[0] == ips[1];
#else
	return 0;
#endif
}

enum keep_flags {
	KEEP_BY_FP = 1, /* the stack was captured by frame pointers */
	KEEP_EXITS = 2, /* the thread is exiting */
};

/* Store the stack in a slot of the scratch memory under its hash. Returns the hash; 0: no stack.
 * `got`: bytes that bpf_get_stack() wrote, or frames that a walk found. `limit`: max. number of
 * frames, 0: all. `frames_of`: KEEP_FRAMES_OF() of the program. The caller has set tgid and exec_id
 * of a user stack. */
uint64_t sonde_keep_kernel(uint32_t slot, long got, uint64_t frames_of, uint32_t probe,
			   uint32_t limit);
uint64_t sonde_keep_user(uint32_t slot, long got, uint32_t probe, uint32_t limit, uint32_t flags);

/* arm64: the caller of the function at `pc`, if it is in x30 (`link`) and in no frame; else 0.
 * `next`: what the kernel's walk found behind `pc`. */
uint64_t sonde_keep_link(uint32_t slot, uint64_t pc, uint64_t link, uint64_t next);

/* A program's number, how many frames at the top of the kernel stack are its own, and flags. */
#define KEEP_FRAMES_OF(prog, program_frames) ((uint64_t)(prog) << 32 | (program_frames))
enum {
	KEEP_FRAMES = 0xff,
	KEEP_LEAVES = 0x100, /* the thread leaves the CPU: leave out the scheduler's frames */
	KEEP_LATE = 0x200,   /* it has come back */
};

/* Kernel stacks that are recalled (keep_recall.bpf.c). The caller has set context and regs of the
 * walk in `slot`. sonde_recall() returns the hash if the stack is known; if not, the caller
 * captures it and sonde_recall_keep() stores it. */
uint64_t sonde_recall(uint32_t slot, uint64_t frames_of, uint32_t limit);
uint64_t sonde_recall_keep(uint32_t slot, long bytes, uint64_t frames_of, uint32_t probe,
			   uint32_t limit);

/* The reason (enum sonde_reason) by the kernel stack that was captured into a slot of the scratch
 * memory: the row in reasons.def of the innermost function that has one. It is found when a stack
 * is captured, and kept in the stack's trail (keep_recall.bpf.c). After each capture or recall it
 * is in scratch->class. */
uint64_t sonde_reason_find(uint32_t slot);

/* What the kernel does (enum sonde_context) by the kernel stack in a slot. */
uint64_t sonde_context_find(uint32_t slot);
