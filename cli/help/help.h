/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde help [WORD], --help WORD: rows of the tables, with documentation and example.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* Print the list of topics. */
void help_topics_print(void);
/* The i-th topic; NULL after the last. */
const char *help_topic(uint32_t i);
/* Print the rows of that name, and the topic of that name: "builtins", "functions", "reference" …
 * False if there is neither. */
bool help_print(const char *word);
/* Print the usage of a word of first_words.def, its options and its example. */
void help_print_command(const char *word);
/* After help_print(): report that there is nothing on the word, with the nearest rows. */
void help_unknown(const char *word);
