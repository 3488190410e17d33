/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde report: show a recording.
 */
#pragma once
struct options;

/* Show the recording as the options say. The exit status. */
int report_run(const struct options *o);
