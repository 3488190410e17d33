/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of options.def: looking one up, applying it.
 */
#pragma once
#include "cli/options/option_error.h"
#include "cli/options/options.h"

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
	bool adds;		 /* may be given several times */
	const char *choices;	 /* the words that the value may be, with commas; or NULL */
	const char *key, *value; /* of SETTING and SETS */
	const char *brief;	 /* what --help says; NULL: only 'sonde help options' has it */
};

extern const struct option_row option_rows[];
extern const int n_option_rows;

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

/* ---- option_checks.c: which options go together. */

/* 0, or -1 after a message. */
int options_check(const struct options *o);

/* ---- start_option.c: --start: when a run begins. */

/* Read "+30s", "@14:30", "@14:30:15" or "/10s". 0, or -1 after a message. */
int set_start(struct options *o, const struct option_row *row, const char *arg);

/* ---- time_option.c: times on the command line. */

/* Read a time, the value of `option`: 10s, 500ms, 0.5s; a number alone is seconds, below
 * 100. 0, or -1 after a message. */
int option_time(const char *option, const char *arg, uint64_t *ns);

/* ---- pid_option.c: the argument of -p. */

/* Read a process ID; *pid is 0 if there was none before. 0, or -1 after a message. */
int set_pid(struct options *o, const struct option_row *row, const char *arg);
/* After an error about several processes: print what traces them. -1. */
int pid_option_hint_several(void) __attribute__((cold));

/* ---- option_words.c: options whose value is one of a few words: their setters, which
 * option_rows.c names, and the words, for completion in shells. */

int set_format(struct options *o, const struct option_row *row, const char *arg);
int set_stage(struct options *o, const struct option_row *row, const char *arg);
int set_debug(struct options *o, const struct option_row *row, const char *arg);
int set_no_feature(struct options *o, const struct option_row *row, const char *arg);
int set_mode(struct options *o, const struct option_row *row, const char *arg);

/* The i-th word that the option's value may be; NULL after the last, and for other options. */
const char *option_word(const struct option_row *row, uint32_t i);

/* ---- output_check.c: -o must not name what is read: the script or the recording would be
 * lost. */

/* Is the file of -o one that the command line reads? 0, or -1 after a message. */
int output_check(const struct options *o);
/* The same, of one file. `what` it is: "recording". */
int output_check_input(const char *output, const char *input, const char *what);

/* ---- unknown_option.c: words of the command line that look like options and are none. */

/* Report the word, whose name is the first `len` bytes: no option of sonde, nor of the script that
 * is before it. `next` is the word behind it, "" at the end. -1. */
int option_unknown(const struct options *o, const char *word, size_t len, const char *next);
/* Report a word or option that sonde had once (removed_words.def). False: it is none. */
bool option_report_removed(const char *word, size_t len);
/* Report that the option's value is missing; `next` is the option that is in its place, NULL at
 * the end. -1. */
int option_no_value(const struct option_row *r, const char *next);
/* `-s hello.bt`: hint how a script is run, if `word` is a script's name. False: it is none. */
bool option_hint_script(const char *word);
/* A hint for an option of another tool behind a first word or a script; "": behind others, which
 * have the rows of all. False: none is known. */
bool option_hint_other(const char *behind, const char *name, size_t len);
/* Report an option that begins with a long dash, as word processors write it. 0: it is none. */
int option_check_dash(const char *word);
