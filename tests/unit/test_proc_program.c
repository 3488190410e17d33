/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By which path a program was run: links to /bin/sleep, and files that are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "runtime/base/proc_program.h"
#include "tests/unit/child.h"

static char folder[] = "/tmp/proc-program-XXXXXX";

/* Start `path` with argv[0] = `name`, and wait until it has become that program: what /proc says of its
 * arguments is there later than its file. */
static pid_t start(const char *path, const char *name)
{
	pid_t child = fork();

	if (!child) {
		execl(path, name, "60", NULL);
		_exit(1);
	}
	assert_true(wait_for_sleep(child));
	return child;
}

static void check(const char *path, const char *name, const char *comm, const char *want)
{
	char mapped[PATH_MAX], run[PATH_MAX];
	pid_t child = start(path, name);

	assert_true(proc_program_path((uint32_t)child, mapped));
	assert_string_equal(strrchr(mapped, '/'), "/sleep");
	assert_int_equal(proc_program_link((uint32_t)child, mapped, comm, run), want != NULL);
	if (want)
		assert_string_equal(run, want);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	assert_false(proc_program_link((uint32_t)child, mapped, comm, run));
}

static void test_links(void **state)
{
	char path[PATH_MAX], other[PATH_MAX];

	(void)state;
	assert_int_equal(symlink("/bin/sleep", "doze"), 0);
	snprintf(path, sizeof(path), "%s/doze", folder);
	snprintf(other, sizeof(other), "%s/awake", folder);
	check("/bin/sleep", "sleep", "", NULL);
	check(path, "sleep", "", path);
	check("doze", "sleep", "", path);
	check("././doze", "sleep", "doze", path);
	check("doze", "sleep", "sleep", NULL); /* the record of the exec says otherwise */
	check("/bin/sleep", path, "", path);   /* the first argument */
	check("/bin/sleep", other, "", NULL);  /* which does not exist, */
	close(open("awake", O_CREAT | O_CLOEXEC | O_WRONLY, 0700));
	check("/bin/sleep", other, "", NULL); /* or is another file */
	check("/bin/sleep", "/dev/zero", "", NULL);
	check("/bin/sleep", "", "", NULL);
}

static void test_siblings(void **state)
{
	char path[PATH_MAX], run[PATH_MAX];

	(void)state;
	close(open("target", O_CREAT | O_CLOEXEC | O_WRONLY, 0700));
	assert_int_equal(symlink("target", "link"), 0);
	snprintf(path, sizeof(path), "%s/target", folder);
	assert_true(proc_program_sibling(path, "link", run));
	assert_string_equal(strrchr(run, '/'), "/link");
	assert_false(proc_program_sibling(path, "target", run));
	assert_false(proc_program_sibling(path, "missing", run));
	assert_false(proc_program_sibling(path, "awake", run));
	assert_false(proc_program_sibling(path, "", run));
	assert_false(proc_program_sibling(path, "../link", run));
}

static int enter_folder(void **state)
{
	(void)state;
	return !mkdtemp(folder) || chdir(folder);
}

static int leave_folder(void **state)
{
	(void)state;
	unlink("doze");
	unlink("awake");
	unlink("target");
	unlink("link");
	return chdir("/") || rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_links),
		cmocka_unit_test(test_siblings),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
