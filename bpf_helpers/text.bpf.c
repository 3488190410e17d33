/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Strings read from memory: str(), and variable-length string fields of tracepoints. A string that
 * cannot be read is empty; one that does not fit is cut. Both are counted. A cut string has no NUL
 * in its bytes; by this user space recognizes it.
 */
#include "bpf_helpers/helpers.h"

/* `is_user` is constant after inlining, here and below. */
static INLINE long read(void *to, uint32_t size, const void *from, uint32_t is_user)
{
	return is_user ? bpf_probe_read_user(to, size, from)
		       : bpf_probe_read_kernel(to, size, from);
}

/* Read a string. `size` is `capacity`, or less if the script requests it. Returns 0, or
 * the error. */
static INLINE int64_t text(char *to, uint32_t capacity, uint64_t size, const void *from,
			   uint32_t is_requested, uint32_t probe, uint32_t is_user)
{
	long n = is_user ? bpf_probe_read_user_str(to, size, from)
			 : bpf_probe_read_kernel_str(to, size, from);
	char next = 0;

	if (n < 0) {
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
		to[0] = 0;
		return n;
	}
	if (is_requested || n != capacity)
		return 0;
	read(&next, 1, (const char *)from + capacity - 1, is_user);
	if (!next)
		return 0;
	to[capacity - 1] = next;
	sonde_loss_count(probe, SONDE_LOSS_STRING_CUT);
	return 0;
}

/* `to` is zeroed. `is_requested`: the script gave this size, so a longer string is not a loss. */
INLINE int64_t sonde_text_user(char *to, uint32_t size, const void *from, uint32_t is_requested,
			       uint32_t probe)
{
	return text(to, size, size, from, is_requested, probe, 1);
}

INLINE int64_t sonde_text_kernel(char *to, uint32_t size, const void *from, uint32_t is_requested,
				 uint32_t probe)
{
	return text(to, size, size, from, is_requested, probe, 0);
}

/* The same, of at most `requested` bytes, which the script computes. The verifier must see that
 * they fit in `to`. */
INLINE int64_t sonde_text_part(char *to, uint32_t capacity, const void *from, uint64_t requested,
			       uint32_t probe, uint32_t is_user)
{
	uint64_t size = requested;

	if (size > capacity)
		size = capacity;
	barrier_var(size);		  /* the compared value must be the one that is passed on */
	if (size > capacity || size <= 1) /* of an empty text the address may be anything */
		return 0;
	return text(to, capacity, size, from, requested <= capacity, probe, is_user);
}

/* Read a word on the stack: an argument that is not passed in a register. */
INLINE uint64_t sonde_text_word(const void *from, uint32_t probe, uint32_t is_user)
{
	uint64_t value = 0;

	if (read(&value, 8, from, is_user))
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
	return value;
}

/* Read the value of buf(): the length, then the bytes. `to` is zeroed, and has space for `most`
 * bytes after the length. */
INLINE int64_t sonde_text_buffer(char *to, uint32_t most, const void *from, uint64_t requested,
				 uint32_t probe, uint32_t is_user)
{
	uint64_t n = requested;
	int64_t err;

	if (n > most) {
		n = most;
		sonde_loss_count(probe, SONDE_LOSS_STRING_CUT);
	}
	barrier_var(n); /* the compared value must be the one that is passed on */
	if (n > most)
		return 0;
	*(uint32_t *)to = n;
	err = read(to + 4, n, from, is_user);
	if (err)
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
	return err;
}
