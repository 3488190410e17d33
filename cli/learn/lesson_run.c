/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a lesson's program: see lesson_run.h. The run is a process of its own, as it is from the
 * shell: it may fail, and it leaves nothing behind.
 */
#include "cli/learn/lesson_run.h"
#include "cli/run/run.h"
#include "cli/run/walk.h"
#include "parser/base/arena.h"
#include "runtime/base/log.h"
#include "runtime/run/command.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_WORDS = 64 };

static void be_quiet(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
}

/* In the child process: trace as `sonde -c WORKLOAD OPTIONS -e PROGRAM` does. */
static int trace(struct arena *a, const struct lesson *l, const char *program, FILE *rows)
{
	const struct run_watch watch = {.rows = rows};
	char **options = command_words(l->options ?: ""), *words[MAX_WORDS] = {"sonde", "-c"};
	struct options o;
	int n = 2, status;

	words[n++] = (char *)(uintptr_t)lesson_workload(a, l);
	for (char **w = options; w && *w && n < MAX_WORDS - 3; w++)
		words[n++] = *w;
	words[n++] = "-e";
	words[n++] = arena_strdup(a, program);
	if (options_parse(&o, n, words))
		return 1;
	o.watch = &watch;
	status = walk(&o);
	options_free(&o);
	return status;
}

int lesson_wait(pid_t pid)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	int status = 0;

	sigaction(SIGINT, &ignore, &before); /* SIGINT ends the tracing of the child */
	TEMP_FAILURE_RETRY(waitpid(pid, &status, 0));
	sigaction(SIGINT, &before, NULL);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

int lesson_run(struct arena *a, const struct lesson *l, const char *program, bool quiet,
	       struct shown *out)
{
	int fd = memfd_create("sonde-rows", MFD_CLOEXEC), status;
	FILE *rows = fd >= 0 ? fdopen(fd, "w+") : NULL;
	pid_t pid;

	fflush(NULL);
	pid = rows ? fork() : -1;
	if (pid == 0) {
		if (quiet)
			be_quiet();
		status = trace(a, l, program, rows);
		fflush(NULL);
		_exit(status);
	}
	if (pid < 0) {
		log_error("cannot run the program: %s", strerror(errno));
		if (rows)
			fclose(rows);
		return -1;
	}
	status = lesson_wait(pid);
	shown_read(a, rows, out);
	out->status = status;
	fclose(rows);
	return 0;
}

bool lesson_can_run(const struct lesson *l)
{
	const char *words[] = {"sonde", "--check", "-e", l->needs};
	struct options o;
	pid_t pid;
	int status;

	if (!l->needs)
		return true;
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		be_quiet();
		status = options_parse(&o, 4, (char **)(uintptr_t)words) ? 1 : walk(&o);
		_exit(status);
	}
	return pid > 0 && lesson_wait(pid) == 0;
}

/* ---- judging ----------------------------------------------------------------------------- */

static const char *fill(struct arena *a, const char *text, const char *program,
			const struct shown *shown)
{
	const char *error;

	return lesson_fill(a, text, shown, program, &error) ?: text;
}

/* The range in words, from its text in the lesson: "40", "between 38 and 42", "at least 1.9s". */
static const char *range_words(struct arena *a, const char *range)
{
	const char *dots = strstr(range, "..");

	if (!dots)
		return range;
	if (dots == range)
		return arena_printf(a, "at most %s", dots + 2);
	if (!dots[2])
		return arena_printf(a, "at least %.*s", (int)(dots - range), range);
	return arena_printf(a, "between %.*s and %s", (int)(dots - range), range, dots + 2);
}

/* The value in the unit of time in which the range is written. */
static const char *value_words(struct arena *a, long long n, const char *range)
{
	if (strstr(range, "ms"))
		return arena_printf(a, "%.1fms", (double)n / 1e6);
	if (strstr(range, "us"))
		return arena_printf(a, "%.1fus", (double)n / 1e3);
	if (strchr(range, 's') && !strstr(range, "ns"))
		return arena_printf(a, "%.2fs", (double)n / 1e9);
	return arena_printf(a, "%lld", n);
}

static bool has_shown_nothing(const struct shown *shown)
{
	return !shown->n_rows && !shown->n_lines;
}

/* Describe a failure that is none of the lesson's known mistakes. */
static const char *describe_failure(struct arena *a, const struct condition *c, const char *program,
				    const struct shown *shown)
{
	const char *is = strstr(c->text, " is ");
	long long n = measure_value(&c->measure, shown, program);

	if (shown->status)
		return "The program did not run: the message above says why.";
	if (has_shown_nothing(shown) && c->measure.subject != SUBJECT_STATUS)
		return "Your program printed nothing: its probe never fired, its condition never held, or "
		       "its block fills no map.";
	if (!is)
		return arena_printf(a, "The program does not do what the lesson asks for: %s.",
				    c->text);
	is += strlen(" is ");
	return arena_printf(a, "In your program's output, %s is %s; it should be %s.",
			    measure_words(a, &c->measure), value_words(a, n, is),
			    range_words(a, is));
}

/* Is the mistake about what was shown, such as `total is ..90` or `total of "X" is 0` (a number
 * that is too small, rows that lack a key)? It does not apply to a program that has shown
 * nothing. */
static bool is_of_shown(const struct mistake *m)
{
	return m->when.measure.subject != SUBJECT_PROGRAM &&
	       (m->when.low == INT64_MIN || m->when.measure.n_keys);
}

/* Does the program make the mistake? If it did not run, it has shown nothing, and only its text is
 * judged. */
static bool is_made(const struct mistake *m, const char *program, const struct shown *shown)
{
	enum subject subject = m->when.measure.subject;

	if (shown->status && subject != SUBJECT_PROGRAM && subject != SUBJECT_STATUS)
		return false;
	if (has_shown_nothing(shown) && is_of_shown(m))
		return false;
	return condition_holds(&m->when, shown, program);
}

void lesson_judge(struct arena *a, const struct lesson *l, const char *program,
		  const struct shown *shown, struct verdict *out)
{
	const struct condition *failed = NULL;

	*out = (struct verdict){0};
	for (uint32_t i = 0; i < l->n_expects && !failed; i++)
		if (!condition_holds(&l->expects[i], shown, program))
			failed = &l->expects[i];
	if (!failed && !shown->status) {
		out->is_solved = true;
		out->text = fill(a, l->found, program, shown);
		return;
	}
	for (uint32_t i = 0; i < l->n_mistakes && !out->mistake; i++)
		if (is_made(&l->mistakes[i], program, shown))
			out->mistake = &l->mistakes[i];
	if (out->mistake)
		out->text = fill(a, out->mistake->say, program, shown);
	else
		out->text = describe_failure(a, failed ?: l->expects, program, shown);
}
