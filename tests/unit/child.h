/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for a child that runs sleep(1): unlike a fixed time this also works on a loaded machine.
 */
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* Is the process in a sleeping system call? A program that is in one has linked, and /proc has its
 * arguments. */
static inline bool is_in_sleep(pid_t pid)
{
	char path[32];
	long number = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (fscanf(f, "%ld", &number) != 1)
		number = -1; /* "running" */
	fclose(f);
	return number == SYS_clock_nanosleep || number == SYS_nanosleep;
}

static inline bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

/* False: it has ended, or did not come to rest in 30 s. */
static inline bool wait_for_sleep(pid_t pid)
{
	for (int i = 0; i < 30000 && !is_in_sleep(pid) && !has_ended(pid); i++)
		usleep(1000);
	return is_in_sleep(pid);
}
