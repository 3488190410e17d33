/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a ring that is written by hand in a memfd as bpf_helpers/ring.bpf.c does it. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "runtime/session/ring.h"

enum { SEGMENTS = 4, BYTES = SEGMENTS * SONDE_RING_SEGMENT, LONGEST = 256, MOST = 100000 };

static const struct ring_layout layout = {
	.bytes = BYTES,
	.limit = BYTES - BYTES / 8,
	.segments = SEGMENTS,
	.segment_bytes = SONDE_RING_SEGMENT,
	.element_bytes = SONDE_RING_SEGMENT + sizeof(struct sonde_record_head) + LONGEST,
};

struct fake {
	int fd, wake_fd;
	size_t page, data_bytes;
	uint8_t *data, *wake;
	struct sonde_ring positions;
	struct ring *ring;
	uint32_t got[MOST];
	size_t sizes[MOST];
	uint32_t n, stop_at;
	uint64_t most_kept; /* the most that had been read and not yet been given back */
	uint64_t taken;	    /* by the records read so far */
	uint32_t to_send;   /* sent by the next call, once */
};

static struct sonde_record_head *head_at(struct fake *f, uint64_t position)
{
	return (void *)(f->data + position / SONDE_RING_SEGMENT % SEGMENTS * layout.element_bytes +
			position % SONDE_RING_SEGMENT);
}

/* A record of `size` bytes that begins with `number` and has no zeros behind it; its head's place.
 * What was there before must have been left as zeros. */
static struct sonde_record_head *begin(struct fake *f, uint32_t number, uint32_t size)
{
	struct sonde_record_head *head = head_at(f, f->positions.written);
	uint8_t *record = (uint8_t *)(head + 1);

	assert_in_range(size, sizeof(number), LONGEST);
	assert_true(f->positions.written + sizeof(*head) + size - f->positions.read <= BYTES);
	for (uint32_t i = 0; i < sizeof(*head) + size; i++)
		assert_int_equal(((uint8_t *)head)[i], 0);
	memset(record, 0xff, size);
	memcpy(record, &number, sizeof(number));
	f->positions.written += sizeof(*head) + size;
	return head;
}

static void send(struct fake *f, uint32_t number, uint32_t size)
{
	begin(f, number, size)->length = size;
}

static int on_record(void *ctx, const void *record, size_t size)
{
	struct fake *f = ctx;

	assert_true(f->n < MOST);
	if (f->taken - f->positions.read > f->most_kept)
		f->most_kept = f->taken - f->positions.read;
	f->taken += sizeof(struct sonde_record_head) + size;
	memcpy(&f->got[f->n], record, sizeof(uint32_t));
	f->sizes[f->n++] = size;
	if (f->to_send) {
		send(f, f->to_send, 16);
		f->to_send = 0;
	}
	return f->n == f->stop_at;
}

static void consume(struct fake *f)
{
	f->n = 0;
	f->taken = f->positions.read;
	assert_int_equal(ring_consume(f->ring, on_record, f), 0);
}

static void *map_new(int *fd, size_t bytes)
{
	void *at;

	*fd = memfd_create("ring", MFD_CLOEXEC);
	assert_int_equal(ftruncate(*fd, (off_t)bytes), 0);
	at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	return at;
}

static int setup(void **state)
{
	struct fake *f = aligned_alloc(128, (sizeof(*f) + 127) / 128 * 128);

	memset(f, 0, sizeof(*f));
	f->page = (size_t)sysconf(_SC_PAGESIZE);
	f->data_bytes = (SEGMENTS * layout.element_bytes + f->page - 1) / f->page * f->page;
	f->data = map_new(&f->fd, f->data_bytes);
	f->wake = map_new(&f->wake_fd, 2 * f->page);
	f->ring = ring_open(f->fd, f->wake_fd, &layout, &f->positions);
	assert_non_null(f->ring);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fake *f = *state;

	ring_close(f->ring);
	munmap(f->data, f->data_bytes);
	munmap(f->wake, 2 * f->page);
	close(f->fd);
	close(f->wake_fd);
	free(f);
	return 0;
}

static void test_an_empty_ring_has_no_record(void **state)
{
	consume(*state);
	assert_int_equal(((struct fake *)*state)->n, 0);
}

static void test_records_come_in_order_with_their_sizes(void **state)
{
	struct fake *f = *state;

	for (uint32_t i = 0; i < 5; i++)
		send(f, 100 + i, 8 + 8 * i);
	consume(f);
	assert_int_equal(f->n, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(f->got[i], 100 + i);
		assert_int_equal(f->sizes[i], 8 + 8 * i);
	}
	assert_int_equal(f->positions.read, f->positions.written);
	consume(f);
	assert_int_equal(f->n, 0);
}

static void test_a_record_under_way_ends_the_reading(void **state)
{
	struct fake *f = *state;
	struct sonde_record_head *under_way;
	uint64_t second;

	send(f, 1, 16);
	second = f->positions.written;
	under_way = begin(f, 2, 16);
	send(f, 3, 16);
	consume(f);
	assert_int_equal(f->n, 1);
	assert_int_equal(f->positions.read, second);
	under_way->length = 16;
	consume(f);
	assert_int_equal(f->n, 2);
	assert_int_equal(f->got[0], 2);
	assert_int_equal(f->got[1], 3);
}

static void test_what_comes_meanwhile_is_read_too(void **state)
{
	struct fake *f = *state;

	send(f, 1, 16);
	f->to_send = 2;
	consume(f);
	assert_int_equal(f->n, 2);
	assert_int_equal(f->got[1], 2);
}

static void test_stopped_after_a_record_it_goes_on_with_the_next(void **state)
{
	struct fake *f = *state;

	for (uint32_t i = 0; i < 10; i++)
		send(f, i, 16);
	f->stop_at = 4;
	consume(f);
	assert_int_equal(f->n, 4);
	f->stop_at = 0;
	consume(f);
	assert_int_equal(f->n, 6);
	assert_int_equal(f->got[0], 4);
}

/* Sizes that do not divide a segment, so that records lie across the ends of segments and heads
 * come to lie where records were. */
static void test_many_rounds_of_the_ring(void **state)
{
	struct fake *f = *state;
	uint32_t sent = 0, seen = 0;

	while (f->positions.written < 20 * BYTES) {
		for (uint32_t i = 0; i < 5000; i++, sent++)
			send(f, sent, 32 + sent % 25 * 8);
		consume(f);
		assert_int_equal(f->n, 5000);
		for (uint32_t i = 0; i < f->n; i++)
			assert_int_equal(f->got[i], seen++);
		assert_int_equal(f->positions.read, f->positions.written);
	}
}

/* Not for each record, which would take the position's cache line to and fro, and not only at the
 * end, for writers wait for room meanwhile. */
static void test_room_is_given_back_in_pieces(void **state)
{
	struct fake *f = *state;
	uint32_t n = BYTES / 24 - 1;

	for (uint32_t i = 0; i < n; i++)
		send(f, i, 16);
	consume(f);
	assert_int_equal(f->n, n);
	assert_in_range(f->most_kept, 24 * 10, BYTES / 64);
}

/* Else polling would say for ever that there is something. */
static void test_wakes_are_noted(void **state)
{
	struct fake *f = *state;
	uint64_t *woken_to = (uint64_t *)f->wake, *wake_at = (uint64_t *)(f->wake + f->page);

	*wake_at = 48;
	consume(f);
	assert_int_equal(*woken_to, 48);
}

static void test_what_cannot_be_mapped_is_an_error(void **state)
{
	struct fake *f = *state;

	assert_null(ring_open(-1, f->wake_fd, &layout, &f->positions));
	assert_int_equal(errno, EBADF);
	assert_null(ring_open(f->fd, -1, &layout, &f->positions));
	assert_int_equal(errno, EBADF);
}

static void test_an_overrun_is_told(void **state)
{
	struct fake *f = *state;

	send(f, 1, 16);
	begin(f, 2, 16); /* will never be complete */
	f->positions.overrun = 1;
	f->n = 0;
	f->taken = 0;
	assert_int_equal(ring_consume(f->ring, on_record, f), -EOVERFLOW);
	assert_int_equal(f->n, 1);
}

static void check_layout(uint32_t n_cpus, uint32_t ring_bytes, uint32_t record,
			 struct ring_layout wanted)
{
	struct plan_event event = {.size = record};
	struct plan plan = {.events = &event, .n_events = 1, .needs.ring_bytes = ring_bytes};
	struct ring_layout l = ring_layout(&plan, n_cpus);

	assert_memory_equal(&l, &wanted, sizeof(l));
}

/* A record has 8 bytes more than its size, and 64 at least. */
static void test_layouts(void **state)
{
	enum { K = 1024, M = 1024 * K };

	(void)state;
	check_layout(1, 4 * K, 16, (struct ring_layout){4 * K, 3584, 1, 4 * K, 4 * K + 72});
	check_layout(2, 256 * K, K,
		     (struct ring_layout){256 * K, 224 * K, 1, 256 * K, 257 * K + 8});
	check_layout(2, 8 * M, 4 * K, (struct ring_layout){8 * M, 7 * M, 32, 256 * K, 260 * K + 8});
	/* 4 records a CPU fit in what is left, and that is half the ring at most. */
	check_layout(256, 256 * K, 16,
		     (struct ring_layout){256 * K, 256 * K - 4 * 256 * 72, 1, 256 * K,
					  256 * K + 72});
	check_layout(256, 8 * M, 4 * K,
		     (struct ring_layout){16 * M, 16 * M - 4 * 256 * (4 * K + 8), 64, 256 * K,
					  260 * K + 8});
	check_layout(UINT32_MAX, 8 * M, 4 * K,
		     (struct ring_layout){1 << 30, 1 << 29, 4096, 256 * K, 260 * K + 8});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_an_empty_ring_has_no_record, setup, teardown),
		cmocka_unit_test_setup_teardown(test_records_come_in_order_with_their_sizes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_record_under_way_ends_the_reading, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_what_comes_meanwhile_is_read_too, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			test_stopped_after_a_record_it_goes_on_with_the_next, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_rounds_of_the_ring, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room_is_given_back_in_pieces, setup, teardown),
		cmocka_unit_test_setup_teardown(test_wakes_are_noted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_cannot_be_mapped_is_an_error, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_an_overrun_is_told, setup, teardown),
		cmocka_unit_test(test_layouts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
