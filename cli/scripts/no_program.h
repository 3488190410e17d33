/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words behind -e that are no program: names of files and scripts, expressions of strace.
 */
#pragma once
#include "cli/scripts/script_args.h"

/* Report o->program if it is such a word. False: it is none. */
bool no_program_report(const struct script_args *o);
