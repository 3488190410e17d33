/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Texts read from memory: str(), and the fields of tracepoints that hold texts of any length. What
 * cannot be read is empty, what does not fit is cut; both are counted.
 */
#include "bpf_helpers/helpers.h"

/* `n` bytes and no NUL before: is there more of it? */
static INLINE void check_cut(long n, uint32_t size, char next, uint32_t probe)
{
	if (n == size && next)
		sonde_loss_count(probe, SONDE_LOSS_STRING_CUT);
}

static INLINE long read(void *to, uint32_t size, const void *from, uint32_t is_user)
{
	return is_user ? bpf_probe_read_user(to, size, from)
		       : bpf_probe_read_kernel(to, size, from);
}

/* `is_user` is constant where this is inlined. */
static INLINE void text(char *to, uint32_t size, const void *from, uint32_t is_asked,
			uint32_t probe, uint32_t is_user)
{
	long n = is_user ? bpf_probe_read_user_str(to, size, from)
			 : bpf_probe_read_kernel_str(to, size, from);
	char next = 0;

	if (n < 0) {
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
		to[0] = 0;
		return;
	}
	if (is_asked || n != size)
		return;
	read(&next, 1, (const char *)from + size - 1, is_user);
	check_cut(n, size, next, probe);
}

/* `to` holds zeros. `size` is what the script asked for when `is_asked`: no loss then. */
INLINE void sonde_text_user(char *to, uint32_t size, const void *from, uint32_t is_asked,
			    uint32_t probe)
{
	text(to, size, from, is_asked, probe, 1);
}

INLINE void sonde_text_kernel(char *to, uint32_t size, const void *from, uint32_t is_asked,
			      uint32_t probe)
{
	text(to, size, from, is_asked, probe, 0);
}

/* `asked` bytes at most, of which the verifier must know that they are in `to`. */
static INLINE void part(char *to, uint32_t room, const void *from, uint64_t asked, uint32_t probe,
			uint32_t is_user)
{
	uint64_t size = asked;

	if (size > room)
		size = room;
	barrier_var(size); /* what is compared is what is handed on */
	if (size <= room)
		text(to, size, from, asked <= room, probe, is_user);
}

/* The same where the script computes how many bytes it asks for: 0 and up. */
INLINE void sonde_text_user_part(char *to, uint32_t room, const void *from, uint64_t asked,
				 uint32_t probe)
{
	part(to, room, from, asked, probe, 1);
}

INLINE void sonde_text_kernel_part(char *to, uint32_t room, const void *from, uint64_t asked,
				   uint32_t probe)
{
	part(to, room, from, asked, probe, 0);
}

static INLINE uint64_t word(const void *from, uint32_t probe, uint32_t is_user)
{
	uint64_t value = 0;

	if (read(&value, 8, from, is_user))
		sonde_loss_count(probe, SONDE_LOSS_READ_FAULT);
	return value;
}

/* A word of the stack: arguments that registers have no room for. */
INLINE uint64_t sonde_text_word_user(const void *from, uint32_t probe)
{
	return word(from, probe, 1);
}

INLINE uint64_t sonde_text_word_kernel(const void *from, uint32_t probe)
{
	return word(from, probe, 0);
}
