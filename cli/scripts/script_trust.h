/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether root may run a script that was found by a bare name.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* False, after an error, when others than root and the user behind sudo could have written the
 * script at `path` or put it there. `name` is the word on the command line; `anyway` is what runs
 * the script all the same. */
bool script_is_trusted(const char *path, const char *name, const char *anyway);
