/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of options.def: looking one up, applying it.
 */
#pragma once
#include "cli/options/option_error.h"
#include "cli/options/options.h"
#include <stddef.h>

struct option_row {
	const char *name;  /* "--duration", "-e" */
	const char *other; /* a second spelling, or NULL */
	const char *arg;   /* the argument's name, or NULL; in brackets: only behind "=" */
	/* Apply the option. 0, or -1 after a message. */
	int (*set)(struct options *o, const struct option_row *row, const char *arg);
	size_t field;		    /* offset in struct options; of MODE the enum mode */
	const char *help, *example; /* NULL: not listed; example: the words after `sonde` */
	enum option_words words;    /* 0: FW_ANY */
	const char *needs, *excludes;
	const char *choices;	 /* the words that the value may be, with commas; or NULL */
	const char *key, *value; /* of SETTING and SETS */
};

extern const struct option_row option_rows[];
extern const int n_option_rows;

struct arena;

/* "-o, --output FILE" */
const char *option_form(struct arena *a, const struct option_row *row);
/* Is the option one of these first words, and listed in their help? */
bool option_is_listed(const struct option_row *row, enum option_words words);
/* The row that the first `len` bytes of `text` spell, or of the one long option that begins so;
 * NULL when these first words take none. */
const struct option_row *option_find(enum option_words words, const char *text, size_t len);
/* The row of the next long option after `last` (NULL: the first) that begins with these bytes. */
const struct option_row *option_next(enum option_words words, const struct option_row *last,
				     const char *text, size_t len);
/* Name of the option that selects a mode, NULL for modes without an option. */
const char *option_of_mode(enum mode mode);
/* Set the mode that the option `name` selects. --help and --version win over other modes, which
 * exclude each other. 0, or -1 after a message. */
int option_change_mode(struct options *o, enum mode mode, const char *name);
/* Do these bytes spell an option in full? */
bool option_is_exact(enum option_words words, const char *text, size_t len);
/* --help, -h */
bool option_is_help(const char *word);
/* Apply the option, and note that it is given. 0, or -1 after a message. */
int option_set(struct options *o, const struct option_row *row, const char *arg);
bool option_is_given(const struct options *o, const struct option_row *row);
/* The first option in a list of names that is given; NULL: none is. */
const struct option_row *option_given(const struct options *o, const char *names);
/* Print the options that these first words list, in two columns. */
void options_print(struct arena *a, enum option_words words);
