/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session's main loop: poll, drain, end. One thread; intervals have their own
 * (interval_thread.c). The reader of records sleeps only after it has said so in the control block
 * (asleep), and comes by every few milliseconds while records come, so that a probe rarely has to
 * wake it.
 */
#define _GNU_SOURCE
#include "runtime/session/loop.h"
#include "runtime/base/clock.h"
#include "runtime/session/events.h"
#include "runtime/base/log.h"
#include "runtime/session/ring.h"
#include "runtime/session/tests.h"
#include "runtime/session/interval_thread.h"
#include "runtime/symbols/usym.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	BUSY_MS = 3,	/* between drains while records come */
	SLEEP_MS = 100, /* the most a record can wait that was submitted just as we fell asleep */
	DRAIN_MS = 50,	/* then signals and timers are looked at */
	RECORDS_A_LOOK = 16, /* at the clock; one record may print a whole map */
	REST_MS = 50,	     /* at the end, for records under way */
	FLUSH_MS = 100,	     /* the most output waits while records come without a pause */
	MAX_FDS = 5 + 1024,
};

/* Places in the set that is polled. */
enum { SET_STOP, SET_SIGNALS, SET_PROCESS, SET_RING, SET_OUT };

struct loop {
	struct session *s;
	const struct loop_options *o;
	struct events events;
	struct ring *ring;
	int stop; /* eventfd: SIGINT, SIGTERM or SIGHUP came */
	int signals, pidfd, out_fd;
	uint64_t end_ns;   /* CLOCK_MONOTONIC, 0: none */
	uint64_t print_ns; /* when maps are printed next, 0: never */
	uint64_t flushed_ns;
	bool done;
	bool overrun;	     /* the ring cannot be read any more */
	bool command_failed; /* it could not be executed after all; it said so itself */
	uint64_t n_records;  /* of the drain under way */
	uint64_t drain_until, drain_records; /* 0: no bound */
};

/* ---- records ------------------------------------------------------------------------------- */

static int on_record(void *ctx, const void *data, size_t size)
{
	struct loop *l = ctx;

	l->n_records++;
	events_record(&l->events, data, size);
	if (l->n_records % RECORDS_A_LOOK == 0 && l->drain_until && monotonic_ns() > l->drain_until)
		return 1; /* the rest later: signals and timers are due */
	return l->drain_records && l->n_records >= l->drain_records;
}

/* Never seen; it needs more programs that are held up in the same two instructions than ring_layout
 * leaves room for. */
static void note_overrun(struct loop *l)
{
	if (!l->overrun)
		log_error(
			"too many programs wrote a record at the same moment: what came after it is lost");
	l->overrun = l->done = true;
}

/* Everything there is now; how many records that were. Mappings first: a stack's first sighting is
 * matched against them by time. */
static uint64_t drain_all(struct loop *l)
{
	if (l->s->usyms)
		l->s->map_records_lost += usyms_track_drain(l->s->usyms);
	l->n_records = 0;
	if (l->ring && ring_consume(l->ring, on_record, l))
		note_overrun(l);
	return l->n_records;
}

/* The same, but where probes send faster than we read there is no end to it: come back in time. */
static uint64_t drain(struct loop *l)
{
	uint64_t n;

	l->drain_until = monotonic_ns() + DRAIN_MS * 1000000ull;
	n = drain_all(l);
	l->drain_until = 0;
	return n;
}

static bool is_held_up(const struct loop *l)
{
	return l->ring && !l->overrun && ring_under_way(l->ring);
}

/* A program that was interrupted in the midst of a record holds up what is behind it: detaching
 * does not wait for all of them. */
static void drain_rest(struct loop *l)
{
	uint64_t until = monotonic_ns() + REST_MS * 1000000ull;

	drain_all(l);
	while (is_held_up(l) && monotonic_ns() < until) {
		poll(NULL, 0, 1);
		drain_all(l);
	}
	if (is_held_up(l))
		log_warning("a program did not come to the end of its record: what came after it "
			    "is lost");
}

/* The fence: what is read of the ring afterwards is no older. */
static void set_asleep(struct loop *l, uint32_t asleep)
{
	if (l->s->control)
		__atomic_store_n(&l->s->control->asleep, asleep, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* A writer saw that we sleep, but its record is behind one under way: draining has taken its
 * wake-up, not the record. Nobody would wake us again. */
static bool was_woken(const struct loop *l)
{
	return l->s->control && !__atomic_load_n(&l->s->control->asleep, __ATOMIC_ACQUIRE);
}

/* ---- ends ---------------------------------------------------------------------------------- */

static bool exit_called(const struct loop *l)
{
	return l->events.exited ||
	       (l->s->control && __atomic_load_n(&l->s->control->exiting, __ATOMIC_ACQUIRE));
}

/* Signals to stop are handled, not blocked: the second one must end us even while we are blocked in
 * writing the output. A handler has no other way to know its descriptor. */
static volatile int stop_fd = -1;

static void on_stop_signal(int number)
{
	uint64_t one = 1;
	int saved_errno = errno;
	ssize_t n;

	(void)number;
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	n = write(stop_fd, &one,
		  sizeof(one)); /* fails when the loop has ended: then so do we soon */
	(void)n;
	errno = saved_errno;
}

static void catch_stop_signals(int fd)
{
	struct sigaction action = {.sa_handler = on_stop_signal, .sa_flags = SA_RESTART}, old;

	stop_fd = fd;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (sigaction(SIGHUP, NULL, &old) == 0 && old.sa_handler != SIG_IGN) /* nohup */
		sigaction(SIGHUP, &action, NULL);
}

static void reap_command(struct loop *l)
{
	int status;

	if (!l->o->command || !l->o->command->pid)
		return;
	if (waitpid(l->o->command->pid, &status, WNOHANG) != l->o->command->pid)
		return;
	log_verbose("command ended with status %d",
		    WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	l->o->command->pid = 0;
	l->command_failed = command_failure(l->o->command) != 0;
	l->done = true;
}

static void read_signals(struct loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGUSR1)
			session_run_special(l->s, PP_SELF);
		else
			reap_command(l);
	}
}

static void check_end(struct loop *l)
{
	if (exit_called(l) || l->events.error || (l->end_ns && monotonic_ns() >= l->end_ns))
		l->done = true;
}

/* ---- waiting ------------------------------------------------------------------------------- */

static int poll_set(const struct loop *l, struct pollfd *set)
{
	const int *fds;
	int n = 0, n_tracked = l->s->usyms ? usyms_track_fds(l->s->usyms, &fds) : 0;

	set[n++] = (struct pollfd){.fd = l->stop, .events = POLLIN};
	set[n++] = (struct pollfd){.fd = l->signals, .events = POLLIN};
	set[n++] = (struct pollfd){.fd = l->pidfd, .events = POLLIN};
	set[n++] = (struct pollfd){.fd = l->s->wake_fd, .events = POLLIN};
	set[n++] = (struct pollfd){.fd = l->out_fd}; /* tells when a pipe's reader has gone */
	for (int i = 0; i < n_tracked && n < MAX_FDS; i++)
		set[n++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	return n;
}

static int time_left_ms(const struct loop *l, int at_most)
{
	uint64_t now, until = l->end_ns;
	int64_t left;

	if (l->print_ns && (!until || l->print_ns < until))
		until = l->print_ns;
	if (!until)
		return at_most;
	now = monotonic_ns();
	left = until > now ? (int64_t)((until - now) / 1000000 + 1) : 0;
	return left < at_most ? (int)left : at_most;
}

static void flush(struct loop *l)
{
	int err = l->events.out->flush(l->events.out);

	if (err && !l->events.error)
		l->events.error = err;
}

/* While records come there is no idle moment to write at. */
static void flush_in_time(struct loop *l)
{
	uint64_t now = monotonic_ns();

	if (now - l->flushed_ns < FLUSH_MS * 1000000ull)
		return;
	l->flushed_ns = now;
	flush(l);
}

static void look_at(struct loop *l, const struct pollfd *set)
{
	if (set[SET_STOP].revents || set[SET_PROCESS].revents)
		l->done = true;
	if (set[SET_SIGNALS].revents)
		read_signals(l);
	if (set[SET_OUT].revents & (POLLERR | POLLHUP) && !l->events.error)
		l->events.error = -EPIPE;
}

/* Wait for something to do. `busy`: records came just now, so come back soon and stay awake. */
static void wait_for_work(struct loop *l, bool busy)
{
	static struct pollfd set[MAX_FDS];
	int n = poll_set(l, set), limit = SLEEP_MS;

	if (busy) {
		set[SET_RING].fd = -1; /* the ring is looked at anyway */
		limit = BUSY_MS;
		flush_in_time(l);
	} else {
		flush(l);
		set_asleep(l, 1);
		if (drain(l) || was_woken(l)) {
			set_asleep(l, 0);
			return;
		}
	}
	if (poll(set, (nfds_t)n, time_left_ms(l, limit)) > 0)
		look_at(l, set);
	set_asleep(l, 0);
}

/* All that the ring can have held at this moment. */
static void drain_what_is_there(struct loop *l)
{
	l->drain_records = l->s->ring.bytes / sizeof(struct sonde_event) + 1;
	drain_all(l);
	l->drain_records = 0;
}

/* --interval. When printing takes longer than that, rounds are left out, not made up for. */
static void print_in_time(struct loop *l)
{
	uint64_t now;

	if (!l->print_ns || (now = monotonic_ns()) < l->print_ns)
		return;
	if (l->o->reset) {
		events_swap(&l->events);
		drain_what_is_there(l); /* what the script printed and cleared before that */
		events_print_swapped(&l->events);
	} else {
		events_print_maps(&l->events);
	}
	flush(l);
	while (l->print_ns <= now)
		l->print_ns += l->o->interval_ns;
}

static void run_events(struct loop *l)
{
	check_end(l);
	while (!l->done) {
		wait_for_work(l, drain(l) > 0);
		check_end(l);
		if (!l->done)
			print_in_time(l);
		if (stack_sweep_is_due(l->s)) {
			drain_what_is_there(l);
			stack_sweep_run(l->s);
		}
	}
}

/* ---- start and end ------------------------------------------------------------------------- */

static int open_signals(struct loop *l)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	catch_stop_signals(l->stop);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (uint32_t i = 0; i < l->s->plan->n_progs; i++)
		if (l->s->plan->progs[i].kind == PP_SELF)
			sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Follow the mappings of what is traced before anything of it runs on. */
static void track_mappings(struct loop *l)
{
	const struct loop_options *o = l->o;
	int pid = o->everything ? -1 : o->pid ? (int)o->pid : o->command->pid, err;

	if (!l->s->usyms)
		return;
	err = usyms_track(l->s->usyms, pid);
	if (err)
		log_warning(
			"cannot follow processes' mappings: %s; user frames of short-lived processes "
			"may have no name",
			strerror(-err));
	if (pid > 0)
		usyms_note_process(l->s->usyms, (uint32_t)pid);
}

static void drain_between(void *ctx)
{
	drain_all(ctx);
}

static bool only_special(const struct plan *p)
{
	for (uint32_t i = 0; i < p->n_progs; i++)
		if (p->progs[i].n_probes && !prog_kind_is(p->progs[i].kind, PK_OUTSIDE) &&
		    p->progs[i].kind != PP_ITER)
			return false;
	return true;
}

/* As people count them: a probe on many functions is many. */
static uint32_t count_probes(const struct plan *p)
{
	uint32_t n = p->n_probes;

	for (uint32_t i = 0; i < p->n_progs; i++)
		if (p->progs[i].n_probes && p->progs[i].n_targets > 1)
			n += p->progs[i].n_targets - 1;
	return n;
}

static uint32_t count_attached(const struct session *s)
{
	return (uint32_t)(count_probes(s->plan) + s->n_namesakes) - s->n_skipped - s->n_refused;
}

static int say_ready(const struct loop *l)
{
	static const char word[] = "ready\n";

	if (!l->o->quiet && !l->o->tests)
		l->events.out->attached(l->events.out, count_attached(l->s));
	if (l->o->ready_fd >= 0 && write(l->o->ready_fd, word, sizeof(word) - 1) < 0)
		return -errno;
	return 0;
}

/* Where variables of a movable command are is known once it is executed: it is let go that far. */
static int execute(struct loop *l)
{
	int err = command_execute(l->o->command);

	if (err == -ECHILD)
		reap_command(l); /* it has said why */
	else if (err)
		log_error("-c: cannot stop the command at its start, where the addresses of its "
			  "variables are known: %s; start it and give -p PID",
			  strerror(-err));
	return l->done ? 0 : err;
}

static int attach(struct loop *l)
{
	int err = session_attach(l->s);

	if (!err && session_attaches_at_exec(l->s))
		err = execute(l) ?: l->done ? 0 : session_attach_at_exec(l->s);
	return err;
}

/* BEGIN, attach, let the command go. What exit() in BEGIN means is seen by run_events. */
static int start(struct loop *l)
{
	int err = session_run_special(l->s, PP_BEGIN);

	if (err || exit_called(l))
		return err;
	track_mappings(l);
	err = attach(l);
	if (err == -EINTR) {
		log_info("stopped before all probes were attached");
		l->done = true;
		return 0;
	}
	if (err || l->done)
		return err;
	if (l->o->follow)
		session_follow(l->s, l->o->pid);
	err = session_open_begin(l->s) ?: interval_thread_start(l->s, &l->s->interval_thread);
	if (err)
		return err;
	say_ready(l);
	if (l->o->command)
		command_release(l->o->command);
	if (l->s->usyms && l->o->everything)
		usyms_note_all(l->s->usyms);
	err = session_iterate(l->s, l->events.out, drain_between, l);
	if (err && err != -EPIPE)
		return err;
	l->flushed_ns = monotonic_ns();
	l->end_ns = l->o->duration_ns ? l->flushed_ns + l->o->duration_ns : 0;
	l->print_ns = l->o->interval_ns ? l->flushed_ns + l->o->interval_ns : 0;
	l->done = only_special(l->s->plan) && !(l->o->command && l->o->command->pid) && !l->end_ns;
	return 0;
}

static int exit_status(const struct loop *l, int end_err, uint64_t n_lost)
{
	if (l->command_failed)
		return 1;
	if (l->events.error && l->events.error != -EPIPE) {
		log_error("cannot write the output: %s", strerror(-l->events.error));
		return 2;
	}
	if (end_err || l->overrun)
		return 2;
	if (l->o->strict && n_lost)
		return 4;
	return l->s->control ? (int)(l->s->control->exit_code & 0xff) : 0;
}

/* Detach, END, the rest of the records, maps, losses. */
static int finish(struct loop *l)
{
	uint64_t n_lost;
	int err, write_err;

	session_open_stop(l->s);
	session_detach(l->s);
	drain_all(l);
	l->events.exited = false; /* END's output counts again */
	err = session_open_count(l->s);
	drain_all(l);
	l->events.exited = false;
	err = session_run_special(l->s, PP_END) ?: err;
	err = err ?: interval_thread_error(l->s->interval_thread);
	drain_rest(l);
	if (l->s->plan->config.print_maps_on_exit && !l->o->tests)
		events_print_maps(&l->events);
	flush(l); /* before what is said on standard error */
	n_lost = loss_report(l->s, l->events.out);
	write_err = out_finish(l->events.out);
	if (write_err && !l->events.error)
		l->events.error = write_err;
	return exit_status(l, err, n_lost);
}

/* Load and attach are all: nothing runs, nothing is printed. */
static int dry_run(struct loop *l)
{
	int err = attach(l);

	session_detach(l->s);
	return err ? 2 : 0;
}

/* The exit status. */
static int run_tests(struct loop *l)
{
	int n_failed;

	drain_all(l); /* what BEGIN has sent */
	n_failed = tests_run(l->s, &l->events, drain_between, l);
	if (n_failed < 0)
		log_error("cannot run: %s", strerror(-n_failed));
	return n_failed < 0 ? 2 : n_failed ? 1 : 0;
}

static int open_ring(struct loop *l)
{
	l->ring = ring_open(l->s->ring_fd, l->s->wake_fd, &l->s->ring, &l->s->control->ring);
	return l->ring ? 0 : -errno;
}

static int loop_open(struct loop *l)
{
	int err = events_init(&l->events, l->s, l->events.out);

	if (err)
		return err;
	l->out_fd = out_set_buffering(l->events.out, l->o->buffering);
	if (l->o->command)
		out_share(l->events.out);
	l->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->s->stop_fd = l->stop;
	l->signals = open_signals(l);
	l->pidfd = l->o->pid ? (int)syscall(SYS_pidfd_open, l->o->pid, 0) : -1;
	if (l->stop < 0 || l->signals < 0 || (l->o->pid && l->pidfd < 0))
		return -errno;
	return l->s->ring_fd >= 0 ? open_ring(l) : 0;
}

static void loop_close(struct loop *l)
{
	if (l->o->command)
		command_stop(l->o->command);
	out_unshare(l->events.out);
	ring_close(l->ring);
	if (l->signals >= 0)
		close(l->signals);
	stop_fd = -1;
	if (l->stop >= 0)
		close(l->stop);
	if (l->pidfd >= 0)
		close(l->pidfd);
	events_free(&l->events);
}

int loop_run(struct session *s, struct out *out, const struct loop_options *o)
{
	struct loop l = {.s = s, .o = o, .stop = -1, .signals = -1, .pidfd = -1, .events.out = out};
	int err = loop_open(&l), status = 2;

	if (err) {
		log_error("cannot start: %s", strerror(-err));
	} else if (o->dry_run) {
		status = dry_run(&l);
	} else if (start(&l) == 0) {
		status = o->tests ? run_tests(&l) : 0;
		if (!o->tests)
			run_events(&l);
		status = status ? (finish(&l), status) : finish(&l);
	} else {
		session_detach(s); /* what could be attached is not waited for */
	}
	loop_close(&l);
	return status;
}
