/* SPDX-License-Identifier: Apache-2.0 */
/*
 * -o must not name what is read: the script or the recording would be lost.
 */
#pragma once
#include "cli/options/options.h"

/* Is the file of -o one that the command line reads? 0, or -1 after a message. */
int output_check(const struct options *o);
/* The same, of one file. `what` it is: "recording". */
int output_check_input(const char *output, const char *input, const char *what);
