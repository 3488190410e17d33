/* SPDX-License-Identifier: (Apache-2.0 OR GPL-2.0) */
/*
 * Sends what a script has read of memory, for a recording over which it is replayed.
 */
#include "bpf_helpers/helpers.h"

enum { FIRST_PAGE = 4096, IS_STRING = 1u << 31, IS_START = 1 << 30, HEAD = 36 };

_Static_assert(HEAD == __builtin_offsetof(struct sonde_read_event, bytes), "");

/* The bytes of a string with its NUL; all, if it was cut, and its end is not known. */
static INLINE uint32_t copy_string(uint8_t *to, const char *from, uint32_t n)
{
	char last = 0;
	long length;

	bpf_probe_read_kernel(&last, 1, (const void *)((uint64_t)from + n - 1));
	if (last) {
		bpf_probe_read_kernel(to, n, from);
		return n;
	}
	length = bpf_probe_read_kernel_str(to, n, from);
	return length > 0 ? length : 0;
}

/* `from`: a copy of `size` bytes of what is at `address`; 0 bytes: it could not be read. A read of
 * the first page fails everywhere. */
INLINE void sonde_reads_send(const char *from, uint64_t size, uint64_t address, uint64_t event,
			     uint64_t place)
{
	uint32_t n = (uint32_t)size & ~(IS_STRING | IS_START);
	struct sonde_read_event *r;

	if (address < FIRST_PAGE)
		return;
	if (n > SONDE_READ_BYTES)
		n = SONDE_READ_BYTES;
	barrier_var(n); /* the compared value must be the one that is passed on */
	if (n > SONDE_READ_BYTES)
		return;
	r = sonde_ring_reserve(event >> 32, (HEAD + n + 7) / 8 * 8);
	if (!r)
		return;
	r->head.id = event;
	r->head.probe = event >> 32;
	r->is_start = (size & IS_START) != 0;
	r->place = place >> 32;
	r->cpu = bpf_get_smp_processor_id();
	r->tid = place;
	r->address = address;
	r->length = n;
	if (n && size & IS_STRING)
		r->length = copy_string(r->bytes, from, n);
	else
		bpf_probe_read_kernel(r->bytes, n, from);
	sonde_ring_submit(r, (HEAD + n + 7) / 8 * 8);
}
