/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a user that outlive a run: $XDG_STATE_HOME/sonde/NAME, or ~/.local/state/sonde/NAME.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* The path; its folders are made. False when there is none: then nothing is kept. */
bool state_path(const char *name, char *path, size_t size);
