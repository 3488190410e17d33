/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a ring buffer that is laid out by hand in a memfd as the kernel does it. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/bpf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <cmocka.h>
#include "runtime/ring.h"

enum { BYTES = 64 * 1024, MOST = 10000 };

struct fake {
	int fd;
	uint8_t *base;
	size_t page;
	struct ring *ring;
	uint32_t got[MOST];
	size_t sizes[MOST];
	uint32_t n, stop_at;
	uint64_t most_kept; /* the most that had been read and not yet been given back */
	uint64_t taken;	    /* by the records read so far */
	uint32_t to_send;   /* sent by the next call, once */
};

static uint64_t *read_to(struct fake *f)
{
	return (uint64_t *)f->base;
}

static uint64_t *written_to(struct fake *f)
{
	return (uint64_t *)(f->base + f->page);
}

/* The kernel maps the data twice; here both copies are written. */
static void write_at(struct fake *f, uint64_t position, const void *what, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		uint64_t at = (position + i) % BYTES;

		f->base[2 * f->page + at] = ((const uint8_t *)what)[i];
		f->base[2 * f->page + BYTES + at] = ((const uint8_t *)what)[i];
	}
}

/* A record of `size` bytes that begins with `number`. */
static void send(struct fake *f, uint32_t number, uint32_t size, uint32_t flags)
{
	uint32_t head[2] = {size | flags, 0};

	write_at(f, *written_to(f), head, sizeof(head));
	write_at(f, *written_to(f) + sizeof(head), &number, sizeof(number));
	*written_to(f) += (sizeof(head) + size + 7) / 8 * 8;
}

static int on_record(void *ctx, const void *record, size_t size)
{
	struct fake *f = ctx;

	assert_true(f->n < MOST);
	if (f->taken - *read_to(f) > f->most_kept)
		f->most_kept = f->taken - *read_to(f);
	f->taken += (8 + size + 7) / 8 * 8;
	memcpy(&f->got[f->n], record, sizeof(uint32_t));
	f->sizes[f->n++] = size;
	if (f->to_send) {
		send(f, f->to_send, 16, 0);
		f->to_send = 0;
	}
	return f->n == f->stop_at;
}

static void consume(struct fake *f)
{
	f->n = 0;
	f->taken = *read_to(f);
	ring_consume(f->ring, on_record, f);
}

static int setup(void **state)
{
	struct fake *f = calloc(1, sizeof(*f));

	f->page = (size_t)sysconf(_SC_PAGESIZE);
	f->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_int_equal(ftruncate(f->fd, (off_t)(2 * f->page + 2 * BYTES)), 0);
	f->base = mmap(NULL, 2 * f->page + 2 * BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, f->fd, 0);
	assert_ptr_not_equal(f->base, MAP_FAILED);
	f->ring = ring_open(f->fd, BYTES);
	assert_non_null(f->ring);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fake *f = *state;

	ring_close(f->ring);
	munmap(f->base, 2 * f->page + 2 * BYTES);
	close(f->fd);
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
		send(f, 100 + i, 4 + i, 0);
	consume(f);
	assert_int_equal(f->n, 5);
	for (uint32_t i = 0; i < 5; i++) {
		assert_int_equal(f->got[i], 100 + i);
		assert_int_equal(f->sizes[i], 4 + i);
	}
	assert_int_equal(*read_to(f), *written_to(f));
	consume(f);
	assert_int_equal(f->n, 0);
}

static void test_a_discarded_record_is_left_out(void **state)
{
	struct fake *f = *state;

	send(f, 1, 16, 0);
	send(f, 2, 16, BPF_RINGBUF_DISCARD_BIT);
	send(f, 3, 16, 0);
	consume(f);
	assert_int_equal(f->n, 2);
	assert_int_equal(f->got[1], 3);
	assert_int_equal(*read_to(f), *written_to(f));
}

static void test_a_record_under_way_ends_the_reading(void **state)
{
	struct fake *f = *state;
	uint64_t second;
	uint32_t done[2] = {16, 0};

	send(f, 1, 16, 0);
	second = *written_to(f);
	send(f, 2, 16, BPF_RINGBUF_BUSY_BIT);
	send(f, 3, 16, 0);
	consume(f);
	assert_int_equal(f->n, 1);
	assert_int_equal(*read_to(f), second);
	write_at(f, second, done, sizeof(done));
	consume(f);
	assert_int_equal(f->n, 2);
	assert_int_equal(f->got[0], 2);
	assert_int_equal(f->got[1], 3);
}

static void test_what_comes_meanwhile_is_read_too(void **state)
{
	struct fake *f = *state;

	send(f, 1, 16, 0);
	f->to_send = 2;
	consume(f);
	assert_int_equal(f->n, 2);
	assert_int_equal(f->got[1], 2);
}

static void test_stopped_after_a_record_it_goes_on_with_the_next(void **state)
{
	struct fake *f = *state;

	for (uint32_t i = 0; i < 10; i++)
		send(f, i, 16, 0);
	f->stop_at = 4;
	consume(f);
	assert_int_equal(f->n, 4);
	f->stop_at = 0;
	consume(f);
	assert_int_equal(f->n, 6);
	assert_int_equal(f->got[0], 4);
}

/* Sizes that do not divide the ring, so that records lie across its end. */
static void test_many_rounds_of_the_ring(void **state)
{
	struct fake *f = *state;
	uint32_t sent = 0, seen = 0;

	while (*written_to(f) < 20 * BYTES) {
		for (uint32_t i = 0; i < 500; i++)
			send(f, sent++, 36 + sent % 50, 0);
		consume(f);
		assert_int_equal(f->n, 500);
		for (uint32_t i = 0; i < f->n; i++)
			assert_int_equal(f->got[i], seen++);
		assert_int_equal(*read_to(f), *written_to(f));
	}
}

/* Not for each record, which would take the position's cache line to and fro, and not only at the
 * end, for writers wait for room meanwhile. */
static void test_room_is_given_back_in_pieces(void **state)
{
	struct fake *f = *state;
	uint32_t n = BYTES / 24 - 1;

	for (uint32_t i = 0; i < n; i++)
		send(f, i, 16, 0);
	consume(f);
	assert_int_equal(f->n, n);
	assert_in_range(f->most_kept, 24 * 10, BYTES / 64);
}

static void test_what_cannot_be_mapped_is_an_error(void **state)
{
	(void)state;
	assert_null(ring_open(-1, BYTES));
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_an_empty_ring_has_no_record, setup, teardown),
		cmocka_unit_test_setup_teardown(test_records_come_in_order_with_their_sizes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_discarded_record_is_left_out, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_record_under_way_ends_the_reading, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_what_comes_meanwhile_is_read_too, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stopped_after_a_record_it_goes_on_with_the_next,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_rounds_of_the_ring, setup, teardown),
		cmocka_unit_test_setup_teardown(test_room_is_given_back_in_pieces, setup, teardown),
		cmocka_unit_test(test_what_cannot_be_mapped_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
