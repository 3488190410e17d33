/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * The reason of a wait by the functions on its kernel stack, for scripts that use `reason`, and
 * what the kernel does, for those that use `context`.
 *
 * The program asks the kernel for the name of each return address once (bpf_snprintf), and then
 * keeps the reason of the address in a map. So it needs no addresses of functions, which take 60 ms
 * to read, and functions of modules are known, too.
 */
#include "bpf_helpers/keep.h"

/* The functions of reasons.def, which user space stores before tracing begins. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, SONDE_REASON_NAMES);
	__type(key, char[SONDE_REASON_NAME]);
	__type(value, uint32_t);
} sonde_reasons SEC(".maps");

/* The reasons of return addresses; SONDE_REASON_NONE of most. If it is full, others take longer. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 8192);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, uint64_t);
	__type(value, uint32_t);
} sonde_reason_at SEC(".maps");

const char sonde_symbol_format[] SEC(".rodata.texts") = "%ps";

/* ---- names ------------------------------------------------------------------------------- */

/* The highest bit of the first byte of the word that is `c`; bits above it may be set, too. */
static INLINE uint64_t mark(uint64_t word, uint64_t c)
{
	uint64_t x = word ^ c * 0x0101010101010101ull;

	return (x - 0x0101010101010101ull) & ~x & 0x8080808080808080ull;
}

/* Zero what follows the name of a function: the end of the text, " [module]", or ".isra.0". */
static INLINE void cut_name(uint64_t *name)
{
	uint64_t is_open = ~0ull;

	for (uint32_t i = 0; i < SONDE_REASON_NAME / 8; i++) {
		uint64_t marks = mark(name[i], 0) | mark(name[i], '.') | mark(name[i], ' ');
		uint64_t first = (marks & -marks) >> 7; /* 0: no mark */

		name[i] &= (first - 1) & is_open;
		is_open &= -(uint64_t)(first == 0);
		barrier_var(is_open);
	}
}

/* The row of the function that returns to `ip`. The walk's memory is for kernel stacks, too. */
static INLINE uint32_t reason_at(struct sonde_walk *w, uint64_t ip)
{
	uint32_t reason = SONDE_REASON_NONE, *row;

	w->look = ip;
	w->window[0] = 0;
	bpf_snprintf((char *)w->window, SONDE_REASON_NAME, sonde_symbol_format, &w->look, 8);
	cut_name(w->window);
	row = bpf_map_lookup_elem(&sonde_reasons, w->window);
	if (row)
		reason = *row;
	bpf_map_update_elem(&sonde_reason_at, &w->look, &reason, BPF_ANY);
	return reason;
}

struct stack_search {
	struct sonde_walk *w;
	uint64_t found; /* enum sonde_reason or sonde_context */
	uint64_t last;	/* of a softirq: the last frame that may show whose it is; 0: it is none */
};

enum { STACK_ENDS = ~0u };

/* The row of the function of frame `i`, or STACK_ENDS. */
static INLINE uint32_t row_of_frame(struct sonde_walk *w, uint64_t i)
{
	uint64_t ip, at = HEADER_WORDS + i;
	uint32_t *known;

	barrier_var(at);
	if (at >= sizeof(w->words) / sizeof(*w->words))
		return STACK_ENDS;
	ip = w->words[at];
	if (!ip)
		return STACK_ENDS;
	known = bpf_map_lookup_elem(&sonde_reason_at, &ip);
	return known ? *known : reason_at(w, ip);
}

static __attribute__((noinline)) long reason_step(uint64_t i, struct stack_search *s)
{
	uint32_t row = row_of_frame(s->w, i);

	if (row == STACK_ENDS)
		return 1;
	s->found = row < SONDE_CONTEXT_thread ? row : SONDE_REASON_NONE;
	return s->found != SONDE_REASON_NONE;
}

/* What `step` finds in the stack in a slot, or `otherwise`. */
static INLINE uint64_t search(uint32_t slot, long (*step)(uint64_t, struct stack_search *),
			      uint64_t otherwise)
{
	struct scratch *scratch = scratch_get();
	struct stack_search s = {.found = otherwise};

	if (!scratch)
		return otherwise;
	s.w = taken_slot(scratch, slot);
	bpf_loop(SONDE_MAX_FRAMES, step, &s, 0);
	return s.found;
}

GLOBAL uint64_t sonde_reason_find(uint32_t slot)
{
	return search(slot, reason_step, SONDE_REASON_NONE);
}

/* Frames between the function that runs softirqs and the one that lets them run again. */
enum { SOFTIRQ_FRAMES = 6 };

/* The innermost function with a row decides, unless it runs softirqs: then the thread may have
 * raised them itself, and runs them at the end of its section without softirqs. */
static __attribute__((noinline)) long context_step(uint64_t i, struct stack_search *s)
{
	uint32_t row = row_of_frame(s->w, i);

	if (row == STACK_ENDS || (s->last && i > s->last))
		return 1;
	if (row < SONDE_CONTEXT_thread)
		return 0;
	if (row == SONDE_CONTEXT_softirq) { /* several functions in a row may be such */
		s->found = row;
		s->last = i + SOFTIRQ_FRAMES;
		return 0;
	}
	s->found = s->last && row != SONDE_CONTEXT_thread ? s->found : row;
	return 1;
}

GLOBAL uint64_t sonde_context_find(uint32_t slot)
{
	return search(slot, context_step, SONDE_CONTEXT_thread);
}
