/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A session's run: BEGIN, attach, the main loop (drain, wait, repeat), detach, END, reports. All of
 * it is one thread; intervals have another (interval_thread.c).
 */
#include "runtime/run/loop_state.h"
#include "runtime/base/clock.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/progress.h"
#include "runtime/attach/attach.h"
#include "runtime/attach/cpu_watch.h"
#include "runtime/events/packets.h"
#include "runtime/session/event_source.h"
#include "runtime/attach/step_watch.h"
#include "runtime/session/unwind.h"
#include "runtime/run/interval_thread.h"
#include "runtime/symbols/usym.h"
#include "runtime/attach/attach_all.h"
#include "runtime/run/lifetime.h"
#include "runtime/run/loss.h"
#include "runtime/events/stacks.h"
#include "runtime/events/stack_sweep.h"
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LOOK_EVERY = 256 }; /* programs of a source of events between looks at signals */

static bool exit_called(const struct loop *l)
{
	return l->events.exited ||
	       (l->s->control && __atomic_load_n(&l->s->control->exiting, __ATOMIC_ACQUIRE));
}

static void check_end(struct loop *l)
{
	if (exit_called(l) || l->events.error || (l->end_ns && monotonic_ns() >= l->end_ns))
		l->done = true;
}

/* ---- start --------------------------------------------------------------------------------- */

/* Track the mappings of the traced processes, before any of them continues. */
static void track_mappings(struct loop *l)
{
	const struct sonde_config *c = l->s->config;
	int pid = c->scope == SONDE_SCOPE_ALL ? -1 : (int)c->scope_tgid, err;

	if (!l->s->usyms)
		return;
	err = usyms_track(l->s->usyms, pid);
	if (err)
		log_warning(
			"cannot track the mappings of processes: %s%s; user frames of short-lived processes "
			"may have no name",
			strerror(-err), limit_hint(err));
	session_unwind_follow(l->s);
	if (pid > 0)
		usyms_note_process(l->s->usyms, (uint32_t)pid);
}

static void drain_between(void *ctx)
{
	loop_drain_all(ctx);
}

static bool only_special(const struct plan *p)
{
	return !FIND(p->progs, p->n_progs,
		     item->n_probes && !prog_kind_is(item->kind, PK_OUTSIDE) &&
			     !prog_kind_is(item->kind, PK_ITER));
}

/* BEGIN and END, which run although exit() in BEGIN keeps the others from being attached. */
static uint32_t count_special(const struct plan *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n_progs; i++)
		if (prog_kind_is(p->progs[i].kind, PK_OUTSIDE))
			n += p->progs[i].n_probes;
	return n;
}

static uint32_t count_attached(const struct session *s)
{
	return (uint32_t)(plan_count_probes(s->plan) + s->n_namesakes) - s->n_skipped -
	       s->n_refused;
}

static void report_attached(const struct loop *l, uint32_t n)
{
	if (!l->o->quiet && !l->o->tests)
		l->events.out->attached(l->events.out, n);
}

/* All probes are attached, or BEGIN has called exit(), so that none will be. */
static int report_ready(const struct loop *l)
{
	static const char word[] = "ready\n";

	service_notify("READY=1");
	if (l->o->ready_fd >= 0 && write(l->o->ready_fd, word, sizeof(word) - 1) < 0)
		return -errno;
	return 0;
}

/* Run the command up to its first instruction: the addresses of its variables are known from there
 * on when it is position-independent. */
static int execute(struct loop *l)
{
	int err = command_execute(l->o->command);

	if (err == -ECHILD)
		loop_reap_command(l); /* it has reported why */
	else if (err)
		log_error("-c: cannot stop the command at its start, where the addresses of its "
			  "variables become known: %s; start it and use -p PID",
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

static int run_begin(struct loop *l)
{
	if (l->s->plan->needs.own_unwind)
		session_unwind_settle(l->s);
	return session_run_begin(l->s);
}

static bool drain_source(void *ctx)
{
	struct loop *l = ctx;

	loop_drain_all(l);
	/* a system call, so not each time */
	if (++l->n_source_runs % LOOK_EVERY == 0 && session_stopped(l->s))
		return false;
	return !exit_called(l) && !l->events.error;
}

/* Instead of attaching. */
static int start_source(struct loop *l)
{
	progress_stage(STAGE_RUN);
	l->is_ready = l->done = true;
	return l->s->source->run(l->s->source, l->s, drain_source, l);
}

/* Run BEGIN, attach, release the command. run_events() handles exit() in BEGIN. */
static int start(struct loop *l)
{
	int err;

	progress_stage(STAGE_BEGIN);
	err = run_begin(l);
	if (err)
		return err;
	progress_stage(STAGE_ATTACH);
	if (exit_called(l)) {
		progress_stage(STAGE_RUN);
		report_attached(l, count_special(l->s->plan));
		return report_ready(l);
	}
	if (l->s->source)
		return start_source(l);
	track_mappings(l);
	session_unwind_wait(l->s);
	err = attach(l);
	if (err == -EINTR) {
		progress_stage(STAGE_RUN);
		log_info("stopped before all probes were attached");
		l->done = true;
		return 0;
	}
	if (err || l->done)
		return err;
	if (l->s->config->scope == SONDE_SCOPE_FOLLOW)
		session_follow(l->s);
	err = session_open_begin(l->s) ?: interval_thread_start(l->s, &l->s->interval_thread);
	if (err)
		return err;
	step_watch_start(l->s);
	progress_stage(STAGE_RUN);
	report_attached(l, count_attached(l->s));
	if (l->s->tracer_time)
		l->s->tracer_time->start(l->s);
	report_ready(l);
	l->is_ready = true;
	prog_stats_begin(&l->stats);
	if (l->o->command)
		command_release(l->o->command);
	interval_thread_protect(l->s);
	if (l->s->usyms && l->s->config->scope == SONDE_SCOPE_ALL)
		usyms_note_all(l->s->usyms);
	err = session_iterate(l->s, l->events.out, drain_between, l);
	if (err && err != -EPIPE)
		return err;
	l->flushed_ns = monotonic_ns();
	l->end_ns = l->o->duration_ns ? l->flushed_ns + l->o->duration_ns : 0;
	l->print_ns = l->o->interval_ns ? l->flushed_ns + l->o->interval_ns : 0;
	if (l->events.out->input && l->print_ns) /* it shows them from the beginning on */
		l->print_ns = l->flushed_ns;
	l->done = only_special(l->s->plan) && !(l->o->command && l->o->command->pid) && !l->end_ns;
	return 0;
}

/* ---- the loop ------------------------------------------------------------------------------ */

/* For a writer that shows all maps at once. */
static void begin_round(struct loop *l, bool begins)
{
	struct out *out = l->events.out;

	if (!begins && out->wants_losses)
		loss_report(l->s, out);
	if (out->round)
		events_note_error(&l->events, out->round(out, begins));
}

/* The time stands before the maps. */
static void begin_interval(struct loop *l)
{
	struct out *out = l->events.out;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out->interval)
		events_note_error(&l->events,
				  out->interval(out, &now, l->o->interval_ns < 1000000000));
}

/* --interval, or a round that the writer asked for. Rounds that are missed because printing takes
 * longer are skipped. */
static void print_if_due(struct loop *l)
{
	uint64_t now;

	if (!l->print_ns || (now = monotonic_ns()) < l->print_ns)
		return;
	begin_round(l, true);
	if (l->o->reset) {
		events_swap(&l->events);
		loop_drain_current(l); /* what the script printed and cleared before the swap */
		begin_interval(l);
		events_print_swapped(&l->events);
	} else {
		begin_interval(l);
		events_print_so_far(&l->events);
	}
	begin_round(l, false);
	loop_flush(l);
	prog_stats_print(&l->stats, l->s, l->events.out);
	if (!l->o->interval_ns) /* somebody had asked */
		l->print_ns = 0;
	while (l->print_ns && l->print_ns <= now)
		l->print_ns += l->o->interval_ns;
}

/* --max-overhead. Programs stop at once: those that are slow to detach would go on for a while. */
static void check_overhead(struct loop *l)
{
	if (l->done || !prog_stats_is_too_much(&l->stats, l->s))
		return;
	if (l->s->control)
		__atomic_store_n(&l->s->control->exiting, 1, __ATOMIC_SEQ_CST);
	l->too_costly = l->done = true;
}

static void run_events(struct loop *l)
{
	goroutine_sweep_start(l->s);
	loop_status_open(l);
	check_end(l);
	while (!l->done) {
		loop_wait(l, loop_drain(l) > 0);
		check_end(l);
		if (!l->done)
			print_if_due(l);
		if (stack_sweep_is_due(l->s)) {
			loop_drain_current(l);
			stack_sweep_run(l->s);
		}
		stacks_collect_names(l->s);
		goroutine_sweep(l->s);
		session_open_retry(l->s);
		check_overhead(l);
		loop_status_update(l);
	}
	loop_status_close(l);
	if (l->events.out->stop)
		l->events.out->stop(l->events.out);
}

/* ---- end ----------------------------------------------------------------------------------- */

static int exit_status(const struct loop *l, int end_err, uint64_t n_lost)
{
	if (l->command_failed)
		return 1;
	if (l->events.error && l->events.error != -EPIPE) {
		log_error("cannot write the output: %s%s", strerror(-l->events.error),
			  limit_hint(l->events.error));
		return 2;
	}
	if (end_err || l->overrun || l->out_of_memory || l->events.is_map_unread ||
	    l->s->is_stack_unread || l->packets_failed)
		return 2;
	if (l->o->strict && (n_lost || l->too_costly))
		return 4;
	return l->s->control ? (int)(l->s->control->exit_code & 0xff) : 0;
}

static void print_end(struct loop *l)
{
	int err = l->events.out->end(l->events.out);

	if (err && !l->events.error)
		l->events.error = err;
	if (l->s->plan->config.print_maps_on_exit)
		events_print_maps(&l->events);
}

/* Detach, run END, print the remaining records, the maps and the losses. */
static int finish(struct loop *l)
{
	uint64_t n_lost;
	int err, write_err;

	service_notify("STOPPING=1");
	session_open_stop(l->s, drain_between, l);
	prog_stats_stop(&l->stats, l->s);
	step_watch_stop(l->s);
	progress_stage(STAGE_DETACH);
	session_detach(l->s);
	progress_stage(STAGE_PRINT);
	if (l->o->reserve)
		memory_reserve_release(l->o->reserve);
	loop_drain_all(l);
	l->events.exited = false; /* output of END is shown after exit(), too */
	err = session_open_count(l->s);
	loop_drain_all(l);
	l->events.exited = false;
	l->events.is_ending = true;
	err = session_run_special(l->s, PP_END) ?: err;
	err = err ?: interval_thread_error(l->s->interval_thread);
	loop_drain_rest(l);
	if (!l->o->tests)
		print_end(l);
	loop_flush(l); /* before messages on standard error */
	if (l->events.n_not_run)
		log_warning("%llu commands of system() were not run: tracing was stopped",
			    (unsigned long long)l->events.n_not_run);
	session_unwind_report(l->s);
	if (l->s->tracer_time)
		l->s->tracer_time->report(l->s);
	step_watch_report(l->s);
	cpu_watch_report(l->s);
	prog_stats_print_all(&l->stats, l->s, l->events.out);
	if (l->is_ready && !l->o->tests && !l->command_failed)
		unfired_report(&l->events);
	n_lost = loss_report(l->s, l->events.out);
	write_err = out_finish(l->events.out);
	if (write_err && !l->events.error)
		l->events.error = write_err;
	run_report(l->s);
	return exit_status(l, err, n_lost);
}

/* --dry-run: load, run BEGIN and attach. What BEGIN writes is not read. */
static int dry_run(struct loop *l)
{
	int err = run_begin(l);

	progress_stage(STAGE_ATTACH);
	err = err ?: attach(l);
	progress_stage(STAGE_DETACH);
	session_detach(l->s);
	return err ? 2 : 0;
}

/* Returns the exit status. */
static int run_tests(struct loop *l)
{
	int n_failed;

	loop_drain_all(l); /* records of BEGIN */
	n_failed = tests_run(l->s, &l->events, drain_between, l);
	if (n_failed < 0)
		log_error("cannot run the tests: %s", strerror(-n_failed));
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
	l->events.no_warnings = l->o->no_warnings;
	l->out_fd = out_set_buffering(l->events.out, l->o->buffering);
	if (l->o->command)
		out_share(l->events.out);
	err = prog_stats_open(&l->stats, l->s, l->o->stats, l->o->max_overhead);
	if (err)
		return err;
	l->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	l->s->stop_fd = l->stop;
	l->signals = loop_open_signals(l);
	if (l->stop < 0 || l->signals < 0)
		return -errno;
	return l->s->ring_fd >= 0 ? open_ring(l) : 0;
}

static void loop_close(struct loop *l)
{
	if (l->o->command)
		command_stop(l->o->command);
	out_unshare(l->events.out);
	ring_close(l->ring);
	loop_close_signals(l);
	if (l->stop >= 0)
		close(l->stop);
	if (l->pidfd >= 0)
		close(l->pidfd);
	prog_stats_close(&l->stats);
	events_free(&l->events);
}

int loop_run(struct session *s, struct out *out, const struct loop_options *o)
{
	struct loop l = {.s = s,
			 .o = o,
			 .stop = -1,
			 .signals = -1,
			 .pidfd = -1,
			 .events.out = out,
			 .stats.fd = -1};
	int err = loop_open(&l), status = 2;

	if (!err &&
	    (follow_process(s->kernel->scope->pid, &l.pidfd) || (!o->dry_run && packets_open(s)))) {
		; /* they have reported why */
	} else if (err) {
		log_error("cannot start: %s%s", strerror(-err), limit_hint(err));
	} else if (o->dry_run) {
		status = dry_run(&l);
	} else if (!loop_wait_for_start(&l)) {
		status = 0; /* nothing has begun */
	} else if (start(&l) == 0) {
		status = o->tests ? run_tests(&l) : 0;
		if (!o->tests)
			run_events(&l);
		status = status ? (finish(&l), status) : finish(&l);
		if (o->after)
			o->after(o->after_ctx, &l.events, status);
	} else {
		progress_stage(STAGE_DETACH);
		session_detach(s); /* some probes may be attached */
	}
	loop_close(&l);
	return status;
}
