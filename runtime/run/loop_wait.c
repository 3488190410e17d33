/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The waiting half of the main loop. The reader sleeps only after it has set `asleep` in the
 * control block. While records come it stays awake and polls the ring every few milliseconds, so
 * that probes rarely have to wake it.
 */
#include "runtime/run/loop_state.h"
#include "runtime/base/clock.h"
#include "runtime/base/limit_hint.h"
#include "runtime/attach/cpu_watch.h"
#include "runtime/events/packets.h"
#include "runtime/session/unwind.h"
#include "runtime/symbols/usym.h"
#include <poll.h>
#include <unistd.h>

enum {
	BUSY_MS = 3,	  /* between drains while records come */
	SLEEP_MS = 100,	  /* the longest delay of a record submitted just as we fell asleep */
	DRAIN_MS = 50,	  /* then signals and timers are checked */
	CHECK_EVERY = 16, /* records between looks at the clock; one may print a whole map */
	REST_MS = 50,	  /* at the end, for records not yet submitted */
	FLUSH_MS = 100,	  /* the longest that output is held back while records come */
};

/* Indexes in the poll set. */
enum {
	SET_STOP,
	SET_SIGNALS,
	SET_PROCESS,
	SET_RING,
	SET_PACKETS,
	SET_OUT,
	SET_MAPPINGS,
	SET_RESERVE,
	SET_KEYS,
	SET_CPUS,
	SET_COUNT
};

/* ---- draining ------------------------------------------------------------------------------ */

static int on_record(void *ctx, const void *data, size_t size)
{
	struct loop *l = ctx;

	l->n_records++;
	events_record(&l->events, data, size);
	if (l->n_records % CHECK_EVERY == 0 && l->drain_until && monotonic_ns() > l->drain_until)
		return 1; /* signals and timers are due first */
	return l->drain_records && l->n_records >= l->drain_records;
}

/* Never observed. It takes more programs stopped between the same two instructions than
 * ring_layout() reserves space for. */
static void note_overrun(struct loop *l)
{
	if (!l->overrun)
		log_error(
			"too many programs wrote records at the same time: later records are lost");
	l->overrun = l->done = true;
}

/* Mappings first: the first record of a stack is matched with them by time. */
uint64_t loop_drain_all(struct loop *l)
{
	uint64_t n_lost = l->s->usyms ? usyms_track_drain(l->s->usyms) : 0;

	if (n_lost)
		session_unwind_check(l->s);
	l->s->map_records_lost += n_lost;
	l->n_records = 0;
	if (l->ring && ring_consume(l->ring, on_record, l))
		note_overrun(l);
	return l->n_records + packets_drain(l->s);
}

uint64_t loop_drain(struct loop *l)
{
	uint64_t n;

	l->drain_until = monotonic_ns() + DRAIN_MS * 1000000ull;
	n = loop_drain_all(l);
	l->drain_until = 0;
	return n;
}

static bool is_held_up(const struct loop *l)
{
	return l->ring && !l->overrun && ring_under_way(l->ring);
}

/* A program interrupted in the middle of a record holds up the records behind it, and detaching
 * does not wait for every program. */
void loop_drain_rest(struct loop *l)
{
	uint64_t until = monotonic_ns() + REST_MS * 1000000ull;

	loop_drain_all(l);
	while (is_held_up(l) && monotonic_ns() < until) {
		poll(NULL, 0, 1);
		loop_drain_all(l);
	}
	if (is_held_up(l))
		log_warning("a program did not finish its record: later records are lost");
}

void loop_drain_current(struct loop *l)
{
	l->drain_records = l->s->ring.bytes / sizeof(struct sonde_event) + 1;
	loop_drain_all(l);
	l->drain_records = 0;
}

/* The fence keeps later reads of the ring behind the store. */
static void set_asleep(struct loop *l, uint32_t asleep)
{
	if (l->s->control)
		__atomic_store_n(&l->s->control->asleep, asleep, __ATOMIC_SEQ_CST);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* A writer saw us asleep, but its record is behind an unfinished one. Draining consumed the wake-up
 * but not the record, and nobody would wake us again. */
static bool was_woken(const struct loop *l)
{
	return l->s->control && !__atomic_load_n(&l->s->control->asleep, __ATOMIC_ACQUIRE);
}

/* ---- waiting ------------------------------------------------------------------------------- */

/* Negative descriptors are ignored by poll(). */
static void fill_poll_set(const struct loop *l, struct pollfd set[SET_COUNT])
{
	int mappings = l->s->usyms ? usyms_track_fd(l->s->usyms) : -1;

	set[SET_STOP] = (struct pollfd){.fd = l->stop, .events = POLLIN};
	set[SET_SIGNALS] = (struct pollfd){.fd = l->signals, .events = POLLIN};
	set[SET_PROCESS] = (struct pollfd){.fd = l->pidfd, .events = POLLIN};
	set[SET_RING] = (struct pollfd){.fd = l->s->wake_fd, .events = POLLIN};
	set[SET_PACKETS] = (struct pollfd){.fd = packets_fd(l->s), .events = POLLIN};
	set[SET_OUT] = (struct pollfd){.fd = l->out_fd}; /* POLLERR when a pipe's reader is gone */
	set[SET_MAPPINGS] = (struct pollfd){.fd = mappings, .events = POLLIN};
	set[SET_RESERVE] = (struct pollfd){.fd = l->o->reserve ? l->o->reserve->fd : -1};
	set[SET_KEYS] = (struct pollfd){.fd = l->events.out->input ? l->events.out->input_fd : -1,
					.events = POLLIN};
	set[SET_CPUS] = (struct pollfd){.fd = cpu_watch_fd(l->s), .events = POLLIN};
}

static int time_left_ms(const struct loop *l, int at_most)
{
	uint64_t now, until = l->end_ns;
	int64_t left;

	if (l->print_ns && (!until || l->print_ns < until))
		until = l->print_ns;
	if (l->s->open_look_ns && (!until || l->s->open_look_ns < until))
		until = l->s->open_look_ns;
	if (!until)
		return at_most;
	now = monotonic_ns();
	left = until > now ? (int64_t)((until - now) / 1000000 + 1) : 0;
	return left < at_most ? (int)left : at_most;
}

void loop_flush(struct loop *l)
{
	int err = l->events.out->flush(l->events.out);

	if (err && !l->events.error)
		l->events.error = err;
	if (packets_flush(l->s))
		l->packets_failed = l->done = true;
}

/* Output is written when idle, which may not happen while records come. */
static void flush_if_due(struct loop *l)
{
	uint64_t now = monotonic_ns();

	if (now - l->flushed_ns < FLUSH_MS * 1000000ull)
		return;
	l->flushed_ns = now;
	loop_flush(l);
}

/* Stop all programs first: their maps would soon take what the reserve has left free. */
static void note_out_of_memory(struct loop *l)
{
	if (l->s->control)
		__atomic_store_n(&l->s->control->exiting, 1, __ATOMIC_SEQ_CST);
	log_error(
		"no memory is left%s: tracing ended early, and the output is what was gathered until "
		"then",
		limit_hint(-ENOMEM));
	l->out_of_memory = l->done = true;
}

static void handle_events(struct loop *l, const struct pollfd *set)
{
	if (set[SET_STOP].revents || set[SET_PROCESS].revents)
		l->done = true;
	if (set[SET_RESERVE].revents)
		note_out_of_memory(l);
	if (set[SET_CPUS].revents)
		cpu_watch_read(l->s);
	if (set[SET_SIGNALS].revents)
		loop_read_signals(l);
	if (set[SET_OUT].revents & (POLLERR | POLLHUP) && !l->events.error)
		l->events.error = -EPIPE;
}

static void take_input(struct loop *l)
{
	int what = l->events.out->input(l->events.out);

	l->done |= what == OUT_END_RUN;
	if (what == OUT_ROUND)
		l->print_ns = monotonic_ns();
}

void loop_wait(struct loop *l, bool busy)
{
	struct pollfd set[SET_COUNT];
	int limit = SLEEP_MS, n_ready;

	fill_poll_set(l, set);
	if (busy) {
		limit = BUSY_MS;
		flush_if_due(l);
		set_asleep(l, SONDE_DROWSES);
	} else {
		loop_flush(l);
		set_asleep(l, SONDE_ASLEEP);
		if (loop_drain(l) || was_woken(l)) {
			set_asleep(l, SONDE_AWAKE);
			return;
		}
	}
	n_ready = poll(set, SET_COUNT, time_left_ms(l, limit));
	if (n_ready > 0)
		handle_events(l, set);
	if (l->events.out->input && (n_ready < 0 || set[SET_KEYS].revents)) /* <0: a signal */
		take_input(l);
	set_asleep(l, SONDE_AWAKE);
}
