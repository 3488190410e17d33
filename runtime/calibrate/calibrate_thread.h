/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread that repeats the calibration while the script runs: see calibrate_thread.c.
 */
#pragma once

struct session;

/* Call it when something is calibrated. A failure is a warning. */
void calibrate_thread_start(struct session *s);
/* What was measured stays. */
void calibrate_thread_stop(struct session *s);
