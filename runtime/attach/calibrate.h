/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calibration: how much of the tracer's own time is in the calls that it measures. See calibrate.c.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct session;

/* The class of the instruction at `code`, as bits of an attach cookie. */
uint64_t calibrate_class(const uint8_t *code, size_t n);
/* Measure what a program of user functions costs at instructions of the cookie's class, unless that
 * is known, and store it in s->control. A failure is reported once: then nothing is subtracted. */
void calibrate_prog(struct session *s, uint32_t prog, uint64_t cookie);
/* When all is attached: say what is subtracted. */
void calibrate_report(const struct session *s);
/* At the end of tracing: say how many calls were shorter than what was subtracted. */
void calibrate_report_end(const struct session *s);
/* Does it take long to close the probes of calibration? */
bool calibrate_closes_slowly(const struct session *s);
void calibrate_close(struct session *s);
