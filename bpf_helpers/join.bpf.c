/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * join(): the strings of an array of addresses that ends with NULL, such as argv.
 */
#include "bpf_helpers/helpers.h"

/* Errors of the last failed reads: of an address in the array, of a string. */
struct join_errors {
	int64_t array, string;
};

/* Read one address of the array. After an error, which is counted, the result is 0, which ends the
 * array. */
static INLINE uint64_t join_word(const void *from, uint32_t probe, uint32_t is_user,
				 struct join_errors *errors)
{
	uint64_t word = 0;
	int64_t err = is_user ? bpf_probe_read_user(&word, sizeof(word), from)
			      : bpf_probe_read_kernel(&word, sizeof(word), from);

	if (unlikely(err)) {
		errors->array = err;
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
	}
	return word;
}

/* Read the strings to `to`. Returns their number of bytes. The caller sets `errors` to 0; it is for
 * -k. `to` has space for SONDE_JOIN_BYTES and one more string, so that each can be read at its full
 * size. The kernel leaves the bytes after a string as they are. */
INLINE uint64_t sonde_join(char *to, const uint64_t *from, uint32_t probe, uint32_t is_user,
			   struct join_errors *errors)
{
	uint64_t used = sonde_control_zero();
	uint32_t i;

	for (i = 0; i < SONDE_JOIN_STRINGS; i++) {
		const void *at = (const void *)join_word(from + i, probe, is_user, errors);
		long n;

		if (!at)
			return used;
		if (used >= SONDE_JOIN_BYTES)
			break;
		barrier_var(used);
		if (used >= SONDE_JOIN_BYTES)
			break;
		n = is_user ? bpf_probe_read_user_str(to + used, SONDE_JOIN_STRING, at)
			    : bpf_probe_read_kernel_str(to + used, SONDE_JOIN_STRING, at);
		if (n < 0) {
			errors->string = n;
			sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
		}
		if (n <= 1 || n > SONDE_JOIN_STRING)
			return used;
		if (n == SONDE_JOIN_STRING)
			sonde_loss_count(probe, SONDE_LOSS_JOIN_CUT);
		/* Hide the bounds. With known bounds, the verifier would follow each path through
		 * the body. */
		used = (used + n) ^ sonde_control_zero();
	}
	if (used > SONDE_JOIN_BYTES || join_word(from + i, probe, is_user, errors))
		sonde_loss_count(probe, SONDE_LOSS_JOIN_CUT);
	return used;
}

/* Bring in the pages that sonde_join() reads, while the program may sleep. */
INLINE void sonde_join_fault(uint64_t from, uint32_t in_section)
{
	for (uint32_t i = 0; i < SONDE_JOIN_STRINGS; i++) {
		uint64_t at = 0;

		sonde_fault_read(&at, sizeof(at), from + i * sizeof(at), in_section);
		if (!at)
			break;
		sonde_fault_first(at, in_section);
		sonde_fault_next(at, SONDE_JOIN_STRING, 1, in_section);
	}
}

/* The record's size: as many words as the strings take. */
INLINE uint64_t sonde_join_record(uint64_t used)
{
	used = used < SONDE_JOIN_BYTES ? used : SONDE_JOIN_BYTES;
	return __builtin_offsetof(struct sonde_join_event, bytes) + (used + 7) / 8 * 8;
}

INLINE void sonde_join_store(struct sonde_join_event *to, const char *from, uint64_t used)
{
	used = used < SONDE_JOIN_BYTES ? used : SONDE_JOIN_BYTES;
	to->used = used;
	barrier_var(used); /* the compared value must be the one that is passed on */
	if (used <= SONDE_JOIN_BYTES)
		bpf_probe_read_kernel(to->bytes, used, from);
}
