/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Recognizes a kernel stack that was captured before by its return addresses on the stack.
 * chain.bpf.c explains why these suffice. The unit tests compile this file for user space. Loops
 * are not unrolled, because each instruction costs LLVM 15 us; they contain no branches, because
 * the verifier follows both sides of each.
 */
#pragma once
#include "bpf_helpers/shared.h"

enum {
	CHAIN_TRACER = 2,  /* frames of the program and of bpf_trace_run2: never shown */
	CHAIN_LINKS = 6,   /* max. frames between these and the last one */
	CHAIN_WINDOW = 32, /* words above the context that are searched for return addresses */
	/* index of the word below the saved registers: it follows these words */
	CHAIN_TOP = 32,
	CHAIN_WORDS = 33,
	CHAIN_TRIES = 128, /* captures in a row that must agree: four for each word */
	CHAIN_STRIKES = 8, /* after so many captures of other chains in a row, learn anew */
};

/* A return address and the words that may hold it. Bit i of `places` is set if word i held the
 * address in every capture so far. `at` is the index of the word once a single bit is left. */
struct sonde_link {
	uint64_t ip, places, at; /* at: valid once only one place is left */
};

struct sonde_chain {
	uint64_t hash; /* of the stack once learning is complete, else 0 */
	uint64_t top;  /* the last frame: the return address into the entry code */
	uint32_t n;    /* number of links */
	uint32_t strikes;
	uint32_t tries;
	uint32_t turn; /* the word that the next capture checks */
	struct sonde_link links[CHAIN_LINKS];
};

#ifdef __bpf__ /* same as INLINE in bpf.h */
#define CHAIN_INLINE static inline __attribute__((always_inline, nodebug))
#define CHAIN_LOOP _Pragma("clang loop unroll(disable)")
#else
#define CHAIN_INLINE static inline __attribute__((always_inline))
#define CHAIN_LOOP
#endif

/* Hide the value of v from LLVM. Otherwise LLVM merges two bounds of a loop into one, of which the
 * verifier may have lost track. */
#define CHAIN_OPAQUE(v) __asm__ volatile("" : "+r"(v))

/* 1 if a and b differ, else 0. LLVM would turn a != b into a branch. */
CHAIN_INLINE uint64_t sonde_chain_unlike(uint64_t a, uint64_t b)
{
	uint64_t x = a ^ b, minus = -x;

	CHAIN_OPAQUE(minus);
	x = (x | minus) >> 63;
	CHAIN_OPAQUE(x);
	return x;
}

/* Non-zero if a return address is not where it was learned. */
CHAIN_INLINE uint64_t sonde_chain_differs(const struct sonde_chain *c, const uint64_t *window)
{
	uint64_t differ = window[CHAIN_TOP] ^ c->top;
	uint32_t n = c->n;

	CHAIN_LOOP
	for (uint32_t i = 0; i < CHAIN_LINKS; i++) {
		CHAIN_OPAQUE(n);
		if (i >= n)
			break;
		differ |= window[c->links[i].at & (CHAIN_WINDOW - 1)] ^ c->links[i].ip;
	}
	return differ;
}

/* Learn from a capture in which this link's return address was `ip` and word j of the window was
 * `word`. Sets bits in `open` unless exactly one place is left, and in `anew` if something differs
 * from earlier captures. */
CHAIN_INLINE void sonde_link_learn(struct sonde_link *l, uint64_t ip, uint64_t j, uint64_t word,
				   uint64_t *open, uint64_t *anew)
{
	uint64_t other = -sonde_chain_unlike(ip, l->ip) >> (64 - CHAIN_WINDOW);
	uint64_t before = l->places | other;
	uint64_t places = before & ~(sonde_chain_unlike(ip, word) << j);
	uint64_t at = l->at ^ ((l->at ^ j) & -(places >> j & 1));

	l->ip = ip;
	l->places = places;
	l->at = at;
	*open |= places ^ 1ull << (at & (CHAIN_WINDOW - 1));
	*anew |= other | (before ^ places);
}

/* Learn from a complete capture: `ips` has n frames and the stack's hash is `hash`. At that time
 * word j of the window was `word` and the last one was `top`. */
CHAIN_INLINE void sonde_chain_learn(struct sonde_chain *c, const uint64_t *ips, uint32_t n,
				    uint64_t hash, uint32_t j, uint64_t word, uint64_t top)
{
	uint32_t links = n - CHAIN_TRACER - 1;
	uint64_t open = 0, anew = (top ^ c->top) | (links ^ c->n);

	if (c->hash && ++c->strikes < CHAIN_STRIKES)
		return;
	c->strikes = 0;
	c->turn = (j + 1) & (CHAIN_WINDOW - 1);
	c->top = top;
	c->n = links;
	CHAIN_LOOP
	for (uint32_t i = 0; i < CHAIN_LINKS; i++) {
		CHAIN_OPAQUE(links);
		if (i >= links)
			break;
		sonde_link_learn(&c->links[i], ips[CHAIN_TRACER + i], j, word, &open, &anew);
	}
	c->tries = anew ? 0 : c->tries + 1;
	c->hash = open || c->tries < CHAIN_TRIES ? 0 : hash;
}
