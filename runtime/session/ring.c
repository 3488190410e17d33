/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring's layout, mapping and reader (ring.h). The reader zeroes what it has read, because a
 * nonzero length marks a record as complete.
 */
#include "runtime/session/ring.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	RELEASE_PARTS = 64, /* the reader releases 1/64 of the ring at a time */
	RECORD_BYTES = 64,  /* at least the longest record that is not in plan->events */
	MARGIN = 8,	    /* at least 1/8 of the ring is reserved for simultaneous records */
	MAX_BYTES = 1 << 30,
	AT_ONCE = 4, /* simultaneous records on a CPU: task, softirq, irq, NMI */
};

_Static_assert(RECORD_BYTES >= sizeof(struct sonde_stack_event), "");
_Static_assert(RECORD_BYTES >= sizeof(struct sonde_map_event), "");
_Static_assert(RECORD_BYTES >= sizeof(struct sonde_exit_event), "");

struct ring {
	struct ring_layout layout;
	volatile struct sonde_ring *positions;
	uint8_t *data;
	size_t page_bytes;
	uint64_t *wake_consumed;       /* consumer_pos of the BPF ring buffer */
	const uint64_t *wake_produced; /* its producer_pos */
};

/* ---- layout -------------------------------------------------------------------------------- */

static uint32_t longest_record(const struct plan *plan)
{
	uint32_t longest = plan->needs.unwind ? sizeof(struct sonde_code_event) : RECORD_BYTES;

	for (uint32_t i = 0; i < plan->n_events; i++)
		if (plan->events[i].size > longest)
			longest = plan->events[i].size;
	return longest + sizeof(struct sonde_record_head);
}

struct ring_layout ring_layout(const struct plan *plan, uint32_t n_cpus)
{
	uint32_t longest = longest_record(plan);
	uint64_t at_once = (uint64_t)AT_ONCE * n_cpus * longest;
	struct ring_layout l = {.bytes = plan->needs.ring_bytes};

	while (l.bytes / 2 < at_once && l.bytes < MAX_BYTES)
		l.bytes *= 2;
	if (at_once > l.bytes / 2)
		at_once = l.bytes / 2;
	l.limit = l.bytes - (at_once > l.bytes / MARGIN ? (uint32_t)at_once : l.bytes / MARGIN);
	l.segments = l.bytes > SONDE_RING_SEGMENT ? l.bytes / SONDE_RING_SEGMENT : 1;
	l.segment_bytes = l.bytes / l.segments;
	l.element_bytes = l.segment_bytes + longest;
	return l;
}

static size_t data_bytes(const struct ring *r)
{
	size_t bytes = (size_t)r->layout.segments * r->layout.element_bytes;

	return (bytes + r->page_bytes - 1) / r->page_bytes * r->page_bytes;
}

/* The record at `position`. */
static struct sonde_record_head *record_at(const struct ring *r, uint64_t position)
{
	uint64_t segment = (position >> SONDE_RING_SEGMENT_BITS) & (r->layout.segments - 1);

	return (void *)(r->data + segment * r->layout.element_bytes +
			(position & (r->layout.segment_bytes - 1)));
}

/* ---- mapping ------------------------------------------------------------------------------- */

static void *map_or_null(int fd, size_t bytes, int protection, off_t offset)
{
	void *at = mmap(NULL, bytes, protection, MAP_SHARED, fd, offset);

	return at == MAP_FAILED ? NULL : at;
}

struct ring *ring_open(int fd, int wake_fd, const struct ring_layout *layout,
		       volatile struct sonde_ring *positions)
{
	struct ring *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return NULL;
	r->layout = *layout;
	r->positions = positions;
	r->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	r->data = map_or_null(fd, data_bytes(r), PROT_READ | PROT_WRITE, 0);
	if (r->data)
		r->wake_consumed = map_or_null(wake_fd, r->page_bytes, PROT_READ | PROT_WRITE, 0);
	if (r->wake_consumed)
		r->wake_produced =
			map_or_null(wake_fd, r->page_bytes, PROT_READ, (off_t)r->page_bytes);
	if (!r->wake_produced) {
		err = errno;
		ring_close(r);
		errno = err;
		return NULL;
	}
	return r;
}

void ring_close(struct ring *r)
{
	if (!r)
		return;
	if (r->data)
		munmap(r->data, data_bytes(r));
	if (r->wake_consumed)
		munmap(r->wake_consumed, r->page_bytes);
	if (r->wake_produced)
		munmap((void *)r->wake_produced, r->page_bytes);
	free(r);
}

/* ---- reading ------------------------------------------------------------------------------- */

static void release(struct ring *r, uint64_t position)
{
	__atomic_store_n(&r->positions->read, position, __ATOMIC_RELEASE);
}

/* Consume from `position` to `end`. Returns the new position. */
static uint64_t consume_to(struct ring *r, uint64_t position, uint64_t end, ring_fn fn, void *ctx,
			   int *stop)
{
	uint64_t part = r->layout.bytes / RELEASE_PARTS;
	uint64_t released = position;

	while (position < end && !*stop) {
		struct sonde_record_head *head = record_at(r, position);
		uint32_t length = __atomic_load_n(&head->length, __ATOMIC_ACQUIRE);

		if (!length)
			break;
		*stop = fn(ctx, head + 1, length);
		memset(head, 0, sizeof(*head) + length);
		position += sizeof(*head) + length;
		if (position - released >= part) {
			release(r, position);
			released = position;
		}
	}
	if (position != released)
		release(r, position);
	return position;
}

/* Empty the wake buffer: its descriptor is readable until then. */
static void consume_wakes(struct ring *r)
{
	uint64_t at = __atomic_load_n(r->wake_produced, __ATOMIC_ACQUIRE);

	if (at != *r->wake_consumed)
		__atomic_store_n(r->wake_consumed, at, __ATOMIC_RELEASE);
}

int ring_consume(struct ring *r, ring_fn fn, void *ctx)
{
	uint64_t position = r->positions->read, from;
	int stop = 0;

	consume_wakes(r);
	do {
		from = position;
		position = consume_to(r, position,
				      __atomic_load_n(&r->positions->written, __ATOMIC_ACQUIRE), fn,
				      ctx, &stop);
	} while (position != from && !stop);
	return r->positions->overrun ? -EOVERFLOW : 0;
}

bool ring_under_way(const struct ring *r)
{
	return __atomic_load_n(&r->positions->written, __ATOMIC_ACQUIRE) != r->positions->read;
}
