/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde record --for-replay SCRIPT: records the events of a script, and what the script reads at
 * them.
 */
#pragma once

struct options;

/* The exit status. */
int record_script_run(const struct options *o);
