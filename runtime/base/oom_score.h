/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which of our processes the kernel ends first when memory runs out.
 */
#pragma once

/* Values of /proc/PID/oom_score_adj (proc(5), up to 1000): the process with more is ended first. */
enum oom_score { OOM_SCORE_COMPILER = 1000, OOM_SCORE_RESERVE = 900 };

/* Set it for this process; raising it needs no privilege. 0 or -errno. */
int oom_score_set(enum oom_score score);
