/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ways - the ways into and out of a system call.
 *
 *     ways N     two threads make N getppid calls each, and others in between; meanwhile N / 100
 *                children are forked, half of them traced at each system call (ptrace), half of
 *                them with a seccomp filter, and make 100 getppid calls each; on x86-64 also N
 *                32-bit calls
 *
 * So getppid is called 3 N times as a 64-bit call.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EACH = 100 };

static void call(int n)
{
	for (int i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static void *thread(void *arg)
{
	int n = *(int *)arg;

	for (int i = 0; i < n; i++) {
		call(1);
		syscall(i % 3 ? SYS_getuid : SYS_sched_yield);
#ifdef __x86_64__
		if (i % 2) {
			long nr = 20; /* getpid in the 32-bit table */

			__asm__ volatile("int $0x80"
					 : "+a"(nr)
					 :
					 : "memory", "r8", "r9", "r10", "r11");
		}
#endif
	}
	return NULL;
}

static void child(int traced)
{
	struct sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
	struct sock_fprog filter = {1, allow};

	if (traced) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
	} else {
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	}
	call(EACH);
	_exit(0);
}

static void parent(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status))
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, thread, &n))
			return perror("ways"), 1;
	for (int i = 0; i < n / EACH; i++) {
		pid_t pid = fork();

		if (pid < 0)
			return perror("ways"), 1;
		if (!pid)
			child(i % 2);
		parent(pid);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
