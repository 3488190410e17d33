/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts by name: sonde offcputime, sonde --scripts, sonde cat NAME.
 */
#pragma once
#include <stddef.h>
#include "cli/scripts/script_args.h"
#include <stdio.h>

/* Find the path of the bundled script `name`. 0, or -ENOENT. A word with a slash or that ends in
 * .bt is never a script's name. */
int scripts_find(const char *name, char *path, size_t size);

enum script_place {
	SCRIPT_FILE,	/* the word is a path, or no script was found */
	SCRIPT_BUNDLED, /* not to be shown with its path */
	SCRIPT_FOUND,	/* by a bare name: in the current directory or in $SONDE_PATH */
};

/* As scripts_locate(), without the note. */
enum script_place scripts_path(const char *word, char *path, size_t size);
/* The file that a word of the command line stands for: the path itself; else, for a bare name, the
 * bundled script, the file in the current directory, NAME.bt in a folder of $SONDE_PATH. Notes a
 * file in the current directory that the bundled script hides. */
enum script_place scripts_locate(const char *word, char *path, size_t size);
/* --scripts: print name and description of each, sorted. The exit status. */
int scripts_list(void);
/* Call `use` with the name of each. */
void scripts_each(void (*use)(void *ctx, const char *name), void *ctx);
/* cat NAME: print the script, which is found as scripts_locate() does. The exit status. */
int scripts_cat(const char *name);
/* After an error about `name`: print a hint with the nearest name of a bundled script, or also of a
 * first word or a file. False: none is near. */
bool scripts_hint_nearest(const char *name, bool with_words);
/* The same for a tool of bcc or bpftrace, such as execsnoop-bpfcc, that is a bundled script. */
bool scripts_hint_tool(const char *name);
/* ... or with how to find one. */
void scripts_hint(const char *name);
/* Is there a folder of bundled scripts? */
bool scripts_are_installed(void);
struct program;
/* NAME --help: print usage, head comment and parameters. */
void scripts_help(struct program *p);

/* ---- no_program.c: words behind -e that are no program: names of files and scripts,
 * expressions of strace. */

/* Report o->program if it is such a word. False: it is none. */
bool no_program_report(const struct script_args *o);

/* ---- read_script.c: reads the script that the command line names: the text of -e, a file or a
 * bundled script. */

struct arena;

/* NULL after a message. */
struct source *read_source(struct arena *a, const struct script_args *o);

/* ---- other_word.c: words in place of a script that are none: those of other tools
 * (other_words.def), and programs. */

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
struct nearest;
/* Offer the words of other tools that have a hint, and that hint; NULL: there is none. */
void other_words_offer(struct nearest *near);
const char *other_word_meant(const char *word);
/* That hint, if $PATH has a program of the name. False: it has none. */
bool other_word_hint_path(const struct script_args *o);

/* ---- command_check.c: whether the text of -c is a command without a shell. */

/* 0, or -1 after a message. */
int command_check(const struct script_args *o);
/* Print the hint for the word behind the command of -c, if `word` is that one: the command was not
 * in quotes. Returns whether it was printed. */
int command_hint(const struct script_args *o, const char *word);

/* ---- script_line.c: the `#!` line of a script. */

/* Whether the first line of file `path` is `#!INTERPRETER OPTIONS` with exactly these options. */
bool script_line_has(const char *path, const char *options);

/* ---- list_script.c: -l of a script: its attach points. */

struct kernel;

/* True when -l is about a script: there is -e, or a file of that name. */
bool list_names_script(const struct script_args *o);
/* The attach points of a checked script, in its order, patterns expanded; with their fields. The
 * exit status. */
int list_script(struct kernel *k, const struct program *p, bool fields, FILE *out);
