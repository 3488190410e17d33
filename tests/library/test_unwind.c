/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library "unwind" by itself: this program links it and the libraries below it, reads its own
 * table, and has the worker put the tables of its process into BPF maps.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>
#include "runtime/unwind/unwind.h"
#include "tests/unit/unwind_lookup.h"

static void table_of_a_file(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct unwind_rules rules = {0};
	const struct unwind_rule *r;
	struct unwind_table t;

	assert_int_equal(unwind_table_read(fd, &rules, &t), 0);
	assert_true(t.n_rows > 0);
	/* At its first instruction, a function's return address is the word at rsp. */
	r = unwind_table_rule(&t, &rules, (uint64_t)(uintptr_t)table_of_a_file);
	assert_int_equal(r->cfa, UNWIND_SP);
	assert_int_equal(r->cfa_offset, 8);
	unwind_table_free(&t);
	unwind_rules_free(&rules);
	close(fd);
}

static void tables_of_a_process(void **state)
{
	struct unwind_worker *w = NULL;
	struct unwind_stats stats;

	if (unwind_worker_start(&w, NULL))
		skip(); /* no right to create BPF maps */
	unwind_worker_add_process(w, (uint32_t)getpid(), false);
	assert_true(unwind_worker_wait(w, 20000000000));
	unwind_worker_stats(w, &stats);
	assert_int_equal(stats.n_processes, 1);
	assert_true(stats.n_files >= 2); /* this one and libc */
	assert_true(stats.n_rows > 1000);
	unwind_worker_stop(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_of_a_file),
		cmocka_unit_test(tables_of_a_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
