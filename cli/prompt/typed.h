/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Programs typed at a prompt, over several lines if the first is unfinished.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct arena;
struct prompt;
struct prompt_word;

/* Does a program go on after this text? Its end is missing: a bracket, a block, a comment. */
bool typed_is_unfinished(const char *text);
/* Is it a command line, `sonde …` or options? */
bool typed_is_command_line(const char *line);
/* Read a line that begins with a word of the prompt, a command line, or a program. An empty line
 * ends a program, finished or not. NULL at the end of input; "" after Ctrl-C and for an empty
 * line. */
const char *typed_read(const struct prompt *p, const char *prompt);
/* The word of the prompt that the line begins with, or NULL. */
const struct prompt_word *typed_find(const struct prompt *p, const char *line);
/* Do what the line says. False: it does not begin with a word of the prompt. */
bool typed_say(struct prompt *p, const char *line);
/* Is it a line of plain words, none of which begins a program, such as `exit` or `hlep me`? */
bool typed_is_words(struct arena *a, const char *line);
/* Report such a line. */
void typed_unknown(const struct prompt *p, const char *line);
/* The first word of a line, and *rest, what follows it. */
const char *typed_word(struct arena *a, const char *line, const char **rest);
