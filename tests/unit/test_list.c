/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -l with the fake kernel: how patterns are read, the order and form of the output, and the exit
 * status. The lines of each probe type are in test_list_lines.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include "fake_kernel.h"
#include "runtime/list/list.h"

static void check_in(struct world *w, const char *patterns, bool fields, int status,
		     const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	print_message("%s\n", patterns);
	assert_int_equal(list_probes(&w->kernel.k, patterns, fields, out), status);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void check(const char *patterns, int status, const char *expected)
{
	struct world w;

	world_init(&w);
	check_in(&w, patterns, false, status, expected);
	world_free(&w);
}

/* A type with or without names, names without a type, words, and pattern of types. */
static void test_patterns(void **state)
{
	(void)state;
	check("iter", 0, "iter:task_file\n");
	check("t:sched", 0, "tracepoint:sched:sched_process_exec\ntracepoint:sched:sched_switch\n");
	check("sched_sw*", 0,
	      "rawtracepoint:vmlinux:sched_switch\ntracepoint:sched:sched_switch\n");
	check("ched_switc", 0,
	      "rawtracepoint:vmlinux:sched_switch\ntracepoint:sched:sched_switch\n");
	check("*:vfs_read", 0, "fentry:vmlinux:vfs_read\nkprobe:vfs_read\n");
	check("BEGIN", 0, "BEGIN\n");
	check("uprobe:/bin/app", 0,
	      "uprobe:/bin/app:__handle\nuprobe:/bin/app:_start\nuprobe:/bin/app:handle\n"
	      "uprobe:/bin/app:main\n");
}

/* Commas separate patterns, but not in quotes. Lines are sorted, and printed once. */
static void test_several(void **state)
{
	(void)state;
	check("kprobe:vfs_write,kprobe:vfs_*,iter", 0,
	      "iter:task_file\nkprobe:vfs_read\nkprobe:vfs_write\n");
	check("uprobe:/bin/cpp:\"ns::find(int, int)\"", 0,
	      "uprobe:/bin/cpp:cpp:\"ns::find(int, int)\"\n");
	check("kprobe:vfs_*, !vfs_read", 0, "kprobe:vfs_write\n");
}

static void test_status(void **state)
{
	struct world w;

	(void)state;
	check("kprobe:nothing_like_it", 1, "");
	check("kprobe:nothing_like_it,iter", 0, "iter:task_file\n");
	check("!vfs_read", 1, "");
	world_init(&w);
	w.kernel.function_err = -13;
	check_in(&w, "kprobe:vfs_*", false, 2, "");
	world_free(&w);
	world_init(&w);
	w.kernel.has_no_kprobes = true;
	check_in(&w, "kprobe:vfs_*", false, 2, "");
	world_free(&w);
}

static void test_fields(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	check_in(
		&w, "tracepoint:sched:sched_process_exec", true, 0,
		"tracepoint:sched:sched_process_exec\n    __data_loc char[] filename\n    pid_t pid\n");
	world_free(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
