/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mapping tables: overlaps, generations, how exec ids find them, sharing at fork, and the bounds on
 * what is kept of ended processes. Needs no root: records are made up; /proc/self/maps is read.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "runtime/symbols/procmap.h"

#define SECOND 1000000000ull

static void map_at(struct procmap *p, uint32_t tgid, uint64_t start, uint64_t end, uint64_t offset,
		   const char *path)
{
	struct mapping m = {.start = start, .end = end, .file_offset = offset};

	procmap_mmap(p, tgid, &m, path, 1, (uint64_t)(unsigned char)path[1]);
}

static void assert_is(const struct mapping *m, uint64_t address, const char *path,
		      uint64_t file_offset)
{
	if (!path) {
		assert_null(m);
		return;
	}
	assert_non_null(m);
	assert_string_equal(m->file->path, path);
	assert_int_equal(address - m->start + m->file_offset, file_offset);
}

static void assert_mapped(struct procmap *p, uint32_t tgid, uint32_t exec_id, uint64_t address,
			  const char *path, uint64_t file_offset)
{
	bool is_newest;

	assert_is(procmap_find(p, tgid, exec_id, address, UINT64_MAX, &is_newest), address, path,
		  file_offset);
}

static void test_overlap(void **state)
{
	struct procmap *p = procmap_new();

	(void)state;
	procmap_exec(p, 1, 10, false, "x");
	map_at(p, 1, 0x5000, 0x9000, 0, "/a");
	map_at(p, 1, 0x1000, 0x3000, 0x100, "/b");
	assert_mapped(p, 1, 0, 0x0fff, NULL, 0);
	assert_mapped(p, 1, 0, 0x1000, "/b", 0x100);
	assert_mapped(p, 1, 0, 0x3000, NULL, 0);
	assert_mapped(p, 1, 0, 0x8fff, "/a", 0x3fff);
	map_at(p, 1, 0x6000, 0x7000, 0, "/c"); /* inside: both ends of /a stay */
	assert_mapped(p, 1, 0, 0x5fff, "/a", 0xfff);
	assert_mapped(p, 1, 0, 0x6000, "/c", 0);
	assert_mapped(p, 1, 0, 0x7000, "/a", 0x2000);
	map_at(p, 1, 0x2000, 0x6800, 0, "/d"); /* over three */
	assert_mapped(p, 1, 0, 0x1fff, "/b", 0x10ff);
	assert_mapped(p, 1, 0, 0x2000, "/d", 0);
	assert_mapped(p, 1, 0, 0x67ff, "/d", 0x47ff);
	assert_mapped(p, 1, 0, 0x6800, "/c", 0x800);
	map_at(p, 1, 0, 0x10000, 0, "/e");
	assert_mapped(p, 1, 0, 0x6800, "/e", 0x6800);
	procmap_free(p);
}

/* The same as test_overlap against a table of one entry a page. */
static void test_overlap_random(void **state)
{
	struct procmap *p = procmap_new();
	uint64_t offsets[64] = {0};
	char names[64] = {0};
	uint32_t seed = 7;

	(void)state;
	procmap_exec(p, 1, 10, false, "x");
	for (int i = 0; i < 3000; i++) {
		char path[] = "/?";
		uint32_t from, to;

		seed = seed * 1664525 + 1013904223;
		from = seed >> 8 & 63;
		to = from + 1 + (seed >> 16) % (64 - from);
		path[1] = (char)('a' + (seed >> 24) % 20);
		map_at(p, 1, from * 0x1000u, to * 0x1000u, (seed >> 4 & 255) * 0x1000u, path);
		for (uint32_t k = from; k < to; k++) {
			names[k] = path[1];
			offsets[k] = (seed >> 4 & 255) * 0x1000u + (k - from) * 0x1000u;
		}
		for (uint32_t k = 0; k < 64; k++) {
			path[1] = names[k];
			assert_mapped(p, 1, 0, k * 0x1000u + 5, names[k] ? path : NULL,
				      offsets[k] + 5);
		}
	}
	procmap_free(p);
}

static void map_then(struct procmap *p, uint64_t time_ns, uint64_t start, uint64_t end,
		     uint64_t offset, const char *path)
{
	struct mapping m = {.start = start, .end = end, .file_offset = offset, .seen_ns = time_ns};

	procmap_mmap(p, 1, &m, path, 1, (uint64_t)(unsigned char)path[1]);
}

static void assert_mapped_then(struct procmap *p, uint64_t time_ns, uint64_t address,
			       const char *path, uint64_t file_offset)
{
	bool is_newest;

	assert_is(procmap_find(p, 1, 0, address, time_ns, &is_newest), address, path, file_offset);
}

/* Libraries that are loaded in the place of others. */
static void test_former(void **state)
{
	struct procmap *p = procmap_new();

	(void)state;
	procmap_exec(p, 1, 10, false, "x");
	map_then(p, 20, 0x1000, 0x3000, 0, "/a");
	map_then(p, 20, 0x8000, 0x9000, 0, "/e");
	map_then(p, 30, 0x2000, 0x4000, 0x100, "/b");
	map_then(p, 40, 0x1000, 0x2000, 0, "/c");
	map_then(p, 50, 0x1000, 0x3000, 0, "/a");
	assert_mapped_then(p, 19, 0x1000, NULL, 0);
	assert_mapped_then(p, 20, 0x1000, "/a", 0);
	assert_mapped_then(p, 29, 0x2800, "/a", 0x1800);
	assert_mapped_then(p, 30, 0x2800, "/b", 0x900);
	assert_mapped_then(p, 39, 0x1800, "/a", 0x800);
	assert_mapped_then(p, 49, 0x1800, "/c", 0x800);
	assert_mapped_then(p, 50, 0x1800, "/a", 0x800);
	assert_mapped_then(p, 60, 0x3800, "/b", 0x1900); /* what remains of it */
	/* At an unknown time: only what was never replaced. */
	assert_mapped_then(p, 0, 0x1800, NULL, 0);
	assert_mapped_then(p, 0, 0x2800, NULL, 0);
	assert_mapped_then(p, 0, 0x3800, "/b", 0x1900);
	assert_mapped_then(p, 0, 0x8800, "/e", 0x800);
	procmap_free(p);
}

/* The same file at the same place again, and memory of a JIT compiler, need no time. */
static void test_former_same(void **state)
{
	struct procmap *p = procmap_new();

	(void)state;
	procmap_exec(p, 1, 10, false, "x");
	map_then(p, 20, 0x1000, 0x3000, 0, "/a");
	map_then(p, 30, 0x1000, 0x4000, 0, "/a");
	assert_mapped_then(p, 25, 0x1800, "/a", 0x800);
	assert_mapped_then(p, 0, 0x1800, "/a", 0x800);
	for (uint64_t i = 0; i < 10000; i++)
		map_then(p, 100 + i, 0x10000 + (i & 7) * 0x1000, 0x20000, 0, "[anon");
	map_then(p, 10000, 0x20000, 0x21000, 0, "/b"); /* nothing was forgotten */
	assert_mapped_then(p, 0, 0x20800, "/b", 0x800);
	assert_mapped_then(p, 100, 0x1f000, "[anon", 0x8000);
	procmap_free(p);
}

/* Of a process that loads libraries for ever, the last changes are kept; older stacks have no
 * names instead of wrong ones. */
static void test_former_bounds(void **state)
{
	const uint64_t n = 3 * FORMER_MAX;
	struct procmap *p = procmap_new();

	(void)state;
	procmap_exec(p, 1, 10, false, "x");
	map_then(p, 20, 0x8000, 0x9000, 0, "/e");
	for (uint64_t i = 0; i < n; i++)
		map_then(p, 100 + i, 0x1000, 0x2000, 0, i & 1 ? "/a" : "/b");
	assert_mapped_then(p, 100, 0x1000, NULL, 0);
	assert_mapped_then(p, 100 + n - 1000, 0x1000, "/b", 0);
	assert_mapped_then(p, 100 + n - 999, 0x1000, "/a", 0);
	assert_mapped_then(p, 0, 0x8000, "/e", 0);
	map_then(p, 200 + n, 0x20000, 0x21000, 0, "/c");
	assert_mapped_then(p, 300 + n, 0x20000, "/c", 0);
	assert_mapped_then(p, 0, 0x20000, NULL, 0); /* it is not known what was there */
	procmap_free(p);
}

/* Three programs one after the other, distinguished by one bound exec id. */
static void test_generations(void **state)
{
	struct procmap *p = procmap_new();

	(void)state;
	procmap_exec(p, 1, 100, false, "x");
	map_at(p, 1, 0x1000, 0x2000, 0, "/a");
	procmap_exec(p, 1, 200, false, "x");
	map_at(p, 1, 0x1000, 0x2000, 0, "/b");
	procmap_exec(p, 1, 300, false, "x");
	map_at(p, 1, 0x1000, 0x2000, 0, "/c");
	assert_mapped(p, 1, 99, 0x1000, "/c", 0); /* nothing is bound: the newest */
	assert_int_equal(procmap_bind(p, 1, 41, 250), 0);
	assert_true(procmap_is_bound(p, 1, 41));
	assert_false(procmap_is_bound(p, 1, 42));
	assert_mapped(p, 1, 40, 0x1000, "/a", 0);
	assert_mapped(p, 1, 41, 0x1000, "/b", 0);
	assert_mapped(p, 1, 42, 0x1000, "/c", 0);
	assert_mapped(p, 1, 43, 0x1000, NULL, 0);
	assert_mapped(p, 1, 39, 0x1000, NULL, 0);
	/* An id in a generation that another id holds: an exec was missed. */
	assert_int_equal(procmap_bind(p, 1, 42, 350), 0);
	assert_int_equal(procmap_bind(p, 1, 43, 400000000), -EAGAIN);
	assert_int_equal(procmap_bind(p, 2, 1, 1), -ESRCH);
	procmap_free(p);
}

/* A stack inside execve carries the old id after the exec record. */
static void test_bind_race(void **state)
{
	struct procmap *p = procmap_new();

	(void)state;
	procmap_exec(p, 1, 100, false, "x");
	map_at(p, 1, 0x1000, 0x2000, 0, "/a");
	procmap_exec(p, 1, 1000, false, "x");
	map_at(p, 1, 0x1000, 0x2000, 0, "/b");
	procmap_bind(p, 1, 5, 1010);
	assert_int_equal(procmap_bind(p, 1, 6, 2000000), 0);
	assert_mapped(p, 1, 5, 0x1000, "/a", 0);
	assert_mapped(p, 1, 6, 0x1000, "/b", 0);
	procmap_free(p);
}

static void test_fork(void **state)
{
	struct procmap *p = procmap_new();
	size_t n;

	(void)state;
	procmap_exec(p, 1, 100, false, "x");
	map_at(p, 1, 0x1000, 0x2000, 0, "/a");
	procmap_bind(p, 1, 7, 150);
	for (uint32_t child = 2; child < 1000; child++)
		procmap_fork(p, 1, child, 200);
	procmap_fork(p, 1, 1, 200);	  /* a thread */
	procmap_fork(p, 5555, 5556, 200); /* of an unknown one */
	assert_int_equal(procmap_count(p), 999);
	/* Shared, with the parent's exec id. */
	assert_ptr_equal(procmap_table(p, 2, 7, &n), procmap_table(p, 1, 7, &n));
	map_at(p, 1, 0x1000, 0x2000, 0, "/b"); /* the parent goes on alone */
	map_at(p, 2, 0x3000, 0x4000, 0, "/c");
	assert_mapped(p, 1, 7, 0x1000, "/b", 0);
	assert_mapped(p, 2, 7, 0x1000, "/a", 0);
	assert_mapped(p, 2, 7, 0x3000, "/c", 0);
	assert_mapped(p, 3, 7, 0x3000, NULL, 0);
	procmap_exec(p, 3, 300, true, "x");
	map_at(p, 3, 0x8000, 0x9000, 0, "/d");
	assert_mapped(p, 3, 8, 0x8000, "/d", 0);
	assert_mapped(p, 3, 7, 0x1000, "/a", 0);
	assert_int_equal(procmap_parent(p, 3), 1);
	procmap_free(p);
}

/* A pid that is used again keeps what stacks of its former life need. */
static void test_pid_reuse(void **state)
{
	struct procmap *p = procmap_new();

	(void)state;
	procmap_exec(p, 1, 100, false, "x");
	map_at(p, 1, 0x1000, 0x2000, 0, "/a");
	procmap_exec(p, 9, 100, false, "x");
	map_at(p, 9, 0x1000, 0x2000, 0, "/b");
	procmap_bind(p, 9, 3, 150);
	procmap_exit(p, 9, 200);
	procmap_fork(p, 1, 9, 300);
	procmap_exec(p, 9, 400, false, "x");
	map_at(p, 9, 0x1000, 0x2000, 0, "/c");
	procmap_bind(p, 9, 8, 450);
	assert_mapped(p, 9, 3, 0x1000, "/b", 0);
	assert_mapped(p, 9, 7, 0x1000, "/a", 0);
	assert_mapped(p, 9, 8, 0x1000, "/c", 0);
	procmap_free(p);
}

static void test_bounds(void **state)
{
	struct procmap *p = procmap_new();
	uint32_t tgid = 2;

	(void)state;
	procmap_exec(p, 1, 1, false, "x");
	map_at(p, 1, 0x1000, 0x2000, 0, "/a");
	for (; tgid < 20000; tgid++) { /* short-lived ones, a millisecond apart */
		procmap_fork(p, 1, tgid, tgid * 1000000ull);
		procmap_exit(p, tgid, tgid * 1000000ull);
		procmap_expire(p, tgid * 1000000ull);
		assert_true(procmap_count(p) <= PROCMAP_ENDED_MAX + 2);
	}
	procmap_expire(p, 40 * SECOND);
	assert_int_equal(procmap_count(p), 1);
	for (; tgid < 40000; tgid++) {
		procmap_fork(p, 1, tgid, tgid * 1000000ull);
		procmap_bind(p, tgid, 1, tgid * 1000000ull);
		procmap_exit(p, tgid, tgid * 1000000ull);
		procmap_expire(p, tgid * 1000000ull);
	}
	assert_int_equal(procmap_count(p), 1 + PROCMAP_BOUND_MAX);
	assert_int_equal(procmap_evicted(p), 20000 - PROCMAP_BOUND_MAX);
	assert_true(procmap_is_bound(p, tgid - 1, 1));
	procmap_unbind(p, tgid - 1); /* no stack refers to it any more */
	assert_false(procmap_is_bound(p, tgid - 1, 1));
	assert_int_equal(procmap_count(p), PROCMAP_BOUND_MAX);
	procmap_unbind(p, tgid - 1); /* gone: nothing */
	procmap_fork(p, 1, tgid, tgid * 1000000ull);
	procmap_bind(p, tgid, 1, tgid * 1000000ull);
	procmap_exit(p, tgid, tgid * 1000000ull);
	for (uint32_t i = 0; i < 1000; i++)
		procmap_exec(p, 1, 100 * SECOND + i, true, "x");
	assert_int_equal(procmap_count(p), 1 + PROCMAP_BOUND_MAX);
	procmap_free(p);
}

static void test_proc(void **state)
{
	struct procmap *p = procmap_new();
	uint32_t self = (uint32_t)getpid();
	bool is_newest;
	const struct mapping *m;
	char exe[256];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	(void)state;
	exe[n > 0 ? n : 0] = '\0';
	assert_false(procmap_is_known(p, self));
	assert_int_equal(procmap_read_process(p, self, 1), -ESRCH); /* we are younger than that */
	assert_int_equal(procmap_read_process(p, self, UINT64_MAX), 0);
	assert_true(procmap_is_known(p, self));
	m = procmap_find(p, self, 0, (uintptr_t)test_proc, 0, &is_newest);
	assert_non_null(m);
	assert_string_equal(m->file->path, exe);
	assert_true(is_newest);
	/* Read again: the same generation, nothing twice. */
	assert_int_equal(procmap_read_process(p, self, UINT64_MAX), 0);
	assert_ptr_equal(m, procmap_find(p, self, 0, (uintptr_t)test_proc, 0, &is_newest));
	/* The record of an exec whose outcome was just read makes no new one; a later one does. */
	procmap_exec(p, self, 12345, false, "x");
	assert_non_null(procmap_find(p, self, 0, (uintptr_t)test_proc, 0, &is_newest));
	procmap_exec(p, self, UINT64_MAX, false, "x");
	assert_null(procmap_find(p, self, 0, (uintptr_t)test_proc, 0, &is_newest));
	assert_int_equal(procmap_read_process(p, 0x7ffffff0, UINT64_MAX), -ENOENT);
	procmap_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlap),	      cmocka_unit_test(test_overlap_random),
		cmocka_unit_test(test_former),	      cmocka_unit_test(test_former_same),
		cmocka_unit_test(test_former_bounds), cmocka_unit_test(test_generations),
		cmocka_unit_test(test_bind_race),     cmocka_unit_test(test_fork),
		cmocka_unit_test(test_pid_reuse),     cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
