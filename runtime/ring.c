/* SPDX-License-Identifier: Apache-2.0 */
#include "ring.h"
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Room is given back in so many pieces a ring: a writer never lacks more than this share of it. */
enum { SHARES = 64 };

/* What stands before each record; its pg_off is the kernel's own. */
struct record_head {
	uint32_t length; /* and two bits: BPF_RINGBUF_BUSY_BIT, BPF_RINGBUF_DISCARD_BIT */
	uint32_t pg_off;
	uint8_t data[];
};

struct ring {
	uint64_t *read_to; /* consumer_pos */
	const uint64_t *written_to;
	const uint8_t *data;
	uint32_t bytes;
	size_t page_bytes;
};

static size_t data_bytes(const struct ring *r)
{
	return r->page_bytes + 2 * (size_t)r->bytes; /* and the page of the writer's position */
}

struct ring *ring_open(int fd, uint32_t bytes)
{
	struct ring *r = calloc(1, sizeof(*r));
	void *mine, *theirs;
	int err;

	if (!r)
		return NULL;
	r->bytes = bytes;
	r->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	mine = mmap(NULL, r->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	theirs = mmap(NULL, data_bytes(r), PROT_READ, MAP_SHARED, fd, (off_t)r->page_bytes);
	err = errno;
	r->read_to = mine == MAP_FAILED ? NULL : mine;
	r->written_to = theirs == MAP_FAILED ? NULL : theirs;
	if (!r->read_to || !r->written_to) {
		ring_close(r);
		errno = err;
		return NULL;
	}
	r->data = (const uint8_t *)theirs + r->page_bytes;
	return r;
}

void ring_close(struct ring *r)
{
	if (!r)
		return;
	if (r->read_to)
		munmap(r->read_to, r->page_bytes);
	if (r->written_to)
		munmap((void *)r->written_to, data_bytes(r));
	free(r);
}

static void give_back(struct ring *r, uint64_t position)
{
	__atomic_store_n(r->read_to, position, __ATOMIC_RELEASE);
}

/* From `position` on, to where the writer has come to. */
static uint64_t consume_to(struct ring *r, uint64_t position, uint64_t end, ring_fn fn, void *ctx,
			   int *stop)
{
	uint64_t given = position;

	while (position < end && !*stop) {
		const struct record_head *head =
			(const void *)(r->data + (position & (r->bytes - 1)));
		uint32_t length = __atomic_load_n(&head->length, __ATOMIC_ACQUIRE);
		uint32_t size = length & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (length & BPF_RINGBUF_BUSY_BIT)
			break;
		if (!(length & BPF_RINGBUF_DISCARD_BIT))
			*stop = fn(ctx, head->data, size);
		position += (sizeof(*head) + size + 7) & ~7ull;
		if (position - given >= r->bytes / SHARES) {
			give_back(r, position);
			given = position;
		}
	}
	if (position != given)
		give_back(r, position);
	return position;
}

void ring_consume(struct ring *r, ring_fn fn, void *ctx)
{
	uint64_t position = *r->read_to, from;
	int stop = 0;

	do {
		from = position;
		position = consume_to(r, position,
				      __atomic_load_n(r->written_to, __ATOMIC_ACQUIRE), fn, ctx,
				      &stop);
	} while (position != from && !stop);
}
