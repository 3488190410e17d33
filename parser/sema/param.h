/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters: the words of the command line that a script reads as $1, $2, … and $#, or by the
 * names that its `param` items give them (param_item.c).
 */
#pragma once
#include "parser/lang/ast.h"

struct arena;
struct sema;

/* Make a literal of an EX_PARAM: an integer when the word reads as one, else a string; always a
 * string when `as_text`. */
void param_resolve(struct sema *s, struct expr *e, bool as_text);
/* Give the `param` items their values, drop probes that name one that was not given. */
void param_bind(struct sema *s);
/* The item of that name, with the $; NULL. */
struct param_item *param_find(const struct sema *s, const char *name);
/* Make the value of an EX_VAR that names a parameter. False when it names none. */
bool param_name(const struct sema *s, struct expr *e);
/* "offcputime [SECONDS]" */
const char *param_usage(struct arena *a, const struct program *p);
/* Report the value of the parameter that an attach point names as invalid. False when it names
 * none. */
bool param_blame(struct sema *s, const char *text);
/* The text of an attach point with $N and $name replaced, outside of quotes. NULL after an
 * error. */
const char *param_substitute(struct sema *s, const struct attach_text *text);
