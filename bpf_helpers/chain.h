/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * A chain of callers that was captured before, and where its return addresses were on the kernel
 * stack: learned here, compared here (chain.bpf.c says why that is enough). One piece of C for
 * both sides: the unit tests compile it for user space. Loops stay loops, for each instruction
 * costs LLVM 15 us, and have no branches, for the verifier walks each way.
 */
#pragma once
#include "bpf_helpers/shared.h"

enum {
	CHAIN_TRACER = 2,  /* first frames: the program, and bpf_trace_run2, whose frame has the
			    * context; the tracer's own, never shown */
	CHAIN_LINKS = 6,   /* frames between these and the last, at most */
	CHAIN_WINDOW = 32, /* words from the context on in which return addresses are looked for */
	CHAIN_TOP = 32,	   /* behind these in the window: the word below the saved registers */
	CHAIN_WORDS = 33,
	CHAIN_TRIES = 128, /* captures in a row that must agree: four for each word */
	CHAIN_STRIKES = 8, /* captures of other chains in a row: these are learned instead */
};

/* A return address and the places that it may have: bit i, no capture was without it in word i. */
struct sonde_link {
	uint64_t ip, places, at; /* at: the place, once it is the only one */
};

struct sonde_chain {
	uint64_t hash; /* of the stack, when all below is settled; else 0 */
	uint64_t top;  /* the last frame: where the entry code calls C */
	uint32_t n;    /* links */
	uint32_t strikes;
	uint32_t tries;
	uint32_t turn; /* the word that the next capture looks at */
	struct sonde_link links[CHAIN_LINKS];
};

#ifdef __bpf__ /* as INLINE of bpf.h */
#define CHAIN_INLINE static inline __attribute__((always_inline, nodebug))
#define CHAIN_LOOP _Pragma("clang loop unroll(disable)")
#else
#define CHAIN_INLINE static inline __attribute__((always_inline))
#define CHAIN_LOOP
#endif

/* LLVM knows nothing of v from here: not that two bounds of a loop are one, which the verifier may
 * have forgotten. */
#define CHAIN_OPAQUE(v) __asm__ volatile("" : "+r"(v))

/* 1 when a and b differ; not a != b, of which LLVM makes a branch. */
CHAIN_INLINE uint64_t sonde_chain_unlike(uint64_t a, uint64_t b)
{
	uint64_t x = a ^ b, minus = -x;

	CHAIN_OPAQUE(minus);
	x = (x | minus) >> 63;
	CHAIN_OPAQUE(x);
	return x;
}

/* Not 0: something is not where it was. */
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

/* A capture had this link's return address as `ip`, and word j was `word`. Adds to `open` unless
 * one place is left, to `anew` if something is not as it was. */
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

/* `ips`: a complete capture of n frames, of the stack with this hash; at the time, word j of the
 * window was `word` and the last one `top`. */
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
