/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts for `sonde stat`: see stat.h. The command is held before its execution until its counters
 * are open; they begin with execve(). A process that runs already has counters for each of its
 * threads.
 */
#include "cli/stat/stat.h"
#include "cli/base/file_limit.h"
#include "cli/base/near_program.h"
#include "cli/base/output_file.h"
#include "cli/options/option_rows.h"
#include "cli/run/run.h"
#include "runtime/base/clock.h"
#include "runtime/base/limit_hint.h"
#include "runtime/base/proc_children.h"
#include "runtime/run/command.h"
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- opening ----------------------------------------------------------------------------- */

/* Stop for what is neither a lack of the machine nor of permissions. */
static int check_error(const struct counter *c)
{
	if (!c->err || counter_is_unsupported(c) || counter_is_forbidden(c))
		return 0;
	if (c->err == -ENOSYS)
		log_error("no perf_event_open() system call: the kernel lacks CONFIG_PERF_EVENTS, "
			  "or a seccomp profile forbids it");
	else
		log_error("cannot count %s: %s%s", c->name, strerror(-c->err), limit_hint(c->err));
	return -1;
}

/* Without any counter there is nothing to tell. */
static int check_counters(const struct stat_run *r)
{
	const char *lacking = NULL;
	bool is_forbidden = false;

	for (size_t i = 0; i < r->counters.n; i++) {
		const struct counter *c = &r->counters.items[i];

		if (c->is_hidden)
			continue;
		if (!c->err)
			return 0;
		lacking = lacking ? arena_printf(r->arena, "%s, %s", lacking, c->name) : c->name;
		is_forbidden |= counter_is_forbidden(c);
	}
	if (is_forbidden)
		log_error("not permitted to count events: this requires CAP_PERFMON, or a lower "
			  "value in /proc/sys/kernel/perf_event_paranoid");
	else if (lacking)
		log_error("this machine has none of the counters %s: a virtual machine often lacks "
			  "those of the processor",
			  lacking);
	if (lacking && !is_forbidden)
		log_hint(
			"the kernel counts others: sonde stat -e "
			"task-clock,context-switches,page-faults COMMAND; 'sonde -l software' lists "
			"them");
	return -1;
}

static int open_command(struct stat_run *r, pid_t pid)
{
	for (size_t i = 0; i < r->counters.n; i++) {
		counter_open_command(&r->counters.items[i], pid);
		if (check_error(&r->counters.items[i]))
			return -1;
	}
	return check_counters(r);
}

static int open_thread(void *ctx, uint32_t pid, uint32_t tid)
{
	struct stat_run *r = ctx;

	for (size_t i = 0; i < r->counters.n; i++) {
		struct counter *c = &r->counters.items[i];

		if (!c->err)
			counter_open_thread(c, (pid_t)tid);
		if (check_error(c))
			return -1;
	}
	return 0;
}

/* Threads that are created later are counted by the counter of the thread that creates them. */
static int open_process(struct stat_run *r)
{
	int err = proc_each_thread(r->options->scope.pid, false, open_thread, r);

	return err && err != -EACCES ? err : check_counters(r);
}

/* ---- waiting ----------------------------------------------------------------------------- */

/* Milliseconds until `end`; -1: there is none. */
static int time_left(uint64_t end)
{
	uint64_t now = monotonic_ns();

	if (!end)
		return -1;
	if (now >= end)
		return 0;
	return end - now > 1000000ull * INT_MAX ? INT_MAX : (int)((end - now + 999999) / 1000000);
}

/* Wait until the process ends, for the duration or for a signal. `child`: it is ended then, and
 * waited for; a second signal kills it. */
static int wait_for_end(const struct stat_run *r, int process, int signals, pid_t child)
{
	struct pollfd fds[] = {{.fd = process, .events = POLLIN},
			       {.fd = signals, .events = POLLIN}};
	uint64_t end = r->options->duration_ns ? monotonic_ns() + r->options->duration_ns : 0;
	struct signalfd_siginfo si;
	int number = SIGTERM;

	for (;;) {
		int n = poll(fds, 2, time_left(end));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0)
			continue;
		if (fds[0].revents)
			return 0;
		if (n && read(signals, &si, sizeof(si)) < 0)
			return -errno;
		if (!child)
			return 0;
		kill(child, number);
		number = SIGKILL;
		end = 0;
	}
}

static int block_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* ---- counting ---------------------------------------------------------------------------- */

static int read_counters(struct stat_run *r)
{
	for (size_t i = 0; i < r->counters.n; i++)
		counter_disable(&r->counters.items[i]);
	for (size_t i = 0; i < r->counters.n; i++) {
		struct counter *c = &r->counters.items[i];
		int err = c->err ? 0 : counter_read(c);

		if (err) {
			log_error("cannot read the counter of %s: %s", c->name, strerror(-err));
			return 2;
		}
	}
	return 0;
}

static uint64_t time_ns(const struct timeval *t)
{
	return (uint64_t)t->tv_sec * 1000000000u + (uint64_t)t->tv_usec * 1000u;
}

/* Reap the command, which has ended. */
static void reap(struct stat_run *r, struct command *c)
{
	struct rusage use = {0};
	int status = 0;

	TEMP_FAILURE_RETRY(wait4(c->pid, &status, 0, &use));
	c->pid = 0;
	r->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	r->user_ns = time_ns(&use.ru_utime);
	r->system_ns = time_ns(&use.ru_stime);
}

static int wait_and_read(struct stat_run *r, struct command *c)
{
	pid_t pid = c->pid ?: (pid_t)r->options->scope.pid;
	int process = (int)syscall(SYS_pidfd_open, pid, 0), signals = block_signals(), err;
	uint64_t begin = monotonic_ns();

	err = process < 0 || signals < 0 ? -errno : 0;
	if (!err && c->pid)
		command_release(c);
	for (size_t i = 0; !err && !c->pid && i < r->counters.n; i++)
		counter_enable(&r->counters.items[i]);
	if (!err)
		err = wait_for_end(r, process, signals, c->pid);
	r->elapsed_ns = monotonic_ns() - begin;
	if (process >= 0)
		close(process);
	if (signals >= 0)
		close(signals);
	if (err == -ESRCH) {
		log_error("-p: no process %d", pid);
		return 1;
	}
	if (err) {
		log_error("cannot wait for process %d: %s", pid, strerror(-err));
		return 2;
	}
	return read_counters(r);
}

static int count_command(struct stat_run *r)
{
	struct command c = {.gate = -1, .report = -1};
	int err = command_start(&c, r->words), status = 2;

	if (err) {
		log_error("cannot run '%s': %s%s", r->words[0], strerror(-err),
			  limit_hint_process(err));
		if (err == -ENOENT && !near_program_hint(r->words[0]) && strchr(r->words[0], ' '))
			log_hint("write the command without quotes, or behind -c: sonde stat -c "
				 "'%s'",
				 r->words[0]);
		return run_is_of_the_system(err) ? 2 : 1;
	}
	if (open_command(r, c.pid) == 0)
		status = wait_and_read(r, &c);
	if (!status) {
		reap(r, &c);
		status = command_failure(&c) ? 1 : 0; /* the child has said why */
	}
	command_stop(&c);
	return status;
}

static int count_process(struct stat_run *r)
{
	struct command none = {.gate = -1, .report = -1};

	if (run_check_pid(r->options))
		return 1;
	file_limit_raise();
	return open_process(r) ? 2 : wait_and_read(r, &none);
}

static int count_and_print(struct stat_run *r, FILE *f)
{
	int status = r->words ? count_command(r) : count_process(r);

	if (status)
		return status;
	stat_print(r, f);
	return r->status;
}

static int run(struct stat_run *r)
{
	FILE *f = output_open(r->options->out.path);
	int status = f ? count_and_print(r, f) : 2,
	    closed = f ? output_close(r->options->out.path, f) : 0;

	return closed ?: status;
}

/* What is counted: a command, or the process of -p. 0, or -1 after a message. */
static int take_command(struct stat_run *r)
{
	const struct options *o = r->options;
	size_t n = o->args.n_params;

	r->words = o->scope.command;
	if (n && r->words)
		return option_error("-c and a command after -- cannot be combined");
	if (n) {
		r->words = arena_alloc(r->arena, (n + 1) * sizeof(*r->words));
		memcpy(r->words, o->args.params, n * sizeof(*r->words));
	}
	if (r->words && o->scope.pid)
		return option_error("a command and -p cannot be combined");
	if (!r->words && !o->scope.pid)
		return option_error("nothing to count: write 'sonde stat -- COMMAND' or "
				    "'sonde stat -p PID'");
	return 0;
}

int stat_run(const struct options *o)
{
	struct stat_run r = {.arena = arena_new(), .options = o};
	int status = 1;

	if (take_command(&r) == 0 && stat_find_events(&r) == 0)
		status = run(&r);
	for (size_t i = 0; i < r.counters.n; i++)
		counter_close(&r.counters.items[i]);
	arena_free(r.arena);
	return status;
}
