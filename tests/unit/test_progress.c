/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The line of progress on a terminal, which is a pseudo terminal here: after half a second, not
 * before; removed by messages, by the end of the work and by a signal.
 */
#include "runtime/base/log.h"
#include "runtime/base/progress.h"
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#define ERASE "\r\033[K"

static char text[8192];

/* Run `fn` in a child whose terminal is a pseudo terminal; `text` is what it wrote. */
static int run(void (*fn)(void))
{
	size_t n = 0;
	ssize_t got;
	int terminal, status;
	pid_t pid = forkpty(&terminal, NULL, NULL, NULL);

	if (pid == 0) {
		progress_enable();
		fn();
		_exit(0);
	}
	while (n < sizeof(text) - 1 && (got = read(terminal, text + n, sizeof(text) - 1 - n)) > 0)
		n += (size_t)got;
	text[n] = '\0';
	waitpid(pid, &status, 0);
	close(terminal);
	return status;
}

static void take_long(void)
{
	progress_stage(STAGE_CHECK);
	usleep(300000);
	progress_stage(STAGE_ATTACH);
	progress_items(77);
	progress_done(5);
	usleep(400000);
	log_warning("something");
	progress_stage(STAGE_NONE);
}

static void test_line(void **state)
{
	const char *shown = ERASE "sonde: attaching: 5 of 77, ", *at;

	(void)state;
	assert_int_equal(run(take_long), 0);
	assert_memory_equal(text, shown, strlen(shown));
	assert_true(strtod(text + strlen(shown), NULL) >= 0.5);
	at = strstr(text, ERASE "sonde: warning: something\r\n");
	assert_non_null(at);
	assert_true(progress_ns(STAGE_CHECK) == 0); /* in the child */
}

static void take_little(void)
{
	progress_stage(STAGE_CHECK);
	usleep(50000);
	progress_stage(STAGE_RUN); /* has no line */
	usleep(600000);
	progress_stage(STAGE_DETACH);
	usleep(50000);
	progress_stage(STAGE_NONE);
}

static void test_no_line(void **state)
{
	(void)state;
	assert_int_equal(run(take_little), 0);
	assert_string_equal(text, "");
}

static void be_interrupted(void)
{
	progress_stage(STAGE_COMPILE);
	usleep(560000);
	kill(getpid(), SIGINT);
	usleep(100000);
}

static void test_signal(void **state)
{
	size_t n = strlen(ERASE);
	int status = run(be_interrupted);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGINT);
	assert_non_null(strstr(text, "sonde: compiling, 0.5 s"));
	assert_string_equal(text + strlen(text) - n, ERASE);
}

static void test_times(void **state)
{
	(void)state;
	progress_stage(STAGE_CHECK);
	usleep(20000);
	progress_stage(STAGE_PLAN);
	usleep(10000);
	progress_stage(STAGE_CHECK); /* again */
	usleep(20000);
	progress_stage(STAGE_NONE);
	assert_in_range(progress_ns(STAGE_CHECK), 40000000, 400000000);
	assert_in_range(progress_ns(STAGE_PLAN), 10000000, 200000000);
	assert_int_equal(progress_ns(STAGE_RUN), 0);
	assert_string_equal(progress_name(STAGE_PLAN), "plan");
	assert_null(progress_name(STAGE_LIST));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_line),
		cmocka_unit_test(test_no_line),
		cmocka_unit_test(test_signal),
		cmocka_unit_test(test_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
