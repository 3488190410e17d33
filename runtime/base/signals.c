/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispositions and mask of signals at the start of sonde: see signals.h.
 */
#include "runtime/base/signals.h"
#include <signal.h>
#include <stddef.h>

static const struct {
	int number;
	void (*handler)(int);
} expected[] = {
	{SIGCHLD, SIG_DFL},
	{SIGPIPE, SIG_IGN},
	{SIGXFSZ, SIG_IGN},
	{SIGUSR1, SIG_IGN}, /* a signalfd gets it where a script has self:signal:SIGUSR1 */
};

enum { N_EXPECTED = sizeof(expected) / sizeof(*expected) };

static struct sigaction found[N_EXPECTED];
static sigset_t found_mask;

void signals_prepare(void)
{
	static const int handled[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGUSR1};
	sigset_t set;

	for (size_t i = 0; i < N_EXPECTED; i++) {
		struct sigaction action = {.sa_handler = expected[i].handler};

		sigaction(expected[i].number, &action, &found[i]);
	}
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(handled) / sizeof(*handled); i++)
		sigaddset(&set, handled[i]);
	sigprocmask(SIG_UNBLOCK, &set, &found_mask);
}

void signals_restore(void)
{
	for (size_t i = 0; i < N_EXPECTED; i++)
		sigaction(expected[i].number, &found[i], NULL);
	sigprocmask(SIG_SETMASK, &found_mask, NULL);
}
