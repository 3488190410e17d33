/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The terminal, for lines that only people need.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* Columns of the terminal that is open as `fd`; `otherwise` if it does not say. */
int terminal_columns(int fd, int otherwise);
/* Its lines. */
int terminal_lines(int fd, int otherwise);
/* Is sonde in the foreground of standard error's terminal? Else that belongs to another program. */
bool terminal_is_ours(void);
/* Show the text in the line of the cursor, cut to the terminal's width, on standard error. Shows
 * nothing on dumb terminals. An error is ignored. */
void terminal_draw(const char *text);
/* Signal handlers may call it. */
void terminal_erase(void);
