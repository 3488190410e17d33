/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime/run/command.c: splitting of -c into words, and a command held until it is released.
 */
#include "runtime/run/command.h"
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

/* `want`: the words, each ended by '|'. NULL: EINVAL. */
static void check_words(const char *text, const char *want)
{
	char **words, got[200] = "";

	print_message("%s\n", text);
	errno = 0;
	words = command_words(text);
	if (!want) {
		assert_null(words);
		assert_int_equal(errno, EINVAL);
		return;
	}
	assert_non_null(words);
	for (char **w = words; *w; w++) {
		strcat(got, *w);
		strcat(got, "|");
	}
	assert_string_equal(got, want);
	command_free_words(words);
}

static void test_words(void **state)
{
	(void)state;
	check_words("ls", "ls|");
	check_words("  ls\t-l \n /tmp ", "ls|-l|/tmp|");
	check_words("a b c d e f", "a|b|c|d|e|f|");
	check_words("sh -c 'echo \"a  b\"'", "sh|-c|echo \"a  b\"|");
	check_words("\"a b\"'c d'e", "a bc de|");
	check_words("a\\ b \\'c\\'", "a b|'c'|");
	check_words("\"a\\\"b\\$\\`\\\\c\\n\"", "a\"b$`\\c\\n|");
	check_words("'a\\b'", "a\\b|");
	check_words("a '' \"\" b", "a|||b|");
	check_words("'' '' ''", "|||");
	check_words("$HOME *", "$HOME|*|");
	check_words("a\\", "a\\|");
}

static void test_bad_words(void **state)
{
	(void)state;
	check_words("", NULL);
	check_words(" \t\n", NULL);
	check_words("a 'b", NULL);
	check_words("a \"b", NULL);
	check_words("a \"b\\\"", NULL);
	check_words("it's", NULL);
	command_free_words(NULL);
}

/* It is stopped at its first instruction, so the program has been executed. */
static void check_is_shell(pid_t pid)
{
	char link[40], program[200] = "";

	snprintf(link, sizeof(link), "/proc/%d/exe", pid);
	assert_true(readlink(link, program, sizeof(program) - 1) > 0);
	assert_non_null(strstr(program, "sh"));
}

/* It has done nothing yet, and does it when released. */
static void check_held(bool is_executed)
{
	struct command c = {.gate = -1};
	char **words = command_words("sh -c 'exit 3'");
	siginfo_t info = {0};
	int status = 0;

	assert_int_equal(command_start(&c, words), 0);
	assert_true(c.pid > 0);
	assert_int_equal(is_executed ? command_execute(&c) : 0, 0);
	if (is_executed)
		check_is_shell(c.pid);
	usleep(20000);
	assert_int_equal(waitid(P_PID, (id_t)c.pid, &info, WEXITED | WNOHANG), 0);
	assert_int_equal(info.si_pid, 0);
	command_release(&c);
	assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	c.pid = 0;
	command_stop(&c);
	command_free_words(words);
}

static void test_gate(void **state)
{
	(void)state;
	check_held(false);
}

static void test_execute(void **state)
{
	(void)state;
	check_held(true);
}

/* A signal on the way to exec is the command's own affair. */
static void test_execute_signalled(void **state)
{
	struct command c = {.gate = -1, .report = -1};
	char **words = command_words("true");
	int status = 0;

	(void)state;
	assert_int_equal(command_start(&c, words), 0);
	assert_int_equal(kill(c.pid, SIGSTOP), 0);
	assert_int_equal(waitpid(c.pid, &status, WUNTRACED), c.pid);
	assert_int_equal(kill(c.pid, SIGUSR1), 0);
	assert_int_equal(kill(c.pid, SIGCONT), 0);
	assert_int_equal(command_execute(&c), -ECHILD);
	assert_int_equal(waitpid(c.pid, &status, 0), c.pid);
	assert_int_equal(WTERMSIG(status), SIGUSR1);
	assert_int_equal(command_failure(&c), 0);
	command_free_words(words);
}

static void test_execute_nothing(void **state)
{
	static const char text[] = "#!/no/such/program\n";
	char path[] = "/tmp/sonde-command-XXXXXX";
	struct command c = {.gate = -1};
	int fd = mkstemp(path);

	(void)state;
	assert_int_equal(write(fd, text, sizeof(text) - 1), sizeof(text) - 1);
	assert_int_equal(fchmod(fd, 0700), 0);
	close(fd);
	assert_int_equal(command_start(&c, (char *const[]){path, NULL}), 0);
	assert_int_equal(command_execute(&c), -ECHILD);
	assert_int_equal(command_failure(&c), -ENOENT);
	command_stop(&c);
	unlink(path);
}

/* What was never released has done nothing, though it would not mind SIGTERM. */
static void check_stopped_early(bool is_executed)
{
	char path[] = "/tmp/sonde-command-XXXXXX";
	struct command c = {.gate = -1};

	close(mkstemp(path));
	signal(SIGTERM, SIG_IGN);
	assert_int_equal(command_start(&c, (char *const[]){"rm", path, NULL}), 0);
	signal(SIGTERM, SIG_DFL);
	if (is_executed)
		assert_int_equal(command_execute(&c), 0);
	command_stop(&c);
	assert_int_equal(c.pid, 0);
	assert_int_equal(unlink(path), 0);
}

static void test_stop(void **state)
{
	struct command c = {.gate = -1};
	char **words = command_words("sleep 100");

	(void)state;
	assert_int_equal(command_start(&c, words), 0);
	command_release(&c);
	command_stop(&c);
	assert_int_equal(c.pid, 0);
	command_free_words(words);
	check_stopped_early(false);
	check_stopped_early(true);
}

static void test_no_program(void **state)
{
	struct command c = {.gate = -1};

	(void)state;
	assert_int_equal(command_start(&c, (char *const[]){"no-such-program-here", NULL}), -ENOENT);
	assert_int_equal(command_start(&c, (char *const[]){"/no/such/program", NULL}), -ENOENT);
	assert_int_equal(command_start(&c, (char *const[]){"/etc/passwd", NULL}), -EACCES);
	assert_int_equal(c.pid, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_bad_words),
		cmocka_unit_test(test_gate),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_no_program),
		cmocka_unit_test(test_execute),
		cmocka_unit_test(test_execute_signalled),
		cmocka_unit_test(test_execute_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
