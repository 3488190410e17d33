/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What pages say of a run in their titles. The texts are from malloc; NULL: not known, or no
 * memory.
 */
#pragma once
#include "runtime/view/view.h"

/* What was traced: the command, a process, a cgroup, or the whole system. */
char *run_subject(const struct view_run *run);
/* Set what its counts and times are. */
void run_units(struct view_run *run, const struct plan *plan);
/* The script as one line. If it is longer: its beginning, or its name if it begins with a
 * comment. */
char *run_script(const struct view_run *run);
