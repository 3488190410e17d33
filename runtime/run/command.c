/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command of -c (command.h).
 */
#include "runtime/run/command.h"
#include "runtime/base/log.h"
#include "runtime/base/signals.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Copies one word to `to`. Returns the end of the word, NULL for an open quote. */
static const char *read_word(const char *p, char *to)
{
	char quote = '\0';

	for (; *p && (quote || !strchr(" \t\n", *p)); p++) {
		if (quote ? *p == quote : *p == '\'' || *p == '"') {
			quote = quote ? '\0' : *p;
		} else if (*p == '\\' && p[1] &&
			   (!quote || (quote == '"' && strchr("\"\\$`", p[1])))) {
			*to++ = *++p;
		} else {
			*to++ = *p;
		}
	}
	*to = '\0';
	return quote ? NULL : p;
}

char **command_words(const char *text)
{
	size_t len = strlen(text), n = 0;
	char **words = calloc(len / 2 + 2, sizeof(*words)), *buf = malloc(len + 1);

	if (!words || !buf)
		goto fail;
	for (;;) {
		text += strspn(text, " \t\n");
		if (!*text)
			break;
		text = read_word(text, buf);
		if (!text || !(words[n++] = strdup(buf)))
			goto fail;
	}
	if (n == 0)
		goto fail;
	free(buf);
	return words;
fail:
	free(buf);
	command_free_words(words);
	errno = EINVAL;
	return NULL;
}

void command_free_words(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}

/* Leave the terminal to --live. */
static void hide(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		if (isatty(fd))
			dup2(null, fd);
}

/* In the child: wait until the gate is closed, then execute. */
static void child(char *const *words, int gate, int report, pid_t parent, bool is_hidden)
{
	char byte;
	int err;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(127);
	signals_restore();
	TEMP_FAILURE_RETRY(read(gate, &byte, 1));
	if (is_hidden)
		hide();
	execvp(words[0], words);
	err = errno;
	log_error("cannot run '%s': %s", words[0], strerror(err));
	_exit(write(report, &err, sizeof(err)) == sizeof(err) ? 127 : 126);
}

static int check_program(const char *path)
{
	struct stat st;

	if (stat(path, &st) || access(path, X_OK))
		return -errno;
	return S_ISREG(st.st_mode) ? 0 : -EACCES;
}

/* execvp() would fail only after the probes are attached. */
int command_find(const char *name, char found[PATH_MAX])
{
	const char *path = getenv("PATH");

	snprintf(found, PATH_MAX, "%s", name);
	if (strchr(name, '/'))
		return check_program(name);
	for (path = path ? path : "/usr/bin:/bin"; *path;) {
		int len = (int)strcspn(path, ":");

		snprintf(found, PATH_MAX, "%.*s/%s", len, path, name);
		if (check_program(found) == 0)
			return 0;
		path += len + (path[len] == ':');
	}
	return -ENOENT;
}

int command_start(struct command *c, char *const *words)
{
	int gate[2], report[2], err = command_find(words[0], c->program);
	pid_t parent = getpid();

	if (err)
		return err;
	if (pipe2(gate, O_CLOEXEC) || pipe2(report, O_CLOEXEC))
		return -errno;
	c->pid = fork();
	if (c->pid == 0) {
		close(gate[1]);
		child(words, gate[0], report[1], parent, c->is_hidden);
	}
	err = c->pid < 0 ? -errno : 0;
	close(gate[0]);
	close(report[1]);
	c->gate = gate[1];
	c->report = report[0];
	c->pid = c->pid < 0 ? 0 : c->pid;
	return err;
}

int command_failure(struct command *c)
{
	int err = 0;

	return c->report >= 0 && read(c->report, &err, sizeof(err)) == sizeof(err) ? -err : 0;
}

static void open_gate(struct command *c)
{
	if (c->pid && c->gate >= 0)
		close(c->gate);
	c->gate = -1;
}

/* Continue after another stop: deliver a signal, leave a group stop in effect. */
static void resume(pid_t pid, int status)
{
	int number = status & 0xff;
	bool is_stop = status >> 8 == PTRACE_EVENT_STOP && number != SIGTRAP;

	ptrace(is_stop ? PTRACE_LISTEN : PTRACE_CONT, pid, 0L, status >> 8 ? 0L : (long)number);
}

/* Wait for the stop at exec. A child that has ended is not reaped here. */
static int wait_for_exec(pid_t pid)
{
	for (;;) {
		siginfo_t info = {0};

		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WSTOPPED | WNOWAIT)) {
			if (errno != EINTR)
				return -errno;
		} else if (info.si_code != CLD_TRAPPED) {
			return -ECHILD;
		} else if (info.si_status == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
			return waitid(P_PID, (id_t)pid, &info, WSTOPPED) ? -errno : 0;
		} else {
			resume(pid, info.si_status);
		}
	}
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

int command_execute(struct command *c)
{
	int err = 0;

	if (ptrace(PTRACE_SEIZE, c->pid, 0L, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		err = -errno;
	if (err)
		return has_ended(c->pid) ? -ECHILD : err;
	open_gate(c);
	err = wait_for_exec(c->pid);
	c->is_traced = !err;
	return err;
}

void command_release(struct command *c)
{
	open_gate(c);
	if (c->pid && c->is_traced)
		ptrace(PTRACE_DETACH, c->pid, 0L, 0L);
	c->is_traced = false;
}

void command_stop(struct command *c)
{
	if (!c->pid)
		return;
	kill(c->pid, c->gate >= 0 || c->is_traced ? SIGKILL : SIGTERM);
	command_release(c);
	TEMP_FAILURE_RETRY(waitpid(c->pid, NULL, 0));
	c->pid = 0;
}
