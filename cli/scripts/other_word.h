/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words in place of a script that are none: those of other tools (other_words.def), and programs.
 */
#pragma once
#include "cli/scripts/script_args.h"

/* Report o->file if it is a word of other tools. False: it is none. */
bool other_word_report(const struct script_args *o);
/* Print how to trace the program `name` with n words, as a hint without its newline. `has_names`:
 * its functions can be traced, too. */
void other_word_hint_program(const char *name, uint32_t n, const char *const *words,
			     bool has_names);
/* Is the word, in place of a script, a program that could be traced? */
bool other_word_is_program(const char *word);
/* Print a command that is given as words, as -c takes it. */
void other_word_put_command(const char *name, uint32_t n, const char *const *words);
/* That hint, if $PATH has a program of the name. False: it has none. */
bool other_word_hint_path(const struct script_args *o);
