/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibration: how much of the tracer's own time is in the calls that it measures. See calibrate.c.
 */
#pragma once
#include "runtime/session/tracer_time.h"

/* For functions of programs. It says once if that is not possible: then nothing is subtracted. */
extern const struct tracer_time calibrate_tracer_time;
/* Also without calibration. */
tracer_share_fn calibrate_tracer_share;
