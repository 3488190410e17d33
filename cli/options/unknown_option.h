/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words of the command line that look like options and are none.
 */
#pragma once
#include "cli/options/options.h"
#include <stdbool.h>
#include <stddef.h>

/* Report the word, whose name is the first `len` bytes: no option of sonde, nor of the script that
 * is before it. `next` is the word behind it, "" at the end. -1. */
int option_unknown(const struct options *o, const char *word, size_t len, const char *next);
/* Report a word or option that sonde had once (removed_words.def). False: it is none. */
bool option_report_removed(const char *word, size_t len);
struct option_row;
/* Report that the option's value is missing; `next` is the option that is in its place, NULL at
 * the end. -1. */
int option_no_value(const struct option_row *r, const char *next);
/* A hint for an option of another tool behind a first word or a script; "": behind others, which
 * have the rows of all. False: none is known. */
bool option_hint_other(const char *behind, const char *name, size_t len);
/* Report an option that begins with a long dash, as word processors write it. 0: it is none. */
int option_check_dash(const char *word);
