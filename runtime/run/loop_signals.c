/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals: those that end the run, SIGCHLD of the command, SIGUSR1 for self:signal probes.
 */
#include "runtime/run/loop_state.h"
#include "runtime/events/shell.h"
#include "runtime/base/clock.h"
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STOP_AGAIN_NS = 500000000 };

/* Stop signals have handlers instead of a signalfd, so that a second one ends the process even
 * while it is blocked in writing output. A handler can get the descriptor only from a global. */
static volatile int stop_fd = -1;
static const char ended_at_once[] =
	"sonde: warning: ended at once by a second signal: output that was still to come, that "
	"of END and counts of losses are missing\n";
static volatile uint64_t stopped_ns; /* 0: no stop signal yet */

/* The first signal ends the run in order. Signals within half a second count as the same one:
 * timeout(1) signals the process and then its group. A later one ends the process at once, and
 * goes to a command of system(), too, as the first one does. */
static void on_stop_signal(int number)
{
	uint64_t one = 1, now = monotonic_ns();
	int saved_errno = errno;
	ssize_t n = 0;

	if (!stopped_ns) {
		stopped_ns = now;
		n = write(stop_fd, &one, sizeof(one)); /* fails after the loop, near the end */
	} else if (now - stopped_ns >= STOP_AGAIN_NS) {
		n = write(STDERR_FILENO, ended_at_once, sizeof(ended_at_once) - 1);
		shell_interrupt();
		signal(number, SIG_DFL);
		raise(number); /* delivered when this handler returns */
	}
	(void)n;
	errno = saved_errno;
}

static void catch_stop_signals(int fd)
{
	struct sigaction action = {.sa_handler = on_stop_signal, .sa_flags = SA_RESTART}, old;

	stop_fd = fd;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* not under nohup */
		sigaction(SIGHUP, &action, NULL);
}

void loop_reap_command(struct loop *l)
{
	int status = 0;

	if (!l->o->command || !l->o->command->pid)
		return;
	if (waitpid(l->o->command->pid, &status, WNOHANG) == 0)
		return; /* it runs; an error means that it is gone */
	if (WIFSIGNALED(status))
		log_verbose("command was killed by signal %d (%s)", WTERMSIG(status),
			    strsignal(WTERMSIG(status)));
	else
		log_verbose("command ended with status %d", WEXITSTATUS(status));
	l->o->command->pid = 0;
	l->command_failed = command_failure(l->o->command) != 0;
	l->done = true;
}

void loop_read_signals(struct loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo != SIGUSR1) {
			loop_reap_command(l);
			continue;
		}
		session_run_special(l->s, PP_SELF);
		loop_drain_current(l); /* what came before */
		events_dump(&l->events);
	}
}

int loop_open_signals(struct loop *l)
{
	sigset_t set;

	catch_stop_signals(l->stop);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	if (l->events.out->dump)
		sigaddset(&set, SIGUSR1);
	for (uint32_t i = 0; i < l->s->plan->n_progs; i++)
		if (l->s->plan->progs[i].kind == PP_SELF)
			sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

void loop_close_signals(struct loop *l)
{
	if (l->signals >= 0)
		close(l->signals);
	stop_fd = -1;
}
