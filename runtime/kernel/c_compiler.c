/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a C compiler: see c_compiler.h. Its standard input, output and errors are files in memory.
 * It is a process group of its own, and is killed after TIMEOUT_MS; its files and processor time
 * are limited.
 */
#include "runtime/kernel/c_compiler.h"
#include "parser/base/arena.h"
#include "parser/base/limits.h"
#include "runtime/base/memory_file.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIMEOUT_MS = 10000 };

struct run {
	int in, out, err;
	const char *const *argv;
};

const char *c_compiler_find(struct arena *a, const char *const *names, uint32_t n)
{
	const char *path = getenv("PATH");

	path = path ? path : "/usr/bin:/bin";
	for (uint32_t i = 0; i < n; i++)
		for (const char *dir = path; *dir;) {
			size_t len = strcspn(dir, ":");
			const char *file = arena_printf(a, "%.*s/%s", (int)len, dir, names[i]);

			if (*file == '/' && access(file, X_OK) == 0)
				return file;
			dir += len + (dir[len] == ':');
		}
	return NULL;
}

static void limit(int resource, rlim_t n)
{
	const struct rlimit l = {n, n};

	setrlimit(resource, &l);
}

__attribute__((noreturn)) static void run_child(const struct run *r)
{
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	limit(RLIMIT_CPU, TIMEOUT_MS / 1000);
	limit(RLIMIT_FSIZE, (rlim_t)4 * LIMIT_SCRIPT_BYTES);
	limit(RLIMIT_CORE, 0);
	setenv("LC_ALL", "C", 1);
	if (dup2(r->in, STDIN_FILENO) < 0 || dup2(r->out, STDOUT_FILENO) < 0 ||
	    dup2(r->err, STDERR_FILENO) < 0)
		_exit(126);
	execv(r->argv[0], (char *const *)r->argv);
	_exit(127);
}

/* 0: it succeeded; ETIMEDOUT, ECHILD (it failed) or another errno. */
static int run(const struct run *r)
{
	struct pollfd wait = {.events = POLLIN};
	int status = 0, is_late = 0;
	pid_t pid = fork();

	if (pid < 0)
		return errno;
	if (!pid)
		run_child(r);
	wait.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (wait.fd >= 0) {
		is_late = TEMP_FAILURE_RETRY(poll(&wait, 1, TIMEOUT_MS)) == 0;
		close(wait.fd);
	}
	if (is_late && kill(-pid, SIGKILL))
		kill(pid, SIGKILL);
	TEMP_FAILURE_RETRY(waitpid(pid, &status, 0));
	if (is_late)
		return ETIMEDOUT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ECHILD;
}

/* The contents of the file, in the arena; NULL: larger than a script, or it cannot be read. */
static char *contents(struct arena *a, int fd, size_t *len)
{
	char *bytes = memory_file_bytes(fd, LIMIT_SCRIPT_BYTES, len);
	char *copy = bytes ? arena_strndup(a, bytes, *len) : NULL;

	free(bytes);
	return copy;
}

/* The first error that the compiler printed. */
static const char *first_error(struct arena *a, int fd, bool with_place)
{
	size_t len;
	const char *text = contents(a, fd, &len), *at;

	at = text ? strstr(text, "error: ") : NULL;
	if (!at)
		return "the C compiler failed";
	if (!with_place)
		at += strlen("error: ");
	while (with_place && at > text && at[-1] != '\n')
		at--;
	return arena_printf(a, "%.*s", (int)strcspn(at, "\n"), at);
}

static const char *run_on(struct run *r, struct arena *a, bool with_place, size_t *len,
			  const char **why)
{
	const char *out = NULL;
	int err = r->in < 0 ? -r->in : r->out < 0 ? -r->out : r->err < 0 ? -r->err : run(r);

	if (!err)
		out = contents(a, r->out, len);
	if (!out)
		*why = err == ECHILD ? first_error(a, r->err, with_place)
		       : err	     ? strerror(err)
				     : "its output is too large";
	return out;
}

const char *c_compiler_run(struct arena *a, const char *const *argv, const char *text,
			   bool with_place, size_t *len, const char **why)
{
	struct run r = {memory_file("sonde-c-in", text, strlen(text)),
			memory_file("sonde-c-out", NULL, 0), memory_file("sonde-c-errors", NULL, 0),
			argv};
	const char *out = run_on(&r, a, with_place, len, why);

	close(r.in);
	close(r.out);
	close(r.err);
	return out;
}
