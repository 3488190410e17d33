/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Arguments and results of calls: what is read of them in memory (struct sonde_call).
 */
#include "bpf_helpers/helpers.h"

struct pair {
	uint64_t first, second;
};

/* Where the text is that begins in word `what & 15` of `words`; `n` is constant. A size of 0: it
 * ends with a NUL, if its address is not 0. 0: there is none. */
static INLINE uint32_t find_text(const uint64_t *words, uint32_t n, uint32_t what, struct pair *at)
{
	uint32_t form = what >> 4 & 15, i = what & 15;

	if (form == SONDE_CALL_NONE || i >= n)
		return 0;
	at->first = words[i];
	at->second = 0;
	if (form == SONDE_CALL_CHARS)
		return 1;
	if (form == SONDE_CALL_AT_POINTER)
		return !bpf_probe_read_user(at, sizeof(*at), (const void *)at->first);
	if (++i >= n)
		return 0;
	at->second = words[i];
	if (form == SONDE_CALL_SIZE_POINTER)
		*at = (struct pair){at->second, at->first};
	return 1;
}

/* Read it. */
INLINE void sonde_call_text(struct sonde_call_text *to, const uint64_t *words, uint32_t n,
			    uint32_t what)
{
	uint64_t size, most = SONDE_CALL_TEXT_BYTES;
	struct pair at;
	long read;

	to->n = 0;
	if (!find_text(words, n, what, &at))
		return;
	if ((what >> 4 & 15) == SONDE_CALL_CHARS) {
		read = bpf_probe_read_user_str(to->bytes, most, (const void *)at.first);
		/* some kernels (6.1) say 0 of an empty string */
		to->n = read < 0 ? 0 : read ?: 1;
		return;
	}
	size = at.second;
	if (size >= most)
		size = most - 1;
	barrier_var(size); /* the compared value must be the one that is passed on */
	if (size >= most || bpf_probe_read_user(to->bytes, size, (const void *)at.first))
		return;
	to->n = at.second >= most ? most : size + 1;
}

/* Bring in the pages in which it is, while the program may sleep. */
INLINE void sonde_call_fault(const uint64_t *words, uint32_t n, uint32_t what, uint32_t in_section)
{
	uint32_t i = what & 15;
	struct pair at;

	if ((what >> 4 & 15) == SONDE_CALL_AT_POINTER && i < n)
		sonde_fault_first(words[i], in_section);
	if (!find_text(words, n, what, &at))
		return;
	sonde_fault_first(at.first, in_section);
	sonde_fault_next(at.first, SONDE_CALL_TEXT_BYTES, 1, in_section);
}

/* Read the words of arguments that are on the stack, if the function has such: `size` is constant.
 * What cannot be read is 0. */
INLINE void sonde_call_stack(uint64_t *to, uint32_t size, uint64_t from, uint64_t texts)
{
	if (texts >> SONDE_CALL_STACK_BIT)
		bpf_probe_read_user(to, size, (const void *)from);
}
