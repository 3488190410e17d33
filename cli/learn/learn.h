/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde learn: lists lessons, runs them, checks answers.
 */
#pragma once
#include "cli/learn/lesson_file.h"
#include "cli/options/options.h"

/* Run `sonde learn`. Returns the exit status. */
int learn_run(const struct options *o);

/* lesson_test.c: run the solutions and wrong answers of a lesson. Returns how many failed. */
uint32_t lesson_test(struct arena *a, const struct lesson *l);

/* learn_session.c: run a lesson on the terminal. Sets *go_on if the user wants the next one.
 * Returns the exit status: 0 if the lesson is solved, now or before. */
int learn_session(struct arena *a, const struct lesson *l, bool *go_on);

/* lesson_progress.c: is the lesson solved? */
bool lesson_is_done(const char *lesson);
void lesson_done(const char *lesson);
int lesson_forget_done(void);
