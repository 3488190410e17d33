/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde record --events: records each firing of tracepoints, for 'sonde replay'.
 */
#pragma once

struct options;

/* The exit status. */
int record_events_run(const struct options *o);
