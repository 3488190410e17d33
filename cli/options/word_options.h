/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Options of a word of the command line, such as `report`, that has a table of its own.
 */
#pragma once
#include <stdint.h>

struct options;

struct word_option {
	const char *name, *other; /* "-f", "--format"; one of them may be NULL */
	const char *arg;	  /* its name in the help; NULL: it takes none */
	const char *help;
};

struct word_options {
	const char *word; /* "report" */
	const struct word_option *rows;
	uint32_t n;
	int width; /* of the names in the help */
};

/* Read the option o->params[*i] and its value, to which *i is moved if that is the next word:
 * -fjson, -f json, --format=json. Returns the row's index, or -1 after a report. *arg is NULL
 * without a value. */
int word_options_read(const struct word_options *w, const struct options *o, uint32_t *i,
		      const char **arg);
/* Print a line for each. */
void word_options_print(const struct word_options *w);
