/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Comparison, length and search of strings, which are always aligned to 8 bytes. Short strings are
 * processed word by word with one branch for each word. More branches are not possible: the
 * verifier stores the other side of each branch until it has followed this side to its end, and
 * stores at most 8192 of them. Long strings are processed by bpf_loop(), whose callback the
 * verifier checks once.
 */
#include "bpf_helpers/helpers.h"

#define ONES 0x0101010101010101ull

/* Bit 7 of the word's first zero byte, and perhaps of later bytes. 0 if no byte is zero. */
static INLINE uint64_t zero_byte(uint64_t word)
{
	return (word - ONES) & ~word & ONES << 7;
}

static INLINE uint64_t word_at(const char *s, uint32_t i)
{
	return *(const volatile uint64_t *)(s + i);
}

/* ---- long strings -------------------------------------------------------------------------- */

/* The state of a loop over one string or two. An exclusive or with a 0 that the verifier does not
 * know hides the counters from it; otherwise it would follow their values from one iteration to the
 * next. */
struct string_walk {
	const char *x, *y; /* y is x when there is one string */
	uint64_t n;
	uint64_t at;	  /* bytes walked */
	uint64_t differs; /* the words at offset `at` differ */
};

static long string_walk_step(uint64_t round, void *ctx)
{
	struct string_walk *w = ctx;
	uint64_t at = w->at, a, b;

	if (at >= w->n)
		return 1;
	barrier_var(at);
	if (at >= w->n)
		return 1;
	a = *(const volatile uint8_t *)(w->x + at);
	b = *(const volatile uint8_t *)(w->y + at);
	if (a != b || !a) {
		w->differs = a != b;
		return 1;
	}
	w->at = (at + 1) ^ sonde_control.zero;
	return 0;
}

static INLINE void string_walk(struct string_walk *w, const char *x, const char *y, uint32_t n)
{
	*w = (struct string_walk){
		.x = x, .y = y, .n = n, .at = sonde_control.zero, .differs = sonde_control.zero};
	bpf_loop(n, string_walk_step, w, 0);
}

/* ---- comparison ---------------------------------------------------------------------------- */

static INLINE uint32_t equal_words(const char *x, const char *y, uint32_t n)
{
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t a = word_at(x, i), differ = a ^ word_at(y, i), end = zero_byte(a);

		if (differ | end) {
			end &= -end; /* the whole word if it has no NUL */
			return (differ & (end | (end - 1))) == 0;
		}
	}
	for (; i < n; i++) {
		if (x[i] != y[i])
			return 0;
		if (!x[i])
			return 1;
	}
	return 1;
}

/* Are x and y equal up to the first NUL, or over n bytes? n is constant after inlining. */
INLINE uint32_t sonde_string_equal(const char *x, const char *y, uint32_t n)
{
	struct string_walk w;

	if (n <= SONDE_STRING_WORDS)
		return equal_words(x, y, n);
	string_walk(&w, x, y, n);
	return !w.differs;
}

/* ---- length -------------------------------------------------------------------------------- */

static INLINE uint32_t length(const char *s, uint32_t n)
{
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t end = zero_byte(word_at(s, i));

		if (end) /* count the bytes below it */
			return i + (uint32_t)(((((end & -end) >> 7) - 1) & ONES) * ONES >> 56);
	}
	while (i < n && s[i])
		i++;
	return i;
}

/* Bytes before the first NUL, n if there is none. The XOR hides the value from the verifier, which
 * would otherwise follow the rest once for each possible length. */
INLINE uint64_t sonde_string_length(const char *s, uint32_t n)
{
	struct string_walk w;

	if (n <= SONDE_STRING_WORDS)
		return length(s, n) ^ sonde_control.zero;
	string_walk(&w, s, s, n);
	return w.at;
}

/* ---- search -------------------------------------------------------------------------------- */

struct string_search {
	const char *in, *what;
	uint64_t n_in, n_what;
	uint64_t at, matched; /* the first `matched` bytes of `what` are at `at` */
	uint64_t is_found, is_done;
};

/* One iteration: compare one byte of each string. */
static long string_search_step(uint64_t round, void *ctx)
{
	struct string_search *s = ctx;
	uint64_t at = s->at, matched = s->matched, end = at + matched;
	uint8_t c = 0, d = 0;

	if (matched < s->n_what) {
		barrier_var(matched);
		if (matched < s->n_what)
			c = *(const volatile uint8_t *)(s->what + matched);
	}
	if (end < s->n_in) {
		barrier_var(end);
		if (end < s->n_in)
			d = *(const volatile uint8_t *)(s->in + end);
	}
	if (!c || !d) {
		s->is_found = !c;
		s->is_done = 1;
		return 1;
	}
	s->matched = (c == d ? matched + 1 : 0) ^ sonde_control.zero;
	s->at = (c == d ? at : at + 1) ^ sonde_control.zero;
	return 0;
}

enum { SEARCH_STEPS = 1 << 18 }; /* these take a millisecond */

/* Where the string `what` begins in `in`, or -1. The sizes are constant after inlining. A search
 * that takes too many steps, because `what` nearly matches in many places, is cut short, which is
 * counted. */
INLINE int64_t sonde_string_find(const char *in, uint32_t n_in, const char *what, uint32_t n_what,
				 uint32_t probe)
{
	uint64_t zero = sonde_control.zero, steps = (uint64_t)n_in * n_what + 1;
	struct string_search s = {.in = in,
				  .what = what,
				  .n_in = n_in,
				  .n_what = n_what,
				  .at = zero,
				  .matched = zero,
				  .is_found = zero,
				  .is_done = zero};

	bpf_loop(steps < SEARCH_STEPS ? steps : SEARCH_STEPS, string_search_step, &s, 0);
	if (!s.is_done)
		sonde_loss_count(probe, SONDE_LOSS_LOOP_CUT);
	return s.is_found ? (int64_t)s.at : -1;
}

/* ---- memory -------------------------------------------------------------------------------- */

struct memory_walk {
	const uint8_t *x, *y;
	uint64_t n_x, n_y, n;
	uint64_t at, difference;
};

static long memory_walk_step(uint64_t round, void *ctx)
{
	struct memory_walk *w = ctx;
	uint64_t at = w->at, difference = 0;

	if (at >= w->n)
		return 1;
	if (at < w->n_x && at < w->n_y) {
		barrier_var(at);
		if (at < w->n_x && at < w->n_y)
			difference = (uint64_t)*(const volatile uint8_t *)(w->x + at) -
				     *(const volatile uint8_t *)(w->y + at);
	}
	w->difference = difference;
	w->at = (at + 1) ^ sonde_control.zero;
	return difference != 0;
}

/* The difference of the first bytes that differ among the first n, 0 if there are none. After the
 * end of the shorter value nothing differs. n_x and n_y are constant after inlining. */
INLINE int64_t sonde_string_memory(const void *x, uint32_t n_x, const void *y, uint32_t n_y,
				   uint64_t n)
{
	uint32_t most = n_x < n_y ? n_x : n_y;
	struct memory_walk w = {.x = x,
				.y = y,
				.n_x = n_x,
				.n_y = n_y,
				.n = n,
				.at = sonde_control.zero,
				.difference = sonde_control.zero};

	bpf_loop(most, memory_walk_step, &w, 0);
	return (int64_t)w.difference;
}

/* ---- joining ------------------------------------------------------------------------------- */

/* Append `from`, of n bytes, to the string at `to`, which has space for `size` bytes and n more. */
INLINE void sonde_string_append(char *to, uint32_t size, const char *from, uint32_t n)
{
	uint64_t at = sonde_string_length(to, size);

	barrier_var(at);
	if (at <= size)
		bpf_probe_read_kernel(to + at, n, from);
}
