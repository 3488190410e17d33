/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde report: show a recording.
 */
#pragma once
struct options;

/* Show it as the words behind `report` demand. The exit status. */
int report_run(const struct options *o);
