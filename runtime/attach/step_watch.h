/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts the hits of uprobes that the kernel single-steps, to warn of those that slow a program
 * down, and of times that contain single steps.
 */
#pragma once
#include <stdint.h>

struct plan_target;
struct session;
struct step_watch;

/* A target of program `prog` is attached and single-stepped. */
void step_watch_add(struct session *s, uint32_t prog, const struct plan_target *t);
/* Count from here on. Failures are reported with -v only. */
void step_watch_start(struct session *s);
/* Read the counters, before detaching. */
void step_watch_stop(struct session *s);
/* Warn if a function was hit more than 1,000 times a second, and say how much of the times of calls
 * may be the tracer's. */
void step_watch_report(struct session *s);
void step_watch_free(struct step_watch *w);
