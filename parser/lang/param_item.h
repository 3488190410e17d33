/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters of a script: `param $x: type = …;` and `option $x: type = …;`, as part of the tree.
 */
#pragma once
#include "parser/base/source.h"

struct expr;
struct param_type;

/* The type of a parameter: a word (param_type.c), or the words that it can be. */
struct param_form {
	bool is_list;
	const char **words;
	uint32_t n_words;
};

/* `param $name: type = other "doc";`: a named command-line parameter, and the same with `option`,
 * which is given as --name. */
struct param_item {
	struct span span, name_span;
	bool is_option;
	bool is_getopt;	  /* declared by getopt(): no expression names it */
	const char *name; /* with the $; of getopt(): with the -- */
	struct param_form form;
	struct expr *other; /* the default: a literal or a name, such as `none`; NULL: required, or
			     * none for an option */
	const char *doc;

	/* param_item.c: */
	const struct param_type *type;
	const char *word; /* on the command line, or NULL */
	enum { NAMES_OTHER, NAMES_KERNEL_FUNCTION, NAMES_PROGRAM_FUNCTION } names;
	bool is_left_out;      /* not given, and the default is `none` */
	struct expr *value;    /* EX_INT (or a negated one), EX_STRING; not of a list */
	const char *text;      /* the value as text, for attach points */
	struct expr **members; /* of a list */
	uint32_t n_members;
};
