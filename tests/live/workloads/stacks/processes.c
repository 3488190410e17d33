/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits of processes that come into being while they are traced: a child of fork() that does not
 * exec, one that execs, one of vfork() and its parent, one of posix_spawn(), one of system().
 * record.h explains what is printed; each process prints its own.
 *
 *	processes [MS]
 */
#define _GNU_SOURCE
#include "record.h"
#include <errno.h>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

static long wait_ms = 4;
static char self[400];

STAYS void k_nanosleep(void)
{
	struct timespec pause = known_ms(wait_ms);

	AT_SITE(nanosleep(&pause, NULL));
}

STAYS void k_wait(pid_t child)
{
	AT_SITE(while (waitpid(child, NULL, 0) < 0 && errno == EINTR));
}

STAYS int k_child(void)
{
	for (int i = 0; i < 3; i++)
		k_nanosleep();
	NOT_LAST();
	return 0;
}

/* With enough time in its first image, the parent, to be seen there before it execs. */
STAYS int k_fork(const char *then)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		expect("child of fork", "k_nanosleep k_child k_fork main");
		k_child();
		print_record();
		if (then)
			execl(self, self, "--image", then, NULL);
		_exit(0);
	}
	expect("parent", "k_wait k_fork main");
	k_wait(child);
	NOT_LAST();
	return 0;
}

/* The child uses its parent's memory, so it records nothing; the parent waits in vfork(). */
STAYS int k_vfork(void)
{
	struct timespec pause = known_ms(wait_ms);
	volatile pid_t child = 0;

	expect("parent in vfork", "k_vfork main");
	AT_SITE({
		child = vfork();
		if (child == 0) {
			nanosleep(&pause, NULL);
			_exit(0);
		}
	});
	waitpid(child, NULL, 0);
	NOT_LAST();
	return 0;
}

STAYS int k_spawn(void)
{
	char *arguments[] = {self, (char *)"--image", (char *)"spawned", NULL};
	pid_t child;

	fflush(stdout);
	if (posix_spawn(&child, self, NULL, NULL, arguments, environ))
		return 1;
	expect("parent of a spawned process", "k_wait k_spawn main");
	k_wait(child);
	NOT_LAST();
	return 0;
}

STAYS int k_system(void)
{
	char command[500];

	fflush(stdout);
	snprintf(command, sizeof(command), "'%s' --image system", self);
	expect("parent in system", "k_system main");
	AT_SITE(if (system(command)) abort());
	return 0;
}

STAYS int k_image(const char *name)
{
	START_SITE(" of an image", "k_image main");
	expect(name, "k_nanosleep k_image main");
	for (int i = 0; i < 3; i++)
		k_nanosleep();
	print_record();
	return 0;
}

int main(int argc, char **argv)
{
	void *warm_up[4];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	backtrace(warm_up, 4);
	if (n < 0)
		return 2;
	if (argc > 2 && strcmp(argv[1], "--image") == 0)
		return k_image(argv[2]);
	wait_ms = argc > 1 ? strtol(argv[1], NULL, 10) : 4;
	START_SITE("", "main");
	k_fork(NULL);
	k_fork("exec");
	k_vfork();
	k_spawn();
	k_system();
	print_record();
	return 0;
}
