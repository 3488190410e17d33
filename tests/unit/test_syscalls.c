/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscall_number(): names that differ between the kernel's tracepoints and the C library, and (as
 * root) every syscalls:sys_enter_NAME of the running kernel. One without a number still works, as a
 * slower perf event.
 */
#include "parser/lang/syscalls.h"
#include "parser/lang/probe.h"
#include "runtime/kernel/tracefs.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>

static void test_known(void **state)
{
	(void)state;
	assert_int_equal(syscall_number("read"), SYS_read);
	assert_int_equal(syscall_number("openat"), SYS_openat);
	assert_int_equal(syscall_number("getppid"), SYS_getppid);
	assert_int_equal(syscall_number("newfstat"), SYS_fstat);
	assert_int_equal(syscall_number("newuname"), SYS_uname);
	assert_int_equal(syscall_number("umount"), SYS_umount2);
	assert_int_equal(syscall_number("sendfile64"), SYS_sendfile);
#ifdef SYS_stat
	assert_int_equal(syscall_number("newstat"), SYS_stat);
	assert_int_equal(syscall_number("newlstat"), SYS_lstat);
#endif
#ifdef __aarch64__
	assert_int_equal(syscall_number("openat"), 56);
	assert_int_equal(syscall_number("arm64_personality"), SYS_personality);
	assert_int_equal(syscall_number("fadvise64_64"), SYS_fadvise64);
	assert_int_equal(syscall_number("open"), -1);
	assert_int_equal(syscall_number("poll"), -1);
	assert_int_equal(syscall_number("uprobe"), -1);
#endif
	assert_int_equal(syscall_number("cachestat"), 451);
	assert_int_equal(syscall_number("file_setattr"), 469);
	assert_int_equal(syscall_number("no_such_call"), -1);
	assert_int_equal(syscall_number(""), -1);
	assert_int_equal(syscall_number("READ"), -1);
}

static void test_newer(void **state)
{
	static const struct newer_call rows[] = {
#define NEWER_CALL(name, instead) {name, instead},
#include "parser/lang/newer_calls.def"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *instead = syscall_newer(rows[i].name)->instead;

		assert_int_equal(instead == NULL, rows[i].instead == NULL);
		if (!instead)
			continue;
		assert_string_equal(instead, rows[i].instead);
		assert_true(syscall_number(instead) >= 0);
	}
	assert_string_equal(syscall_newer("open")->instead, "openat");
	assert_null(syscall_newer("openat"));
	assert_null(syscall_newer("ope"));
}

struct tally {
	uint32_t n, n_missing;
};

static void check_event(const char *name, void *ctx)
{
	static const char prefix[] = "syscalls:sys_enter_";
	struct tally *t = ctx;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0)
		return;
	t->n++;
	if (syscall_number(name + sizeof(prefix) - 1) >= 0)
		return;
	print_message("%s has no number: a line in parser/lang/syscalls.c is missing\n", name);
	t->n_missing++;
}

static void test_this_kernel(void **state)
{
	struct tally t = {0};
	int fd = *(int *)*state;

	assert_int_equal(tracefs_each_event(fd, "syscalls", check_event, &t), 0);
	assert_true(t.n > 200);
	assert_int_equal(t.n_missing, 0);
}

int main(void)
{
	const struct CMUnitTest always[] = {cmocka_unit_test(test_known),
					    cmocka_unit_test(test_newer)};
	/* in qemu-user, the kernel is not that of the machine */
	int fd = getenv("SONDE_EMULATED") ? -ENOSYS : tracefs_open(), failed;
	const struct CMUnitTest here[] = {cmocka_unit_test_prestate(test_this_kernel, &fd)};

	failed = cmocka_run_group_tests(always, NULL, NULL);
	if (fd < 0) {
		printf("skip: tracefs cannot be read (root, and no emulator): %s\n", strerror(-fd));
		return failed ? 1 : 77;
	}
	failed += cmocka_run_group_tests(here, NULL, NULL);
	close(fd);
	return failed != 0;
}
