/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The session's main loop: poll, drain, end. One thread. The ring buffer's reader sleeps only after
 * it has said so in the control block (asleep), and comes by every few milliseconds while records
 * come, so that a probe rarely has to wake it.
 */
#define _GNU_SOURCE
#include "loop.h"
#include "events.h"
#include "log.h"
#include "usym.h"
#include <bpf/libbpf.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	BUSY_MS = 3,   /* between drains while records come */
	DRAIN_MS = 100, /* at most, while tracing */
	SHOW_MS = 50,	/* the most that output waits in the buffer while records come */
	SLEEP_MS = 100, /* the most a record can wait that was submitted just as we fell asleep */
	MAX_FDS = 3 + 1024,
};

struct loop {
	struct session *s;
	const struct loop_options *o;
	struct events events;
	struct ring_buffer *ring;
	int signals, pidfd;
	uint64_t end_ns; /* CLOCK_MONOTONIC, 0: none */
	bool done;
	bool command_failed; /* it could not be executed after all; it said so itself */
	uint64_t n_records; /* of the drain under way */
	uint64_t shown_ns;  /* when output was last flushed */
	uint64_t drain_end_ns; /* it stops then; 0: when nothing is left */
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* ---- records ------------------------------------------------------------------------------- */

static int on_record(void *ctx, void *data, size_t size)
{
	struct loop *l = ctx;

	l->n_records++;
	events_record(&l->events, data, size);
	return l->drain_end_ns && l->n_records % 16 == 0 && now_ns() > l->drain_end_ns ? -EINTR : 0;
}

/* What there is now; how many records that were. Records may come faster than they are worked off:
 * so that the end is seen, there is a time limit until it has come. Mappings first: a stack's first
 * sighting is matched against them by time. */
static uint64_t drain(struct loop *l)
{
	if (l->s->usyms)
		l->s->map_records_lost += usyms_track_drain(l->s->usyms);
	l->n_records = 0;
	l->drain_end_ns = l->done ? 0 : now_ns() + DRAIN_MS * UINT64_C(1000000);
	if (l->ring)
		ring_buffer__consume(l->ring);
	return l->n_records;
}

static void set_asleep(struct loop *l, uint32_t asleep)
{
	if (l->s->control)
		__atomic_store_n(&l->s->control->asleep, asleep, __ATOMIC_SEQ_CST);
}

/* ---- ends ---------------------------------------------------------------------------------- */

static bool exit_called(const struct loop *l)
{
	return l->events.exited ||
	       (l->s->control && __atomic_load_n(&l->s->control->exiting, __ATOMIC_ACQUIRE));
}

/* After the first SIGINT the next one ends us at once, the kernel's default. */
static void let_second_signal_kill(void)
{
	sigset_t set;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void reap_command(struct loop *l)
{
	int status;

	if (!l->o->command || !l->o->command->pid)
		return;
	if (waitpid(l->o->command->pid, &status, WNOHANG) != l->o->command->pid)
		return;
	log_verbose("command ended with status %d", WIFEXITED(status) ? WEXITSTATUS(status)
								       : 128 + WTERMSIG(status));
	l->o->command->pid = 0;
	l->command_failed = command_failure(l->o->command) != 0;
	l->done = true;
}

static void read_signals(struct loop *l)
{
	struct signalfd_siginfo si;

	while (read(l->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD) {
			reap_command(l);
		} else {
			l->done = true;
			let_second_signal_kill();
		}
	}
}

static void check_end(struct loop *l)
{
	if (exit_called(l) || l->events.error || (l->end_ns && now_ns() >= l->end_ns))
		l->done = true;
}

/* ---- waiting ------------------------------------------------------------------------------- */

static int poll_set(const struct loop *l, struct pollfd *set)
{
	const int *fds;
	int n = 0, n_tracked = l->s->usyms ? usyms_track_fds(l->s->usyms, &fds) : 0;

	set[n++] = (struct pollfd){.fd = l->signals, .events = POLLIN};
	set[n++] = (struct pollfd){.fd = l->pidfd, .events = POLLIN};
	set[n++] = (struct pollfd){.fd = l->ring ? ring_buffer__epoll_fd(l->ring) : -1, .events = POLLIN};
	for (int i = 0; i < n_tracked && n < MAX_FDS; i++)
		set[n++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	return n;
}

static int time_left_ms(const struct loop *l, int at_most)
{
	uint64_t now;
	int64_t left;

	if (!l->end_ns)
		return at_most;
	now = now_ns();
	left = l->end_ns > now ? (int64_t)((l->end_ns - now) / 1000000 + 1) : 0;
	return left < at_most ? (int)left : at_most;
}

static void show_output(struct loop *l)
{
	events_note_error(&l->events, l->events.out->flush(l->events.out));
	l->shown_ns = now_ns();
}

/* Wait for something to do. `busy`: records came just now, so come back soon and stay awake. */
static void wait_for_work(struct loop *l, bool busy)
{
	static struct pollfd set[MAX_FDS];
	int n = poll_set(l, set), limit = SLEEP_MS;

	if (busy) {
		set[2].fd = -1; /* the ring is looked at anyway */
		limit = BUSY_MS;
		if (now_ns() - l->shown_ns > SHOW_MS * UINT64_C(1000000))
			show_output(l);
	} else {
		show_output(l);
		set_asleep(l, 1);
		if (drain(l)) {
			set_asleep(l, 0);
			return;
		}
	}
	if (poll(set, (nfds_t)n, time_left_ms(l, limit)) > 0) {
		if (set[0].revents)
			read_signals(l);
		if (set[1].revents)
			l->done = true;
	}
	set_asleep(l, 0);
}

static void run_events(struct loop *l)
{
	check_end(l);
	while (!l->done) {
		wait_for_work(l, drain(l) > 0);
		check_end(l);
	}
}

/* ---- start and end ------------------------------------------------------------------------- */

static int open_signals(void)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
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
		log_warning("cannot follow processes' mappings: %s; user frames of short-lived processes "
			    "may have no name", strerror(-err));
	if (pid > 0)
		usyms_note_process(l->s->usyms, (uint32_t)pid);
}

static bool only_special(const struct plan *p)
{
	for (uint32_t i = 0; i < p->n_progs; i++)
		if (p->progs[i].n_probes && p->progs[i].kind != PP_BEGIN && p->progs[i].kind != PP_END)
			return false;
	return true;
}

static int say_ready(const struct loop *l)
{
	static const char word[] = "ready\n";

	if (!l->o->quiet)
		log_info("Attached %u probe%s", l->s->plan->n_probes, l->s->plan->n_probes == 1 ? "" : "s");
	if (l->o->ready_fd >= 0 && write(l->o->ready_fd, word, sizeof(word) - 1) < 0)
		return -errno;
	return 0;
}

/* BEGIN, attach, let the command go. What exit() in BEGIN means is seen by run_events. */
static int start(struct loop *l)
{
	int err = session_run_special(l->s, PP_BEGIN);

	if (err || exit_called(l))
		return err;
	track_mappings(l);
	err = session_attach(l->s);
	if (err)
		return err;
	say_ready(l);
	if (l->o->command)
		command_release(l->o->command);
	if (l->s->usyms && l->o->everything)
		usyms_note_all(l->s->usyms);
	l->end_ns = l->o->duration_ns ? now_ns() + l->o->duration_ns : 0;
	l->done = only_special(l->s->plan) && !(l->o->command && l->o->command->pid) && !l->end_ns;
	return 0;
}

/* Detach, END, the rest of the records, maps, losses. */
static int finish(struct loop *l)
{
	struct sonde_control *c = l->s->control;
	int code = c ? (int)(c->exit_code & 0xff) : 0, err;

	session_detach(l->s);
	drain(l);
	l->events.exited = false; /* END's output counts again */
	err = session_run_special(l->s, PP_END);
	drain(l);
	events_print_maps(&l->events);
	show_output(l);
	loss_report(l->s);
	if (err)
		return 2;
	if (l->command_failed)
		return 1;
	if (l->events.error && l->events.error != -EPIPE) {
		log_error("cannot write the output: %s", strerror(-l->events.error));
		return 2;
	}
	return code;
}

static int loop_open(struct loop *l)
{
	int err = events_init(&l->events, l->s, l->events.out);

	if (err)
		return err;
	l->signals = open_signals();
	l->pidfd = l->o->pid ? (int)syscall(SYS_pidfd_open, l->o->pid, 0) : -1;
	if (l->o->pid && l->pidfd < 0)
		return -errno;
	if (l->s->ring_fd >= 0) {
		l->ring = ring_buffer__new(l->s->ring_fd, on_record, l, NULL);
		if (!l->ring)
			return -errno;
	}
	return 0;
}

static void loop_close(struct loop *l)
{
	if (l->o->command)
		command_stop(l->o->command);
	ring_buffer__free(l->ring);
	if (l->signals >= 0)
		close(l->signals);
	if (l->pidfd >= 0)
		close(l->pidfd);
	events_free(&l->events);
}

int loop_run(struct session *s, struct out *out, const struct loop_options *o)
{
	struct loop l = {.s = s, .o = o, .signals = -1, .pidfd = -1, .events.out = out};
	int err = loop_open(&l), status = 2;

	if (err)
		log_error("cannot start: %s", strerror(-err));
	else if (start(&l) == 0) {
		run_events(&l);
		status = finish(&l);
	}
	loop_close(&l);
	return status;
}
