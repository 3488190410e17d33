/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Symbols of files that come and go: entries of files that no process maps any more are freed, and
 * those of others are kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "runtime/base/clock.h"
#include "runtime/elf/elfsym.h"
#include "runtime/symbols/procmap.h"
#include "runtime/symbols/symfile.h"

enum { N_PROCESSES = 20000, FIRST_TGID = 0x10000000, LIVE = 10 };

static const struct mapping *first_mapping(const struct procmap *p, uint32_t tgid)
{
	size_t n;
	const struct mapping *m = procmap_table(p, tgid, 0, &n);

	assert_true(n > 0);
	return m;
}

/* A process that maps a file of its own, which cannot be opened. */
static void run_one(struct procmap *p, struct symfiles *files, uint32_t tgid, uint64_t time_ns)
{
	struct mapping m = {.start = 0x1000, .end = 0x2000, .seen_ns = time_ns};
	char path[32];

	snprintf(path, sizeof(path), "/nothing/%u", tgid);
	procmap_exec(p, tgid, time_ns, false, "one");
	procmap_mmap(p, tgid, &m, path, 1, tgid);
	assert_null(symfiles_of(files, tgid, first_mapping(p, tgid)));
}

static void test_files_that_come_and_go(void **state)
{
	struct procmap *p = procmap_new();
	struct symfiles files = {.maps = p};
	struct symfile *live[LIVE];
	uint64_t time_ns = 1;
	size_t most = 0;

	(void)state;
	for (uint32_t i = 0; i < N_PROCESSES; i++, time_ns += PROCMAP_ENDED_NS / 8) {
		run_one(p, &files, FIRST_TGID + i, time_ns);
		if (i < LIVE)
			live[i] = first_mapping(p, FIRST_TGID + i)->file->symbols;
		else
			procmap_exit(p, FIRST_TGID + i, time_ns);
		procmap_expire(p, time_ns);
		if (symfiles_count(&files) > most)
			most = symfiles_count(&files);
	}
	/* twice the 20 that are mapped, and 256 */
	assert_true(most <= 300);
	for (uint32_t i = 0; i < LIVE; i++) {
		assert_ptr_equal(first_mapping(p, FIRST_TGID + i)->file->symbols, live[i]);
		assert_null(symfiles_of(&files, FIRST_TGID + i, first_mapping(p, FIRST_TGID + i)));
		assert_ptr_equal(first_mapping(p, FIRST_TGID + i)->file->symbols, live[i]);
	}
	procmap_free(p);
	symfiles_free(&files);
}

/* A file that is open, of a process that has ended, stays so. */
static void test_open_files_stay(void **state)
{
	const uint32_t self = (uint32_t)getpid();
	struct procmap *p = procmap_new();
	struct symfiles files = {.maps = p};
	const struct elfsym *elf;
	uint64_t time_ns;

	(void)state;
	assert_int_equal(procmap_read_process(p, self, UINT64_MAX), 0);
	elf = symfiles_of(&files, self, first_mapping(p, self));
	assert_non_null(elf);
	time_ns = monotonic_ns();
	procmap_exit(p, self, time_ns);
	procmap_expire(p, time_ns + 2 * PROCMAP_ENDED_NS);
	assert_int_equal(procmap_count(p), 0);
	for (uint32_t i = 0; i < 1000; i++)
		run_one(p, &files, FIRST_TGID + i, time_ns + i);
	assert_int_equal(procmap_read_process(p, self, UINT64_MAX), 0);
	assert_ptr_equal(symfiles_of(&files, self, first_mapping(p, self)), elf);
	assert_int_equal(files.n_open, 1);
	procmap_free(p);
	symfiles_free(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_files_that_come_and_go),
		cmocka_unit_test(test_open_files_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
