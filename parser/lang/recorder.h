/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts behind which the text of a recorder was put ('sonde record --for-replay'): the recorder's
 * probes record events, those of the script run beside them, and what they read is recorded.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct probe;
struct program;

/* Where the text of a recorder begins that has no script before it ('sonde record --events'). */
enum { RECORDER_ALONE = 1 };

/* The recorder's text begins at `from`: its probes come first from now on, so that an event is
 * recorded before what is read at it. */
void recorder_take(struct program *p, uint32_t from);
/* Is that a probe of the script whose reads are recorded? */
bool recorder_has_reads(const struct program *p, const struct probe *probe);
/* Does the probe count spans that are open when tracing ends? Those of a recorder count times off
 * and on the CPU. */
bool recorder_counts_open(const struct program *p, const struct probe *probe);
