/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sonde help [WORD], --help WORD: rows of the tables, with documentation and example.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* The i-th topic; NULL after the last. */
const char *help_topic(uint32_t i);
/* Print the rows of that name, and the topic of that name: "builtins", "functions", "reference" …
 * False if there is neither. */
bool help_print(const char *word);
/* Print the usage of a word of first_words.def, its options and its example. */
void help_print_command(const char *word);
/* Call use(ctx, name) with each name, such as scripts_each(). */
typedef void help_names(void (*use)(void *ctx, const char *name), void *ctx);
/* After help_print(): report that there is nothing on the word, with the nearest row or script. */
void help_unknown(const char *word, help_names *scripts);

/* ---- rows.c: the rows of all tables that name words of the command line and of the language,
 * a line each, for programs that make completion of shells and syntax files of editors
 * (cmake/make-editor-files). */

/* Print them. Fields are separated by tabs: the kind, then
 *   option, report-option, stat-option   name, other name, argument, words of the argument, help
 *   probe                                name, form, aliases, doc
 *   builtin, function, aggregation       name, signature, doc
 *   topic, macro, keyword, type, stack-word, config, preprocessor   name
 * An empty field is "-"; words are separated by blanks. */
void rows_print(void);

/* ---- reference.c: prints the tables of the language: docs/reference.md, --list-rows. */

struct help_rows;
/* Print all rows in Markdown. */
void reference_markdown(const struct help_rows *rows);
/* Print "KIND NAME" for each row; a test requires a live test for each. In full: the line of
 * rows_print(). */
void reference_list_rows(bool in_full);
