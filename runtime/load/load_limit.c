/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A timer for the thread that loads. It cannot count the thread's CPU time: the kernel would send
 * the signal when the system call returns. libbpf loads again after EAGAIN, several times, so the
 * signal is repeated.
 */
#include "runtime/load/load_limit.h"
#include "runtime/base/log.h"
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A million instructions, the verifier's own limit, take 5 s on a slow machine. */
enum { SECONDS = 60, PROGS_PER_SECOND = 4, REPEAT_NS = 50 * 1000 * 1000 };

static struct {
	timer_t timer;
	bool is_on;
	double seconds;
	volatile sig_atomic_t is_over;
	struct sigaction action; /* as found */
	sigset_t mask;
} limit;

static void note_end(int number)
{
	limit.is_over = 1;
}

static double seconds_for(uint32_t n_progs)
{
	const char *given = getenv("SONDE_VERIFIER_SECONDS");
	double usual = SECONDS + n_progs / PROGS_PER_SECOND, seconds;
	char *end;

	if (!given || !*given)
		return usual;
	seconds = strtod(given, &end);
	if (!*end && seconds >= 0)
		return seconds;
	log_warning("SONDE_VERIFIER_SECONDS: '%s' is no number of seconds: write 60, or 0 for no "
		    "limit",
		    given);
	return usual;
}

void load_limit_begin(uint32_t n_progs)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
	struct sigaction action = {.sa_handler = note_end, .sa_flags = SA_RESTART};
	struct itimerspec at = {.it_interval.tv_nsec = REPEAT_NS};
	sigset_t set;

	limit.is_over = 0;
	limit.seconds = seconds_for(n_progs);
	event._sigev_un._tid = gettid();
	if (limit.seconds <= 0 || timer_create(CLOCK_MONOTONIC, &event, &limit.timer))
		return;
	limit.is_on = true;
	sigaction(SIGALRM, &action, &limit.action);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, &limit.mask);
	at.it_value.tv_sec = (time_t)limit.seconds;
	at.it_value.tv_nsec = (long)((limit.seconds - (double)at.it_value.tv_sec) * 1e9);
	timer_settime(limit.timer, 0, &at, NULL);
}

void load_limit_end(void)
{
	if (!limit.is_on)
		return;
	timer_delete(limit.timer);
	pthread_sigmask(SIG_SETMASK, &limit.mask, NULL);
	sigaction(SIGALRM, &limit.action, NULL);
	limit.is_on = false;
}

bool load_limit_is_over(void)
{
	return limit.is_over;
}

double load_limit_seconds(void)
{
	return limit.seconds;
}
