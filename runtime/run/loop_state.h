/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The main loop's state. Private to loop*.c: loop.c starts and ends a run, loop_wait.c reads the
 * ring and waits, loop_start.c waits for the beginning, loop_status.c shows
 * the state on a terminal, loop_signals.c handles signals and the
 * command's end.
 */
#pragma once
#include "runtime/events/events.h"
#include "runtime/run/loop.h"
#include "runtime/run/prog_stats.h"

/* The line of a run's state on a terminal. */
struct loop_status {
	uint64_t begin_ns, next_ns, read_ns, shown_ns; /* CLOCK_MONOTONIC */
	uint64_t n_events, n_hits;		       /* at read_ns */
	uint64_t sample_ns, sample_hits; /* the programs count hits since; 0: they do not */
	char text[128];
};

struct loop {
	struct session *s;
	const struct loop_options *o;
	struct events events;
	struct ring *ring;
	int stop; /* eventfd: SIGINT, SIGTERM or SIGHUP came */
	int signals, pidfd, out_fd;
	uint64_t end_ns;   /* CLOCK_MONOTONIC; 0: none */
	uint64_t print_ns; /* when maps are printed next; 0: never */
	uint64_t flushed_ns;
	struct prog_stats stats;
	struct loop_status status;
	bool is_ready; /* all probes were attached */
	bool done;
	bool too_costly;	/* --max-overhead ended tracing */
	bool overrun;		/* the ring cannot be read any more */
	bool out_of_memory;	/* the cgroup's limit was reached, and the reserve is gone */
	bool packets_failed;	/* a file of packets could not be written */
	bool command_failed;	/* it could not be executed after all, and has reported why */
	uint64_t n_source_runs; /* programs that a source of events has run */
	uint64_t n_records;	/* in the current drain */
	uint64_t drain_until, drain_records; /* bounds of it; 0: none */
};

/* loop_wait.c */
/* Handle all records; returns their number. */
uint64_t loop_drain_all(struct loop *l);
/* The same for at most DRAIN_MS: when probes send faster than we read, there is no end to it. */
uint64_t loop_drain(struct loop *l);
/* Handle as many records as the ring can have held when this was called. */
void loop_drain_current(struct loop *l);
/* The last drain: also wait a while for records that programs have begun but not submitted. */
void loop_drain_rest(struct loop *l);
/* Wait for something to do. `busy`: the last drain found records, so come back soon. */
void loop_wait(struct loop *l, bool busy);
/* Write out what the writer has buffered. */
void loop_flush(struct loop *l);

/* loop_status.c */
/* Begin to show it, if this run may. */
void loop_status_open(struct loop *l);
/* Draw it when it is due, or has been erased for output. */
void loop_status_update(struct loop *l);
/* Erase the line for good. */
void loop_status_close(struct loop *l);

/* loop_start.c */
/* Wait for the moment of --start. False: the run has been stopped. */
bool loop_wait_for_start(struct loop *l);

/* loop_signals.c */
/* A signalfd for SIGCHLD, and SIGUSR1 when a program waits for it; handlers for the signals that
 * end the run. -1 with errno. */
int loop_open_signals(struct loop *l);
void loop_close_signals(struct loop *l);
void loop_read_signals(struct loop *l);
/* When the command has ended, end the run. */
void loop_reap_command(struct loop *l);

/* ---- run_report.c: -v */

/* Programs, links, functions and what is single-stepped; the time of each stage. */
void run_report(const struct session *s);

/* ---- service.c: messages to systemd */

/* Send "READY=1", "STOPPING=1", … to the socket of NOTIFY_SOCKET; nothing if there is none. */
void service_notify(const char *state);

/* ---- tests.c: --test and --bench */

/* Run the plan's tests or benchmarks and print the results; `drain` handles the records that they
 * send. The number of failures, or -errno. */
int tests_run(struct session *s, struct events *events, void (*drain)(void *ctx), void *ctx);

/* ---- follow.c: --follow */
/* A descriptor of process `pid` of -p, which tells when it ends, to *fd; -1 there without a pid. 0,
 * or -1: there is no such process (reported). */
int follow_process(uint32_t pid, int *fd);

/* Mark the descendants of the process of -p as traced. Call it when all is attached. */
void session_follow(const struct session *s);

/* ---- open_spans.c: spans that are open when tracing begins or ends */
/* For a script with open_spans = count. Once all is attached, note the threads that are off CPU,
 * with their user stacks; those for which there were no unwind tables are tried again now and then.
 * Before detaching, note the end of tracing; after it, run the bodies for open spans. `drain`
 * handles the records that programs have sent. 0, or -errno after a message. For any script,
 * session_open_retry() also reads the stacks of waiting threads again, after some were cut for lack
 * of tables. */
int session_open_begin(struct session *s);
void session_open_retry(struct session *s);
void session_open_stop(struct session *s, void (*drain)(void *ctx), void *ctx);
int session_open_count(const struct session *s);
