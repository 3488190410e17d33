/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the text of -c is a command without a shell.
 */
#pragma once

struct script_args;

/* 0, or -1 after a message. */
int command_check(const struct script_args *o);
/* Print the hint for the word behind the command of -c, if `word` is that one: the command was not
 * in quotes. Returns whether it was printed. */
int command_hint(const struct script_args *o, const char *word);
