/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A line at the bottom of the terminal on standard error, which is erased before anything else is
 * written there and drawn again later. The state is global, like that of log.h.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

/* May there be such a line? Standard error must be a terminal with this process in its foreground,
 * and standard output that terminal too, or a file: what reads a pipe may write to the terminal
 * itself. */
void status_open(void);
bool status_is_open(void);
/* Erase the line for good. */
void status_close(void);
/* Draw the line, cut to the terminal's width, unless the last output ended in the middle of a
 * line. */
void status_show(const char *text);
/* Is it drawn at present? */
bool status_is_shown(void);
/* Something is about to be written: erase the line. */
void status_hide(void);
/* These bytes have been written to a descriptor. */
void status_note(int fd, const char *bytes, size_t n);
