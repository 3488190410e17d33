/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Suggestions for a program that cannot be found.
 */
#pragma once
#include <stdbool.h>

/* Print a hint for `name`, which command_find() has not found: the nearest program of its folder,
 * or of $PATH and the current folder. False: there is none. */
bool near_program_hint(const char *name);
