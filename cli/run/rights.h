/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rights of this process, and what it can do without them.
 */
#pragma once
#include <stdbool.h>

struct options;
struct plan;
struct program;

/* Does the interpreter run the programs: on request, or because there are no rights to trace? */
bool rights_are_interpreted(const struct options *o);
/* Check a script that was parsed. 0, or the exit status after a message. */
int rights_check_program(const struct options *o, const struct program *p);
/* May this process trace, or can the interpreter run the plan? 0, or the exit status after a
 * message. */
int rights_check_plan(const struct options *o, const struct plan *plan);
