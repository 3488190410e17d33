/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs typed at a prompt, over several lines if the first is unfinished.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct arena;
struct editor;

/* Does a program go on after this text? Its end is missing: a bracket, a block, a comment. */
bool typed_is_unfinished(const char *text);
/* Read a command or a program. `is_command`: does the line begin with a word of the prompt? Then it
 * is the whole. An empty line ends a program, finished or not. NULL at the end of input; "" after
 * Ctrl-C and for an empty line. */
const char *typed_read(struct arena *a, struct editor *e, const char *prompt,
		       bool (*is_command)(const char *line));
/* Is it a line of plain words, none of which begins a program, such as `exit` or `hlep me`? */
bool typed_is_words(struct arena *a, const char *line);
/* Report such a line. `word_at`: the i-th word of the prompt, NULL after the last. */
void typed_unknown(struct arena *a, const char *line, const char *(*word_at)(uint32_t i));
/* The first word of a line, and *rest, what follows it. */
const char *typed_word(struct arena *a, const char *line, const char **rest);
