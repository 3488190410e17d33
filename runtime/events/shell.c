/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands of system() (shell.h). The command is a process group of its own, so that all of it can
 * be killed; a terminal's Ctrl-C does not reach it, so SIGINT is sent on. The wait ends with the
 * shell, not with the last process that has its output open.
 */
#include "runtime/events/shell.h"
#include "runtime/output/out.h"
#include "runtime/base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static volatile pid_t running; /* the command's process group; 0: none */

void shell_interrupt(void)
{
	if (running)
		kill(-running, SIGINT);
}

/* The signals that sonde blocks or ignores are as usual in the command. */
static int set_attributes(posix_spawnattr_t *attr)
{
	sigset_t none, all;

	sigemptyset(&none);
	sigfillset(&all);
	return posix_spawnattr_setpgroup(attr, 0) ?: posix_spawnattr_setsigmask(attr, &none)
		       ?: posix_spawnattr_setsigdefault(attr, &all)
		       ?: posix_spawnattr_setflags(attr, POSIX_SPAWN_SETPGROUP |
							 POSIX_SPAWN_SETSIGMASK |
							 POSIX_SPAWN_SETSIGDEF);
}

static int set_files(posix_spawn_file_actions_t *files, int fd)
{
	return posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
		       ?: posix_spawn_file_actions_adddup2(files, fd, STDOUT_FILENO)
		       ?: posix_spawn_file_actions_adddup2(files, fd, STDERR_FILENO);
}

static int spawn(const char *command, int fd, pid_t *pid)
{
	char *argv[] = {"sh", "-c", (char *)command, NULL};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	int err;

	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	err = set_files(&files, fd) ?: set_attributes(&attr);
	err = err ?: posix_spawn(pid, "/bin/sh", &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return -err;
}

/* Read what there is. False at the end of the output. */
static bool collect(int fd, struct shell_result *out)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0 || (n < 0 && errno == EINTR)) {
		for (ssize_t i = 0; i < n && out->n < SHELL_OUTPUT; i++)
			out->output[out->n++] = bytes[i];
		out->is_cut |= n > 0 && out->n == SHELL_OUTPUT;
	}
	return n < 0;
}

/* Until the shell has ended, or must. One that goes on after SIGINT is waited for. */
static void watch(pid_t pid, int pidfd, int fd, int stop_fd, struct shell_result *out)
{
	uint64_t end_ns = monotonic_ns() + SHELL_SECONDS * 1000000000ull, now;
	bool is_open = true;

	while ((now = monotonic_ns()) < end_ns) {
		struct pollfd wait[] = {{.fd = pidfd, .events = POLLIN},
					{.fd = stop_fd, .events = POLLIN},
					{.fd = is_open ? fd : -1, .events = POLLIN}};

		if (poll(wait, 3, (int)((end_ns - now) / 1000000) + 1) < 0 && errno != EINTR)
			break;
		if (is_open)
			is_open = collect(fd, out);
		if (wait[0].revents)
			return;
		if (wait[1].revents) {
			out->is_interrupted = true;
			stop_fd = -1;
			shell_interrupt();
		}
	}
	out->is_late = true;
	kill(-pid, SIGKILL);
}

int shell_run(const char *command, int stop_fd, struct shell_result *out)
{
	struct pollfd stop = {.fd = stop_fd, .events = POLLIN};
	int fds[2], err, pidfd;
	pid_t pid;

	*out = (struct shell_result){.output = malloc(SHELL_OUTPUT)};
	if (!out->output || pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return -errno;
	fcntl(fds[1], F_SETFL, 0);
	if (poll(&stop, 1, 0) > 0)
		stop_fd = -1; /* the run is ending already, as in END */
	err = spawn(command, fds[1], &pid);
	close(fds[1]);
	if (!err) {
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
		running = pid;
		watch(pid, pidfd, fds[0], stop_fd, out);
		TEMP_FAILURE_RETRY(waitpid(pid, &out->status, 0));
		running = 0;
		collect(fds[0], out);
		if (pidfd >= 0)
			close(pidfd);
	}
	close(fds[0]);
	return err;
}
