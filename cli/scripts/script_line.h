/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The `#!` line of a script.
 */
#pragma once
#include <stdbool.h>

/* Whether the first line of file `path` is `#!INTERPRETER OPTIONS` with exactly these options. */
bool script_line_has(const char *path, const char *options);
