/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal, for lines that only people need.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Empties the line of the cursor; on every terminal but dumb ones. */
#define TERMINAL_ERASE "\r\033[K"

/* Columns of the terminal that is open as `fd`; `otherwise` if it does not say. */
int terminal_columns(int fd, int otherwise);
/* Is sonde in the foreground of standard error's terminal? Else that belongs to another program. */
bool terminal_is_ours(void);
/* Write to standard error. An error is ignored. */
void terminal_put(const char *bytes, size_t n);
