/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters: the arguments of the command line that a script reads as $1, $2, … and $#, by the
 * names of its `param` items (param_item.c), or by getopt() (getopt.c).
 */
#pragma once
#include "parser/lang/ast.h"

struct sema;

/* Replace an EX_PARAM by a literal: an integer when the argument reads as one, else a string;
 * always a string when `as_text`. */
void param_resolve(struct sema *s, struct expr *e, bool as_text);
/* Report a word of the command line with which the command begins that the script traces, if there
 * is no "--" before it. False: the script traces none, or has one. */
bool param_refuse_command(struct sema *s, const char *word);
/* Report a word of the command line that the script does not read. */
void param_check_used(struct sema *s);
/* Does the script have items other than those of getopt()? Then it reads no $1. */
bool param_has_names(const struct program *p);
/* Take the options of `option` items and of getopt() off the command line. */
void param_take_options(struct sema *s);
/* What the command line has for an option: "--per-thread" for $per_thread. */
const char *param_option_name(struct arena *a, const struct param_item *item);
/* Give the `param` items their values, and drop attach points that name one without a value. */
void param_bind(struct sema *s);
/* Is it a boolean, which is given as --name or --no-name? */
bool param_is_flag(const struct param_item *item);
/* Do the first `len` bytes of `word` name the item as an option? */
bool param_is_option(struct arena *a, const struct param_item *item, const char *word, size_t len);
/* Does the last word of the command line, if the script does not read it, end tracing after so many
 * seconds? Not of one-liners, nor of scripts that read $1 or have such a parameter themselves. */
bool param_takes_duration(const struct program *p);
/* Take word number `n_read` as that. False: it is no time, or not the last word. */
bool param_take_duration(struct sema *s, uint32_t n_read);
/* The item of that name (with the $), or NULL. */
struct param_item *param_find(const struct sema *s, const char *name);
/* Replace an EX_VAR that names a parameter by its value. False when it names none. */
bool param_name(struct sema *s, struct expr *e);
/* param_list.c: replace one_of(x, …) by comparisons, and len($list) by its number. False when it is
 * another call. */
bool param_call(struct sema *s, struct expr *e);
/* Replace an expression by the item's value. */
void param_become(struct sema *s, struct expr *e, const struct param_item *item);
/* getopt.c: add an `option` item for each name that calls of getopt() in probes read. */
void getopt_declare(struct sema *s);
/* The same for a program that is only parsed, also of calls in its functions and macros. */
void getopt_declare_all(struct arena *a, struct program *p);
/* Replace a call of getopt() by the option's value. False when it is another call. */
bool getopt_resolve(struct sema *s, struct expr *e);
/* The usage line, like "usage: sonde offcputime [SECONDS] [options] [-- COMMAND]": what follows
 * "--" belongs to the command. */
const char *param_usage(struct arena *a, const struct program *p);
/* Add the usage line as a hint. -1. */
int param_hint_usage(struct sema *s);
/* "FUNCTION" of $function, as usage lines show a parameter. */
const char *param_upper(struct arena *a, const struct param_item *item);
/* param_function.c: note which parameters name functions, before attach points are dropped. */
void param_note_functions(struct sema *s);
/* Report that none of these is given, and the script has no other event. False: it is not so. */
bool param_refuse_no_function(struct sema *s);
/* Report the value `vfs_read` of a parameter that is to be PROGRAM:FUNCTION. False: it is
 * another. */
bool param_refuse_no_program(struct sema *s, const struct param_item *item);
/* Report the value of the parameter that an attach point names as invalid. False when it names
 * none. */
bool param_blame(struct sema *s, const char *text);
/* The text of an attach point with $N and $name replaced, except inside quotes: several texts where
 * a value is a list separated by commas. Returns their number. */
uint32_t param_texts(struct sema *s, const struct attach_text *text, const char ***out);
/* Add a hint if the extra word belongs to a command of -c that is not in quotes. */
bool param_hint_command(struct sema *s, const char *word);
/* The word, which the script does not read, is a time with another name of its unit, as 5min. */
bool param_hint_time(struct sema *s, const char *word);
/* Where the member of a list ends that begins at `at`: at a comma outside of quotes and brackets,
 * as those of templates, or at the end. */
const char *param_member_end(const char *at);
