/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What 'sonde report', 'sonde replay', 'sonde flamegraph' and 'sonde record --events' do.
 */
#pragma once
#include "runtime/output/out_format.h"
#include "runtime/recording/show.h"

/* ---- flamegraph.c: sonde flamegraph FILE, sonde flamegraph --diff BEFORE AFTER: draw stacks
 * that were saved. */

struct options;

/* Draw. The exit status. */
int flamegraph_run(const struct options *o);

/* ---- record_events.c: sonde record --events: records each firing of tracepoints, for 'sonde
 * replay'. */

/* The exit status. */
int record_events_run(const struct options *o);

/* ---- replay.c: sonde replay: runs a script over recorded events, without root. */

/* The exit status. */
int replay_script(const struct options *o);

/* ---- report.c: sonde report: show a recording. */

/* Show the recording as the options say. The exit status. */
int report_run(const struct options *o);

/* How a report is shown. */
struct report_form {
	enum out_format format;
	const char *format_word; /* of NAME:WORD, or NULL */
	struct show_filter filter;
};

/* ---- report_merged.c: several recordings, and lines of -f jsonl, as one. */

int report_merged(const struct options *o, const struct report_form *form);
/* Is the file, by its name or contents, one of lines? */
bool report_has_lines(const char *path);
/* 0, or -1 after a message: what no report can read. */
int report_check_input(const char *path);
